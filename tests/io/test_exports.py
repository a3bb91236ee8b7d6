import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from attnviz.core.errors import InputError
from attnviz.core.import_edits import Names, import_arrays
from attnviz.core.import_parts import Part
from attnviz.core.inputs import Head, Inputs
from attnviz.core.position_masks import SlidingWindowMask
from attnviz.core.request import Region, Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.io import arrays
from attnviz.io.array_files import read_arrays
from attnviz.io.errors import FileError
from attnviz.io.export import STAGES, check_stage, write_stages
from attnviz.io.presets import load_preset
from attnviz.io.tables import MATRICES, csv_rows, matrix
from tests.io.documents import computed, cross_document, documents, lone_weight_document, small_document


def csv_text(stages, stage):
    return b"".join(csv_rows(stages, stage)).decode("utf-8")


def read_csv(text):
    """Header, first cells and float32 numbers, as another program would read them."""
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    return header, [row[0] for row in rows], np.array([row[1:] for row in rows], np.float32)


def same(mine, theirs):
    return mine.dtype == theirs.dtype and mine.shape == theirs.shape and mine.tobytes() == theirs.tobytes()


@settings(deadline=None, max_examples=50)
@given(inputs=documents())
def test_csv_gives_every_number_and_token_back(inputs):
    for stages in computed(inputs):
        for stage in MATRICES:
            header, first, numbers = read_csv(csv_text(stages, stage))
            names = inputs.heads[stages.request.region.head].names_of("v")
            assert header == ["", *(names if stage == "head_output" else inputs.key_labels)]
            assert tuple(first) == inputs.tokens
            assert same(numbers, matrix(stages, stage))


def test_rows_are_queries_and_columns_are_keys():
    text = csv_text(computed(lone_weight_document())[0], "weights")
    assert text == ",a,b,c\r\na,0,0,1\r\nb,0,0,0\r\nc,0,0,0\r\n"


def test_what_is_hidden_is_minus_infinity_before_softmax():
    _, _, numbers = read_csv(csv_text(computed(small_document())[0], "masked"))
    assert np.isneginf(numbers[np.triu_indices(3, 1)]).all()
    assert np.isfinite(numbers[np.tril_indices(3)]).all()


def test_neko_is_written_as_published():
    stages = computed(load_preset("neko").inputs)[0]
    header, first, weights = read_csv(csv_text(stages, "weights"))
    assert header[1:] == first == ["猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった"]
    assert np.round(weights[6, :7], 3).tolist() == pytest.approx(
        [0.188, 0.015, 0.657, 0.015, 0.061, 0.025, 0.037]
    )
    assert csv_text(stages, "scores").split("\r\n")[7].startswith("それ,3,-2,5.5,-2,0.75,-1,-0.25,")
    assert csv_text(stages, "head_output").startswith(",動物,食べ物,動作,機能語\r\n猫,3,0,0,0\r\n")


@pytest.mark.parametrize(
    ("token", "cell"),
    [
        ("a,b", '"a,b"'),
        ('say "it"', '"say ""it"""'),
        ("a\nb", '"a\nb"'),
        ("a\rb", '"a\rb"'),
        ("=1+1", "=1+1"),
        (" blank ", " blank "),
        ("", ""),
        ("👨‍👩‍👧", "👨‍👩‍👧"),
    ],
)
def test_a_token_is_quoted_where_needed_and_never_altered(token, cell):
    text = csv_text(computed(small_document((token, "b")))[0], "weights")
    assert text.startswith(f",{cell},b\r\n{cell},")


def test_half_a_character_is_refused(tmp_path):
    heads = computed(small_document(("\ud83d", "b")))
    with pytest.raises(FileError, match=r"U\+D83D"):
        write_stages(tmp_path / "a.csv", heads, "weights", one_head=True)
    assert not list(tmp_path.iterdir())
    write_stages(tmp_path / "a.json", heads, "weights", one_head=True)
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["tokens"] == ["\ud83d", "b"]


@settings(deadline=None, max_examples=20)
@given(inputs=documents())
def test_npz_and_json_hold_the_same_numbers(tmp_path_factory, inputs):
    folder = tmp_path_factory.getbasetemp()
    heads = computed(inputs)
    for suffix in (".npz", ".json"):
        write_stages(folder / f"a{suffix}", heads, "all", one_head=False)
    data = json.loads((folder / "a.json").read_text("utf-8"))
    assert data["tokens"] == list(inputs.tokens)
    assert data.get("key_tokens") == (list(inputs.key_tokens) if inputs.is_cross else None)
    even = len({head.d_v for head in inputs.heads}) == 1
    with np.load(folder / "a.npz") as file:
        for name in MATRICES:
            for head, stages in enumerate(heads):
                wanted = matrix(stages, name)
                split = name == "head_output" and not even
                assert same(file[f"{name}_{head}"] if split else file[name][head], wanted)
                rows = [
                    [-math.inf if value == "-inf" else value for value in row] for row in data[name][head]
                ]
                assert same(np.array(rows, np.float32), wanted)
        assert ("key_tokens" in file) == inputs.is_cross
        names = tuple(head.name for head in inputs.heads)
        assert data["names"] == list(names)
        texts = (("tokens", inputs.tokens), ("key_tokens", inputs.key_tokens), ("names", names))
        for name, tokens in texts:
            if tokens is not None:  # numpy ends a text at its last character that is not NUL
                assert file[name].tolist() == [token.rstrip("\0") for token in tokens]
        assert file["mask"].dtype == np.bool_
        assert file["mask"].tolist() == data["mask"] == inputs.allowed().tolist()


def test_tables_of_cross_attention_name_queries_in_rows_and_keys_in_columns(tmp_path):
    inputs = cross_document()
    heads = computed(inputs)
    for stage in ("weights", "mask"):
        lines = csv_text(heads[0], stage).splitlines()
        assert lines[0] == ",it,is,a,cat"
        assert [line.split(",")[0] for line in lines[1:]] == ["それ", "は", "猫"]
    assert csv_text(heads[0], "mask").splitlines()[1] == "それ,1,1,0,0"
    assert csv_text(heads[0], "head_output").splitlines()[0] == ",0,1"
    write_stages(tmp_path / "a.npz", heads, "all", one_head=False)
    with np.load(tmp_path / "a.npz") as file:
        assert file["weights"].shape == (2, 3, 4)
        assert (file["q"].shape, file["k"].shape, file["v"].shape) == ((2, 3, 3), (2, 4, 3), (2, 4, 2))
        assert (file["x"] == inputs.x).all()
        assert (file["x_keys"] == inputs.x_keys).all()
        assert file["w_k_1"].shape == (6, 3)
        assert file["key_tokens"].tolist() == ["it", "is", "a", "cat"]
        assert file["residual"].shape == (3, 5)


def test_the_mask_is_one_table_for_all_heads(tmp_path):
    inputs = replace(small_document(n_heads=2), mask=SlidingWindowMask(2))
    heads = computed(inputs)
    cells = [[True, False, False], [True, True, False], [False, True, True]]
    for one_head in (False, True):
        write_stages(tmp_path / "a.npz", heads, "mask", one_head=one_head)
        write_stages(tmp_path / "a.json", heads, "mask", one_head=one_head)
        with np.load(tmp_path / "a.npz") as file:
            assert file["mask"].tolist() == cells
        assert json.loads((tmp_path / "a.json").read_text("utf-8"))["mask"] == cells
    write_stages(tmp_path / "a.csv", heads, "mask", one_head=False)
    text = (tmp_path / "a.csv").read_text("utf-8")
    assert text.splitlines() == [",a,b,c", "a,1,0,0", "b,1,1,0", "c,0,1,1"]


@pytest.mark.parametrize("stage", MATRICES)
def test_all_heads_come_first_and_one_head_alone(tmp_path, stage):
    heads = computed(small_document(n_heads=2))
    columns = 2 if stage == "head_output" else 3
    for one_head, shape in ((False, (2, 3, columns)), (True, (3, columns))):
        write_stages(tmp_path / "a.npz", heads, stage, one_head=one_head)
        write_stages(tmp_path / "a.json", heads, stage, one_head=one_head)
        with np.load(tmp_path / "a.npz") as file:
            assert sorted(file) == sorted([stage, "tokens"])
            assert file[stage].shape == shape
            assert file[stage].dtype == np.float32
            assert file["tokens"].tolist() == ["a", "b", "c"]
        data = json.loads((tmp_path / "a.json").read_text("utf-8"))
        assert list(data) == ["tokens", stage]
        assert np.array(data[stage]).shape == shape


def test_heads_of_different_d_v_are_apart_in_npz(tmp_path):
    ones = np.ones((2, 1), np.float32)
    wide = np.ones((2, 3), np.float32)
    inputs = Inputs("ab", "ab", [Head("one", ones, ones, ones), Head("three", ones, ones, wide)])
    heads = computed(inputs)
    write_stages(tmp_path / "a.npz", heads, "all", one_head=False)
    with np.load(tmp_path / "a.npz") as file:
        assert file["weights"].shape == (2, 2, 2)
        assert "head_output" not in file
        assert (file["head_output_0"].shape, file["head_output_1"].shape) == ((2, 1), (2, 3))
    write_stages(tmp_path / "b.npz", heads[1:], "all", one_head=True)
    with np.load(tmp_path / "b.npz") as file:
        assert file["head_output"].shape == (2, 3)


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".json", ".CSV"])
def test_the_same_stages_give_the_same_bytes(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    write_stages(path, computed(small_document()), "weights", one_head=True)
    first = path.read_bytes()
    write_stages(path, computed(small_document()), "weights", one_head=True)
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("stage", "path", "words"),
    [
        ("softmax", "a.csv", "scores, scaled, masked, weights, head_output, output, mask, summaries, all"),
        ("", "a.csv", "There is no stage"),
        ("all", "a.csv", "holds one stage"),
        ("weights", "a.txt", r"\.csv, \.npz or \.json"),
        ("weights", "a", r"\.csv, \.npz or \.json"),
        ("weights", "", r"\.csv, \.npz or \.json"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path, stage, path, words):
    with pytest.raises(InputError, match=words):
        check_stage(stage, path)
    with pytest.raises(InputError, match=words):
        write_stages(tmp_path / (path or "none"), computed(small_document()), stage, one_head=True)
    assert not list(tmp_path.iterdir())


def test_every_stage_can_be_exported_somehow():
    assert (*MATRICES, "output", "mask", "summaries", "all") == STAGES
    for stage in STAGES:
        check_stage(stage, "a.npz")


def test_a_token_too_long_for_npz_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(arrays, "MAX_TOKEN_BYTES", 100)
    with pytest.raises(FileError, match="JSON can hold it"):
        write_stages(tmp_path / "a.npz", computed(small_document(("a" * 50, "b"))), "all", one_head=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".json"])
def test_too_little_memory_is_a_sentence(tmp_path, monkeypatch, suffix):
    def full(*_args):
        raise MemoryError

    monkeypatch.setattr("attnviz.io.tables.matrix", full)
    monkeypatch.setattr("attnviz.io.arrays.matrix", full)
    with pytest.raises(FileError, match="not enough memory"):
        write_stages(tmp_path / f"a{suffix}", computed(small_document()), "weights", one_head=True)
    assert not list(tmp_path.iterdir())


def test_a_part_of_a_document_is_not_written_as_the_whole():
    inputs = small_document()
    engine = NumpyEngine(1)
    part = engine.compute(Request(inputs, 0, Region(0, (0, 2), (0, 3))))
    engine.close()
    with pytest.raises(ValueError, match="whole head"):
        matrix(part, "weights")


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_names_of_the_dimensions_of_x_go_along_and_come_back(tmp_path, suffix):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    head = Head("a", np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)))
    named = Inputs("ab", ("a", "b"), (head,), x=x, x_names=("動物", "食べ物", "新しさ"))
    path = tmp_path / f"all{suffix}"
    write_stages(path, computed(named), "all", one_head=False)
    file = read_arrays(path)
    assert file.x_names == named.x_names
    parts = [Part("x", "x", next(array.array for array in file.arrays if array.name == "x"))]
    plain = replace(named, x_names=())
    assert import_arrays(plain, parts, "change", Names(x=file.x_names)).x_names == named.x_names
    with pytest.raises(InputError, match="1 names were given for the 2 dimensions of x"):
        import_arrays(replace(plain, x=None), [Part("x", "x", x[:, :2])], "change", Names(x=("one",)))


def test_where_the_dimensions_of_x_have_no_names_there_are_none(tmp_path):
    write_stages(tmp_path / "all.npz", computed(small_document(("a", "b"))), "all", one_head=False)
    assert read_arrays(tmp_path / "all.npz").x_names is None
