import json
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.io import session
from attnviz.io.errors import FileError
from attnviz.io.reading import Stopped
from attnviz.io.session import open_session, save_session
from tests.io.documents import documents, large_document, selections, small_document

# One folder serves all examples: each overwrites the file of the one before.
each = settings(deadline=None, max_examples=60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("sessions")


def saved(folder, inputs, selection=None):
    path = folder / "a.attnviz"
    save_session(path, inputs, selection or Selection())
    return path


@each
@given(data=st.data())
def test_a_document_comes_back_bit_for_bit(folder, data):
    inputs = data.draw(documents())
    selection = data.draw(selections(inputs))
    opened = open_session(saved(folder, inputs, selection))
    assert opened.inputs.equals(inputs)
    assert opened.selection == selection


@settings(deadline=None, max_examples=10)
@given(inputs=documents(dims=st.sampled_from([2, 300])))
def test_arrays_too_large_for_json_come_back_bit_for_bit(folder, inputs):
    assert open_session(saved(folder, inputs)).inputs.equals(inputs)


def test_large_arrays_are_npy_members_and_small_ones_are_not(tmp_path):
    path = saved(tmp_path, large_document())
    assert open_session(path).inputs.equals(large_document())
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == [
            "session.json",
            "mask.npy",
            "head-0/q.npy",
            "head-0/k.npy",
            "head-0/v.npy",
            "head-1/q.npy",
            "head-1/k.npy",
        ]
        array = np.load(archive.open("head-0/q.npy"), allow_pickle=False)
    assert array.tobytes() == large_document().heads[0].q.tobytes()
    with zipfile.ZipFile(saved(tmp_path, small_document())) as archive:
        assert archive.namelist() == ["session.json"]


def test_v_is_k_is_one_array_again(tmp_path):
    head = open_session(saved(tmp_path, large_document())).inputs.heads[1]
    assert head.v is head.k


def test_small_numbers_are_written_in_shortest_digits(tmp_path):
    inputs = Inputs("a", "a", [Head("h", [[0.1]], [[-0.0]], [[2.5e-7]])])
    with zipfile.ZipFile(saved(tmp_path, inputs)) as archive:
        head = json.loads(archive.read("session.json"), parse_float=str)["heads"][0]
    assert (head["q"], head["k"], head["v"]) == ([["0.1"]], [["-0.0"]], [["2.5e-07"]])


def test_the_json_is_as_documented(tmp_path):
    with zipfile.ZipFile(saved(tmp_path, small_document(), Selection(0, 2, 1))) as archive:
        main = json.loads(archive.read("session.json"))
    assert main["format"] == "attnviz-session"
    assert main["version"] == 1
    assert main["tokens"] == ["a", "b", "c"]
    assert main["mask"] == {"kind": "causal"}
    assert main["mask_fill"] == "-inf"
    assert main["selection"] == {"head": 0, "query": 2, "key": 1}
    assert main["heads"][0]["q"] == [[0, 0.25], [0.5, 0.75], [1, 1.25]]


def test_the_same_document_gives_the_same_bytes(tmp_path):
    first = saved(tmp_path, large_document()).read_bytes()
    assert saved(tmp_path, large_document()).read_bytes() == first


def test_any_text_is_a_token(tmp_path):
    tokens = ["", " ", "👨‍👩‍👧", "e\u0301", "<b>", '"', "\n", "\0", "\ud800", "a" * 10_000]
    inputs = small_document(tuple(tokens))
    assert open_session(saved(tmp_path, inputs)).inputs.tokens == tuple(tokens)


def test_a_selection_beyond_the_document_is_clamped(tmp_path):
    assert open_session(saved(tmp_path, small_document(), Selection(9, 9, 9))).selection == Selection(0, 2, 2)


def test_a_failed_save_leaves_the_old_session(tmp_path, monkeypatch):
    path = saved(tmp_path, small_document())
    before = path.read_bytes()
    monkeypatch.setattr(zipfile.ZipFile, "writestr", lambda *_args, **_kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_session(path, large_document(), Selection())
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("limit", ["MAX_BYTES", "MAX_JSON_BYTES"])
def test_a_document_that_could_not_be_opened_again_is_not_saved(tmp_path, monkeypatch, limit):
    path = saved(tmp_path, small_document())
    before = path.read_bytes()
    monkeypatch.setattr(session, limit, 100)
    with pytest.raises(FileError, match="too large"):
        save_session(path, large_document(), Selection())
    assert path.read_bytes() == before


def test_the_example_of_the_documentation_opens(tmp_path, monkeypatch):
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "session-format.md").read_text("utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "session-format.md", "exec"), {})
    inputs = open_session("two-tokens.attnviz").inputs
    assert inputs.tokens == ("a", "b")
    assert inputs.heads[0].v is inputs.heads[0].k


def test_saving_tells_how_far_it_is_and_can_be_stopped(tmp_path):
    path, told = tmp_path / "mine.attnviz", []
    inputs = large_document()
    save_session(path, inputs, Selection(), watch=lambda fraction: told.append(fraction) or True)
    assert told == sorted(told)
    assert len(told) == 6  # session.json, q, k and v, and two of the linked head, less the last
    assert told[-1] <= 1
    old = path.read_bytes()
    with pytest.raises(Stopped):
        save_session(path, inputs, Selection(0, 1, 1), watch=lambda fraction: fraction < 0.5)
    assert path.read_bytes() == old
    assert list(tmp_path.glob(".attnviz-*")) == []
