"""A person works with vectors that lie in files: looks, edits, and hears of it when a file is lost."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QDialog, QTableView, QWidget

from attnviz.core import row_sources
from attnviz.core.block_arrays import BlockArray
from attnviz.core.edits import set_vector_value
from attnviz.core.inputs import Inputs
from attnviz.core.selection import Selection
from attnviz.engine.arrays import inputs_from_arrays
from attnviz.gui.import_dialog import ImportDialog
from tests.foreign_threads import start_those_of_zarr
from tests.journeys.test_long_documents import long_text

N = 3_000


def in_files(folder: Path, held: Inputs) -> Inputs:
    """Give a document with the numbers of one that is held, read from files."""
    head, arrays = held.heads[0], {}
    for which in "qkv":
        np.save(folder / f"{which}.npy", getattr(head, which))
        arrays[which] = np.load(folder / f"{which}.npy", mmap_mode="r")
    return inputs_from_arrays(**arrays, tokens=held.tokens)


@pytest.fixture
def held() -> Inputs:
    return long_text(N)


@pytest.fixture(scope="module")
def zarr():
    zarr = pytest.importorskip("zarr", reason="pip install 'attnviz[arrays]' for this test")
    start_those_of_zarr()
    return zarr


@pytest.fixture
def reader(sit_down, tmp_path, held):
    """Someone before a document whose q, k and v lie in files."""
    return sit_down(in_files(tmp_path, held), engine="cpu")


def head(person):
    return person.window.document.inputs.heads[0]


def edit(person, query: int, value: float) -> None:
    person.window.document.apply(lambda inputs: set_vector_value(inputs, 0, "q", query, 0, value))


def complete(person) -> None:
    person.until(lambda: not person.panel("weights").is_coarse())
    person.settle()


def test_a_number_of_q_is_edited_over_the_file_and_undone(reader, tmp_path, held):
    complete(reader)
    bytes_before = (tmp_path / "q.npy").read_bytes()
    query = reader.window.document.selection.query
    before = reader.window.stages.row.scores[0]
    reader.open_tab("vectors")
    reader.enter_cell("vectors/q", query, 1, "2.5")
    complete(reader)
    assert isinstance(head(reader).q, BlockArray)
    wanted = held.heads[0].q[query].copy()
    wanted[1] = 2.5
    assert np.array_equal(head(reader).q[query], wanted)
    score = float(wanted.astype(np.float64) @ held.heads[0].k[0].astype(np.float64))
    assert reader.window.stages.row.scores[0] == pytest.approx(score, abs=1e-4)
    reader.shortcut("Ctrl+Z")
    complete(reader)
    assert reader.window.stages.row.scores[0] == before
    assert np.array_equal(head(reader).q[query], held.heads[0].q[query])
    assert (tmp_path / "q.npy").read_bytes() == bytes_before


@pytest.mark.parametrize("which", ["q", "k", "v"])
def test_a_number_that_is_none_is_set_right_and_the_file_stays(sit_down, tmp_path, held, which):
    document = in_files(tmp_path, held)
    path = tmp_path / f"{which}.npy"
    numbers = np.load(path)
    wanted = numbers[2].copy()
    numbers[2, 1] = np.nan
    np.save(path, numbers)
    arrays = (np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in "qkv")
    person = sit_down(engine="cpu")
    bad = inputs_from_arrays(*arrays, tokens=document.tokens)
    person.window.document.replace(bad, Selection(0, N // 2, 0))
    person.until(lambda: f"{which} ({which}.npy) holds nan at token 2, dimension 1" in person.message())
    bytes_before = path.read_bytes()
    person.open_tab("vectors")
    table = person.control(f"vectors/{which}", QTableView).model()
    assert (table.index(2, 1).data(), table.index(2, 2).data() == "—") == ("—", False)
    person.enter_cell(f"vectors/{which}", 2, 1, "0.25")
    complete(person)
    wanted[1] = 0.25
    assert person.window.stages.request.inputs is person.window.document.inputs
    assert np.array_equal(getattr(head(person), which)[2], wanted)
    assert np.isfinite(person.window.stages.row.output).all()
    assert path.read_bytes() == bytes_before


def test_a_file_that_is_lost_is_told_of_and_the_picture_stays(reader, tmp_path):
    complete(reader)
    shown = reader.window.stages
    (tmp_path / "k.npy").unlink()
    reader.until(lambda: "“k (k.npy)” is not there any more" in reader.message())
    assert reader.window.stages is shown
    reader.open_tab("vectors")
    reader.window.document.select_query(17)
    reader.until(lambda: not reader.window.runner.is_busy)
    assert reader.window.stages is shown
    assert "“k (k.npy)” is not there any more" in reader.message()


def test_numbers_that_cannot_be_read_any_more_are_dashes(reader, tmp_path, monkeypatch):
    complete(reader)
    reader.open_tab("vectors")
    assert reader.control("q/0").isVisible()
    for which in "qkv":
        (tmp_path / f"{which}.npy").unlink()
    monkeypatch.setattr(row_sources, "_kept", row_sources._KeptBlocks())  # nothing is in memory any more
    reader.window.document.select_query(2 * N // 3)
    reader.until(lambda: "is not there any more" in reader.message())
    reader.until(lambda: not reader.window.runner.is_busy)
    for which in "qkv":
        numbers = reader.control(f"vectors/{which}", QTableView).model()
        assert numbers.index(N // 2, 1).data() == "—"
    reader.until(lambda: reader.window.findChild(QWidget, "q/0") is None)
    for tab in ("arithmetic", "shapes", "heads_to_output", "vectors"):
        reader.open_tab(tab)
    reader.click_cell("vectors/q", 2, 2)
    assert reader.window.stages is not None


def test_an_edit_beside_a_file_that_changed_is_kept_and_computed_when_it_is_back(reader, tmp_path):
    complete(reader)
    path = tmp_path / "k.npy"
    status, content = path.stat(), path.read_bytes()
    os.truncate(path, 1000)
    reader.until(lambda: "“k (k.npy)” has changed since it was opened" in reader.message())
    query = reader.window.document.selection.query
    shown = reader.window.stages
    edit(reader, query, 1.5)
    reader.until(lambda: not reader.window.runner.is_busy)
    assert head(reader).q[query, 0] == 1.5
    assert reader.window.stages is shown
    path.write_bytes(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    reader.until(lambda: reader.message() == "What was missing is there again.")
    reader.until(lambda: reader.window.stages.request.inputs is reader.window.document.inputs)
    complete(reader)
    assert reader.window.stages.row.query == query


def test_a_store_is_dropped_on_the_window_and_a_number_of_it_is_edited(sit_down, tmp_path, held, zarr):
    store = tmp_path / "text.zarr"
    group = zarr.open_group(store, mode="w")
    for which in "qkv":
        numbers = getattr(held.heads[0], which)
        group.create_array(which, data=numbers, chunks=(1000, numbers.shape[1]))
    person = sit_down(engine="cpu")
    assert person.drop_file(store) == "Drop to import arrays from “text.zarr”"
    person.until(lambda: isinstance(person.face(), ImportDialog))
    person.pick("import/how", "replace")
    person.until(lambda: f"{N} tokens" in person.face().result_text().replace("\xa0", " "))
    person.until(lambda: person.control("import/import").isEnabled())
    person.press_button("import/import")
    person.until(lambda: not isinstance(person.face(), QDialog))
    complete(person)
    assert person.message() == f"Imported {store}; undo takes it back."
    assert isinstance(head(person).k, BlockArray)
    query = person.window.document.selection.query
    person.open_tab("vectors")
    person.enter_cell("vectors/q", query, 0, "3")
    complete(person)
    wanted = held.heads[0].q[query].astype(np.float64)
    wanted[0] = 3.0
    score = float(wanted @ held.heads[0].k[0].astype(np.float64))
    assert person.window.stages.row.scores[0] == pytest.approx(score, abs=1e-4)
    person.shortcut("Ctrl+Z")
    person.shortcut("Ctrl+Z")
    person.settle()
    assert person.window.document.inputs.n_tokens < 100


def test_the_mark_of_a_store_can_be_chosen_as_a_file(sit_down, tmp_path, held, zarr):
    zarr.create_array(tmp_path / "q.zarr", data=held.heads[0].q, chunks=(1000, held.heads[0].d_k))
    person = sit_down(engine="cpu")
    person.shortcut("Ctrl+I")
    person.choose_file(tmp_path / "q.zarr" / "zarr.json")
    person.until(lambda: isinstance(person.face(), ImportDialog))
    assert "q.zarr" in person.face().windowTitle()
    person.face().reject()
