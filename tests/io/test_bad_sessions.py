"""Every way in which a file is no session: one sentence, never a traceback, never much memory."""

import copy
import io
import json
import math
import struct
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest

from attnviz.core.selection import Selection
from attnviz.io import session
from attnviz.io.errors import FileError
from attnviz.io.npy import npy_bytes
from attnviz.io.session import open_session, save_session
from tests.io.documents import large_document, small_document

DEEP = 200_000


def packed(members, path, compression=zipfile.ZIP_DEFLATED):
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", compression) as archive:
        warnings.simplefilter("ignore")  # of duplicate names
        for name, content in members:
            archive.writestr(name, content)
    return path


def unpacked(inputs, tmp_path):
    save_session(tmp_path / "good.attnviz", inputs, Selection())
    with zipfile.ZipFile(tmp_path / "good.attnviz") as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def refusal(path):
    """The sentence with which a file is refused."""
    with pytest.raises(FileError) as caught:
        open_session(path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 700
    assert sentence.endswith(".")
    return sentence


@pytest.fixture
def bad(tmp_path):
    return tmp_path / "bad.attnviz"


@pytest.fixture
def main(tmp_path):
    return json.loads(unpacked(small_document(), tmp_path)["session.json"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "It is empty"),
        (b"hello", "It is not an attnviz session"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "It is not an attnviz session"),
        (b"\x93NUMPY\x01\x00", "It is not an attnviz session"),
        (b"PK\x03\x04", "damaged or cut short"),
        (b"PK\x05\x06" + bytes(18), "zip file of something else"),
    ],
)
def test_a_foreign_file_is_refused(bad, content, words):
    bad.write_bytes(content)
    assert words in refusal(bad)
    assert str(bad) in refusal(bad)


@pytest.mark.parametrize(
    ("path", "words"),
    [("none/a", "There is no file"), (".", "folder"), ("a\0b", "null"), ("/dev/zero", "device")],
)
def test_what_is_no_file_is_refused(tmp_path, path, words):
    assert words in refusal(tmp_path / path)


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.attnviz"
    save_session(path, small_document(), Selection())

    def denied(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", denied)
    assert "permission is denied" in refusal(path)


def test_a_session_cut_short_anywhere_is_refused(tmp_path, bad):
    save_session(tmp_path / "good.attnviz", small_document(), Selection())
    content = (tmp_path / "good.attnviz").read_bytes()
    for length in range(len(content)):
        bad.write_bytes(content[:length])
        refusal(bad)


def test_a_flipped_byte_is_refused_or_changes_nothing(tmp_path, bad):
    save_session(tmp_path / "good.attnviz", small_document(), Selection())
    content = (tmp_path / "good.attnviz").read_bytes()
    refused = 0
    for place in range(len(content)):
        bad.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        try:
            opened = open_session(bad)
        except FileError:
            refused += 1
        else:
            assert opened.inputs.equals(small_document())
    assert refused > len(content) / 2


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ([("word/document.xml", b"<a/>")], "zip file of something else"),
        ([("session.json", b"{}")], "does not say so"),
        ([("session.json", b"[]")], "does not say so"),
        ([("session.json", b"")], "not valid JSON"),
        ([("session.json", b'{"format":')], "not valid JSON"),
        ([("session.json", b"\xff\xfe{}")], "not valid JSON"),
        ([("session.json", b"[" * DEEP)], "not valid JSON"),
        ([("session.json", b'{"a":' * DEEP)], "not valid JSON"),
        ([("session.json", b"9" * 10_000)], "not valid JSON"),
        ([("session.json", b'{"a": 1, "a": 2}')], "“a” stands twice"),
        ([("session.json", b'{"a": NaN}')], "holds NaN"),
        ([("session.json", b'{"a": -Infinity}')], "holds -Infinity"),
        ([("session.json", b"{}"), ("session.json", b"{}")], "twice"),
        ([("session.json", b"{}"), ("../evil", b"")], "unsafe name"),
        ([("session.json", b"{}"), ("/etc/evil", b"")], "unsafe name"),
        ([("session.json", b"{}"), ("C:evil", b"")], "unsafe name"),
        ([("session.json", b"{}"), ("a\\..\\evil", b"")], "unsafe name"),
    ],
)
def test_a_zip_of_something_else_is_refused(bad, members, words):
    assert words in refusal(packed(members, bad))


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_another_compression_is_refused(bad, main, compression):
    assert "unknown way" in refusal(packed([("session.json", json.dumps(main))], bad, compression))


def test_a_password_is_refused(bad, main):
    content = bytearray(packed([("session.json", json.dumps(main))], bad).read_bytes())
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    bad.write_bytes(content)
    assert "password" in refusal(bad)


@pytest.mark.parametrize("version", [4, 10**30])
def test_a_newer_version_is_refused(bad, main, version):
    packed([("session.json", json.dumps({"format": "attnviz-session", "version": version}))], bad)
    assert "A newer attnviz wrote it" in refusal(bad)


@pytest.mark.parametrize("version", [None, "1", 1.0, True, 0, -1])
def test_a_version_that_is_none_is_refused(bad, main, version):
    main["version"] = version
    assert "version" in refusal(packed([("session.json", json.dumps(main))], bad))


def test_unknown_keys_and_members_are_passed_over(bad, main):
    main["colour"] = {"deep": [1, 2]}
    main["heads"][0]["colour"] = None
    path = packed([("session.json", json.dumps(main)), ("thumbnail.png", b"picture")], bad)
    assert open_session(path).inputs.equals(small_document())


@pytest.mark.parametrize("key", ["text", "tokens", "heads", "mask", "mask_fill", "scale_strength"])
def test_a_missing_field_is_named(bad, main, key):
    del main[key]
    assert f"“{key}” is missing" in refusal(packed([("session.json", json.dumps(main))], bad))


@pytest.mark.parametrize("key", ["name", "q", "k", "v"])
def test_a_missing_field_of_a_head_is_named(bad, main, key):
    del main["heads"][0][key]
    assert f"“heads[0].{key}” is missing" in refusal(packed([("session.json", json.dumps(main))], bad))


FIELDS = ["text", "tokens", "heads", "mask", "scale_strength", "selection"]
HEAD_FIELDS = ["name", "source", "v_is_k", "qk_names", "v_names", "default_tokens", "q", "k", "v"]
NONSENSE = [
    None,
    True,
    7,
    -1.5,
    "x",
    [],
    [7],
    [[]],
    [["x"]],
    [[1], [1, 2]],
    {},
    {"npy": 1},
    {"npy": "no"},
    10**400,
]
FITTING = {  # nonsense that makes sense there
    "text": ["x"],
    "name": ["x"],
    "scale_strength": [7],
    "selection": [{}, {"npy": 1}, {"npy": "no"}],
    "v_is_k": [True],
    "qk_names": [[]],
    "v_names": [[]],
    "default_tokens": [[]],
}


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
@pytest.mark.parametrize("key", FIELDS + HEAD_FIELDS)
def test_a_field_of_another_type_is_refused(bad, main, key, value):
    if any(value == fitting and type(value) is type(fitting) for fitting in FITTING.get(key, [])):
        return
    (main if key in FIELDS else main["heads"][0])[key] = value
    refusal(packed([("session.json", json.dumps(main))], bad))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"mask_fill": "inf"}, "mask_fill"),
        ({"mask_fill": 1e39}, "mask value"),
        ({"mask_fill": -math.inf}, "far too large"),
        ({"scale_strength": 0}, "scale strength"),
        ({"scale_strength": -1}, "scale strength"),
        ({"scale_strength": 101}, "scale strength"),
        ({"tokens": []}, "there are 0 tokens"),
        ({"tokens": ["a", "b"]}, "there are 2 tokens"),
        ({"tokens": ["a"] * 1_048_577}, "1048577 tokens"),
        ({"heads": []}, "0 heads"),
        ({"heads": [1] * 257}, "257 heads"),
        ({"mask": {"kind": "other"}}, "“other”"),
        ({"mask": {"kind": "custom"}}, "mask.allowed"),
        ({"mask": {"kind": "custom", "allowed": [[True]]}}, "The mask has shape (1, 1)"),
        ({"mask": {"kind": "custom", "allowed": [[1, 0, 1]] * 3}}, "true or false"),
        ({"mask": {"kind": "window"}}, "“mask.width” is missing"),
        ({"mask": {"kind": "window", "width": 0}}, "The width of the window is 0"),
        ({"mask": {"kind": "window", "width": -2}}, "mask.width"),
        ({"mask": {"kind": "window", "width": 1.5}}, "a whole number from 0"),
        ({"mask": {"kind": "window", "width": 10**9}}, "1 to 1000000"),
        ({"mask": {"kind": "window", "width": "3"}}, "mask.width"),
        ({"mask": {"kind": "sinks", "width": 3}}, "“mask.sinks” is missing"),
        ({"mask": {"kind": "sinks", "sinks": 2, "width": 0}}, "The width of the window is 0"),
        ({"mask": {"kind": "prefix", "length": 0}}, "The length of the prefix is 0"),
        ({"mask": {"kind": "padding"}}, "“mask.tokens” is missing"),
        ({"mask": {"kind": "padding", "tokens": [3]}}, "token 3, but there are only 3"),
        ({"mask": {"kind": "padding", "tokens": [-1]}}, "mask.tokens"),
        ({"mask": {"kind": "padding", "tokens": 1}}, "a list"),
        ({"mask": {"kind": "padding", "tokens": [0], "hides_future": 1}}, "mask.hides_future"),
        ({"selection": {"head": -1}}, "selection.head"),
        ({"selection": {"query": "1"}}, "selection.query"),
    ],
)
def test_a_field_that_makes_no_document_is_refused_with_the_reason(bad, main, change, words):
    text = json.dumps(main | change).replace("Infinity", "1e400")
    assert words in refusal(packed([("session.json", text)], bad))


@pytest.mark.parametrize("nonsense", ["a\nb", "\ud800", "x" * 10_000], ids=["lines", "half", "endless"])
def test_what_a_file_says_is_quoted_on_one_line_and_cut(bad, main, nonsense):
    for change in ({"mask": {"kind": nonsense}}, {"heads": [main["heads"][0] | {"source": nonsense}]}):
        sentence = refusal(packed([("session.json", json.dumps(main | change))], bad))
        sentence.encode("utf-8")
        assert "\n" not in sentence
        assert len(sentence) < 1000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"q": [[1, 2]] * 2}, "“heads[0].q” has 2 rows, but there are 3 tokens"),
        ({"q": [[1, 2, 3]] * 3}, "d_k"),
        ({"q": [[1, 1e7]] * 3}, "q holds"),
        ({"q": [[1, 1e400]] * 3}, "far too large"),
        ({"k": [[1, 2], [1, 2], [1]]}, "ragged"),
        ({"q": [[1] * 4097] * 3}, "4097 dimensions"),
        ({"v": [[1, True]] * 3}, "a number is wanted"),
        ({"qk_names": ["one"]}, "names"),
        ({"source": "elsewhere"}, "elsewhere"),
        ({"default_tokens": [3]}, "only 3 tokens"),
    ],
)
def test_a_head_that_does_not_fit_is_refused_with_the_reason(bad, main, change, words):
    main["heads"][0] |= change
    text = json.dumps(main).replace("Infinity", "1e400")
    assert words in refusal(packed([("session.json", text)], bad))


def numpy_file(array, **options):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


def header(text, version=b"\x01\x00"):
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text.encode()


Q = np.ones((20, 16), np.float32)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not an NPY array"),
        (b"\x93NUMPY\x01\x00\xff\xff{}", "not an NPY array"),
        (numpy_file(Q)[:-1], "bytes of numbers"),
        (numpy_file(Q) + b"x", "bytes of numbers"),
        (numpy_file(Q.astype(float)), "<f8"),
        (numpy_file(Q.astype(">f4")), ">f4"),
        (numpy_file(np.asfortranarray(Q)), "Fortran"),
        (numpy_file(Q[0]), "two axes"),
        (numpy_file(Q[:, :0]), "two axes"),
        (numpy_file(Q[None]), "two axes"),
        (numpy_file(Q[:19]), "19 rows"),
        (numpy_file(Q, version=(2, 0)), "format 1.0"),
        (numpy_file(np.array([[{}]], object), allow_pickle=True), "|O"),
        (numpy_file(np.zeros((20, 16), [("a", "<f4")])), "not an NPY array"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (20, 9999999999999999999), }"), "bytes"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (-20, 16), }"), "not an NPY array"),
        (header("{'descr': '<f4', 'fortran_order': False, 'shape': (" + "(" * 60_000), "not an NPY array"),
        (header("__import__('os').abort()"), "not an NPY array"),
        (npy_bytes(np.where(np.eye(20, 16, dtype=bool), np.nan, 1).astype(np.float32)), "nan"),
        (npy_bytes(np.full((20, 16), math.inf, np.float32)), "inf"),
        (npy_bytes(np.full((20, 16), 2e6, np.float32)), "1e6"),
        (npy_bytes(np.ones((20, 16), bool)), "|b1"),
    ],
)
def test_a_bad_array_is_refused(tmp_path, bad, content, words):
    members = unpacked(large_document(), tmp_path) | {"head-0/q.npy": content}
    assert words in refusal(packed(members.items(), bad))


def test_a_mask_of_bytes_that_are_no_bools_is_refused(tmp_path, bad):
    members = unpacked(large_document(), tmp_path)
    members["mask.npy"] = members["mask.npy"][:-1] + b"\x02"
    assert "neither true nor false" in refusal(packed(members.items(), bad))


def test_a_missing_member_is_named(tmp_path, bad):
    members = unpacked(large_document(), tmp_path)
    del members["head-0/k.npy"]
    assert "“head-0/k.npy” is missing" in refusal(packed(members.items(), bad))


def in_little_memory(path):
    tracemalloc.start()
    try:
        sentence = refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 80 << 20
    finally:
        tracemalloc.stop()
    return sentence


def test_a_bomb_is_refused_by_its_declared_size(bad, monkeypatch):
    packed([("session.json", bytes(65 << 20))], bad)
    assert "too large" in in_little_memory(bad)


def test_the_members_together_are_limited(tmp_path, bad, monkeypatch):
    members = unpacked(large_document(), tmp_path)
    packed([*members.items(), ("more", bytes(2 << 20))], bad)
    monkeypatch.setattr(session, "MAX_BYTES", 1 << 20)
    assert "too large" in refusal(bad)


def test_one_member_named_again_and_again_is_limited(tmp_path, bad, monkeypatch):
    members = unpacked(large_document(), tmp_path)
    main = json.loads(members["session.json"])
    main["heads"] = [copy.deepcopy(main["heads"][1]) for _ in range(256)]
    packed((members | {"session.json": json.dumps(main)}).items(), bad)
    monkeypatch.setattr(session, "MAX_BYTES", 300_000)
    assert "too large" in refusal(bad)


@pytest.mark.parametrize("declared", [10, 1000])
def test_a_bomb_that_lies_about_its_size_is_refused(bad, declared):
    content = bytearray(packed([("session.json", bytes(15 << 20))], bad).read_bytes())
    for place in (22, content.index(b"PK\x01\x02") + 24):
        content[place : place + 4] = struct.pack("<I", declared)
    bad.write_bytes(content)
    assert "damaged" in in_little_memory(bad)


def test_a_directory_of_countless_members_is_refused_before_it_is_read(bad, main):
    content = bytearray(packed([("session.json", json.dumps(main))], bad).read_bytes())
    end = content.index(b"PK\x05\x06")
    content[end + 12 : end + 16] = struct.pack("<I", 200 << 20)
    bad.write_bytes(content)
    assert "far too many files" in in_little_memory(bad)


def test_a_directory_that_is_said_to_lie_elsewhere_is_damage(bad, main):
    content = bytearray(packed([("session.json", json.dumps(main))], bad).read_bytes())
    end = content.index(b"PK\x05\x06")
    content[end + 16 : end + 20] = struct.pack("<I", len(content))
    bad.write_bytes(content)
    assert "damaged" in refusal(bad)


@pytest.fixture
def huge(bad, main, monkeypatch):
    """A session with the directory of one beyond 2 GiB."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    packed([("session.json", json.dumps(main))], bad)
    assert b"PK\x06\x06" in bad.read_bytes()
    return bad


def test_a_session_with_the_directory_of_a_huge_one_opens(huge):
    assert open_session(huge).inputs.equals(small_document())


def test_a_huge_directory_of_countless_members_is_refused_before_it_is_read(huge):
    content = bytearray(huge.read_bytes())
    end = content.index(b"PK\x06\x06")
    content[end + 40 : end + 48] = struct.pack("<Q", 200 << 20)
    huge.write_bytes(content)
    assert "far too many files" in in_little_memory(huge)


@pytest.mark.parametrize(
    ("sign", "at", "said"), [(b"PK\x06\x06", 48, 1 << 40), (b"PK\x06\x07", 8, 3), (b"PK\x06\x06", 0, 0)]
)
def test_a_huge_directory_that_is_said_to_lie_elsewhere_is_damage(huge, sign, at, said):
    content = bytearray(huge.read_bytes())
    place = content.index(sign) + at
    content[place : place + 8] = struct.pack("<Q", said)
    huge.write_bytes(content)
    assert "damaged" in refusal(huge)
