"""Files of arrays from anywhere: what is read of them, and that hostile ones are refused in little memory."""

import io
import json
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from attnviz.core.errors import AttnvizError
from attnviz.core.import_edits import Names, import_arrays
from attnviz.core.import_parts import OF_HEADS, Part
from attnviz.core.output_edits import set_w_o
from attnviz.core.projection_edits import start_projection
from attnviz.io import array_files
from attnviz.io.array_files import read_arrays
from attnviz.io.array_names import meaning_of
from attnviz.io.export import write_stages
from tests.io.documents import computed, documents, large_document, small_document


def npy(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


def header(text, version=b"\x01\x00"):
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text.encode()


def npz(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def refusal(path):
    with pytest.raises(AttnvizError) as caught:
        read_arrays(path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def by_name(file):
    return {array.name: array.array for array in file.arrays}


def parts_of(file):
    """What the names alone say, as the dialog offers it."""
    parts = []
    for array in file.arrays:
        meaning = array.meaning
        if meaning.role and array.array is not None:
            lone = 0 if meaning.role in OF_HEADS and meaning.head is not None else None
            parts.append(
                Part(array.name, meaning.role, array.array, lone if meaning.head is None else meaning.head)
            )
    return parts


def assert_same_document(after, inputs):
    assert after.tokens == inputs.tokens
    assert after.n_heads == inputs.n_heads
    for mine, theirs in zip(after.heads, inputs.heads, strict=True):
        for which in "qkv":
            assert getattr(mine, which).tobytes() == getattr(theirs, which).tobytes()
        assert (mine.projection is None) == (theirs.projection is None)
        assert mine.projection is None or mine.projection.equals(theirs.projection)
    for name in ("x", "w_o", "b_o"):
        mine, theirs = getattr(after, name), getattr(inputs, name)
        assert (mine is None and theirs is None) or mine.tobytes() == theirs.tobytes()
    whole = (0, inputs.n_query), (0, inputs.n_key)
    assert np.array_equal(after.allowed(*whole), inputs.allowed(*whole))


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@given(inputs=documents())
def test_what_export_wrote_of_all_stages_imports_as_the_same_document(tmp_path_factory, suffix, inputs):
    path = tmp_path_factory.mktemp("a") / f"all{suffix}"
    tokens = [token.replace("\0", "") for token in inputs.tokens]  # numpy cuts them at the end of a text
    from dataclasses import replace

    inputs = replace(inputs, tokens=tokens)
    write_stages(path, computed(inputs), "all", one_head=False)
    file = read_arrays(path)
    assert {array.name for array in file.arrays if array.meaning.is_computed} >= {"scores", "weights"}
    after = import_arrays(small_document(), parts_of(file), "replace", Names(file.tokens))
    assert_same_document(after, inputs)


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_a_layer_with_projections_and_w_o_survives_export_and_import(tmp_path, suffix):
    inputs = start_projection(large_document(), 0)
    inputs = set_w_o(inputs, np.arange(32 * 3).reshape(32, 3) / 7, [1, 2, 3])
    write_stages(tmp_path / f"a{suffix}", computed(inputs), "all", one_head=False)
    file = read_arrays(tmp_path / f"a{suffix}")
    after = import_arrays(small_document(), parts_of(file), "replace", Names(file.tokens))
    assert_same_document(after, inputs)


KINDS = ["<f2", "<f4", ">f4", "<f8", ">f8", "|i1", "<i4", ">i8", "|u1", "|b1"]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@given(
    array=st.sampled_from(KINDS).flatmap(
        lambda kind: hnp.arrays(np.dtype(kind), hnp.array_shapes(max_dims=4, max_side=4))
    ),
    is_fortran=st.booleans(),
)
def test_an_npy_file_is_read_as_numpy_wrote_it(tmp_path_factory, version, array, is_fortran):
    path = tmp_path_factory.mktemp("a") / "q.npy"
    array = np.asfortranarray(array) if is_fortran else array
    path.write_bytes(npy(array, version=version))
    (found,) = read_arrays(path).arrays
    assert (found.name, found.meaning.role, found.shape) == ("q", "q", array.shape)
    assert np.array_equal(found.array, array, equal_nan=array.dtype.kind == "f")


def test_arrays_whose_names_say_nothing_are_there_to_be_chosen(tmp_path):
    np.savez(tmp_path / "a.npz", attn=np.ones((2, 3)), q=np.ones((3, 2)))
    assert set(by_name(read_arrays(tmp_path / "a.npz"))) == {"attn", "q"}


def test_tokens_are_texts_or_numbers(tmp_path):
    np.savez(tmp_path / "a.npz", q=np.ones((2, 2)), tokens=np.array(["猫", " "]), key_tokens=[101, 7])
    file = read_arrays(tmp_path / "a.npz")
    assert file.tokens == ("猫", " ")
    assert file.key_tokens == ("101", "7")


@pytest.mark.parametrize(
    ("name", "role", "head", "is_transposed"),
    [
        ("q", "q", None, False),
        ("Query", "q", None, False),
        ("q_3", "q", 3, False),
        ("W_Q", "w_q", None, False),
        ("w_v_11", "w_v", 11, False),
        ("model.layers.0.self_attn.q_proj.weight", "w_q", None, True),
        ("h.0/attn/out_proj.bias", "b_o", None, False),
        ("hidden_states", "x", None, False),
        ("key_tokens", "key_tokens", None, False),
        ("my_key", "", None, False),
        ("weights", "", None, False),
        ("", "", None, False),
    ],
)
def test_names_say_what_arrays_are(name, role, head, is_transposed):
    meaning = meaning_of(name)
    assert (meaning.role, meaning.head, meaning.is_transposed) == (role, head, is_transposed)


@pytest.mark.parametrize(
    ("content", "rows", "labels"),
    [
        ("1,2\n3,4\n", [[1, 2], [3, 4]], None),
        ("\ufeff1\t2\r\n3\t4", [[1, 2], [3, 4]], None),
        ("0,5;1,25\n2;3", [[0.5, 1.25], [2, 3]], None),
        (",a,b\n猫,1,2\nが,3,4\n", [[1, 2], [3, 4]], ("猫", "が")),
        (",0,1\n0,1,2\n1,3,4\n", [[1, 2], [3, 4]], ("0", "1")),
        ("a,b\n1,2\n", [[1, 2]], None),
        ("cat,1,2\ndog,3,4", [[1, 2], [3, 4]], ("cat", "dog")),
        ("\n1\n\n2\n", [[1], [2]], None),
        ('"a,b",1\n"c\nd",2', [[1], [2]], ("a,b", "c\nd")),
        ("−1,1e3", [[-1, 1000]], None),
    ],
)
def test_a_table_may_have_names_and_tokens(tmp_path, content, rows, labels):
    path = tmp_path / "q.csv"
    path.write_text(content, "utf-8", newline="")
    file = read_arrays(path)
    assert file.arrays[0].array.tolist() == rows
    assert file.tokens == labels


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "It is empty"),
        ("\n\n", "There is no number in it"),
        ("a,b\n", "There is no number in it"),
        ("1,2\n3", "Row 2 has 1 cells, those before have 2"),
        ("1,2\n3,x", "Row 2, column 2 holds “x”"),
        ("1,2\n3,", "Row 2, column 2 holds “”"),
        ("1,2\nnan,3", "Row 2, column 1 holds “nan”"),
        ("1,-inf", "Row 1, column 2 holds “-inf”"),
        ("1,2e6", "Row 1, column 2 holds “2e6”"),
        ("1," * 100_001, "far too many columns"),
    ],
)
def test_a_table_that_is_none_is_refused_with_the_place(tmp_path, content, words):
    (tmp_path / "q.csv").write_text(content, "utf-8", newline="")
    assert words in refusal(tmp_path / "q.csv")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"q": [[1]], "q": [[2]]}', "It holds “q” twice"),
        ("7", "It holds no lists of numbers"),
        ("{}", "There is no array of numbers in it"),
        ('{"q": 1}', "There is no array of numbers in it"),
    ],
)
def test_json_that_holds_no_arrays_is_refused(tmp_path, content, words):
    (tmp_path / "a.json").write_text(content, "utf-8")
    assert words in refusal(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([[1, 2], [3]], "ragged: list 1 on axis 0 has 1 entries, the first has 2"),
        ([[1, 2], 3], "ragged"),
        ([[1, None]], "something else than numbers, at (0, 1)"),
        ([[1, "2"]], "something else than numbers, at (0, 1)"),
        ([[1, True]], "something else than numbers"),
        ([[10**400]], "far too large"),
        ([[[[[[[[[[1]]]]]]]]]], "axes; at most 8"),
    ],
)
def test_a_json_array_that_is_none_says_why_and_the_others_stay(tmp_path, value, words):
    (tmp_path / "a.json").write_text(json.dumps({"q": value, "k": [[1]]}), "utf-8")
    file = read_arrays(tmp_path / "a.json")
    assert words in str(file.arrays[0].why_not)
    assert file.arrays[1].array.tolist() == [[1]]


Q = np.ones((3, 2), np.float32)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (npy(Q)[:-1], "bytes of numbers"),
        (npy(Q) + b"x", "bytes of numbers"),
        (b"\x93NUMPY", "not an NPY array"),
        (b"\x93NUMPY\x09\x00" + bytes(100), "not an NPY array"),
        (b"\x93NUMPY\x01\x00\xff\xff{}", "cut short"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}", "cut short or endless"),
        (npy(np.array([{}], object), allow_pickle=True), "Python objects"),
        (npy(np.zeros(3, [("a", "<f4")])), "“records”"),
        (npy(np.zeros(3, complex)), "“<c16”"),
        (npy(np.zeros(3, "M8[s]")), "real numbers are wanted"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 9999999999), }"), "needs"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (-3, 2), }"), "makes no sense"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1," * 20 + "), }"), "20 axes"),
        (header("__import__('os').abort()"), "makes no sense"),
    ],
)
def test_a_hostile_array_is_refused_alone_and_among_others(tmp_path, content, words):
    (tmp_path / "q.npy").write_bytes(content)
    assert words in refusal(tmp_path / "q.npy")
    file = read_arrays(npz(tmp_path / "a.npz", {"q.npy": content, "k.npy": npy(Q)}))
    assert words in str(file.arrays[0].why_not)
    assert file.arrays[1].array.tolist() == Q.tolist()


def test_bombs_and_crowds_take_no_memory(tmp_path, monkeypatch):
    head = header("{'descr': '<f4', 'fortran_order': False, 'shape': (136314880,), }")
    huge = head + bytes(520 << 20)
    bomb = npz(tmp_path / "a.npz", {"q.npy": huge}, zipfile.ZIP_DEFLATED)
    del huge
    tracemalloc.start()
    try:
        assert "too large" in refusal(bomb)
        crowd = npz(tmp_path / "b.npz", {f"a{number}.npy": b"" for number in range(4097)})
        assert "4097 arrays" in refusal(crowd)
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()
    monkeypatch.setattr(array_files, "MAX_OTHER_BYTES", 10)
    file = read_arrays(npz(tmp_path / "c.npz", {"else.npy": npy(Q), "q.npy": npy(Q)}))
    assert "too large to be read" in str(file.arrays[0].why_not)
    assert file.arrays[1].why_not is None


@pytest.mark.parametrize("suffix", [".csv", ".json", ".tsv"])
def test_a_huge_text_is_refused_unread(tmp_path, suffix):
    path = tmp_path / f"q{suffix}"
    with path.open("wb") as file:
        file.truncate(33 << 20)
    assert "too large" in refusal(path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.npz", b"PK\x03\x04 and no more", "cut short"),
        ("a.csv", b"\xff\xfe1,2", "no text in UTF-8 (at byte 0)"),
        ("a.txt", b"1,2", "no file of arrays"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "no file of arrays"),
    ],
)
def test_a_file_of_another_kind_is_refused(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    assert words in refusal(tmp_path / name)


def test_a_zip_of_something_else_and_twice_the_same_are_refused(tmp_path):
    assert "no NPY array in it" in refusal(npz(tmp_path / "a.npz", {"session.json": b"{}"}))
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as archive:
        archive.writestr("q.npy", npy(Q))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("q.npy", npy(Q))
    assert "twice" in refusal(tmp_path / "b.npz")


@pytest.mark.parametrize("missing", ["none.npz", "folder"])
def test_what_is_not_there_is_said(tmp_path, missing):
    (tmp_path / "folder").mkdir()
    assert missing in refusal(tmp_path / missing)
