"""Arrays that lie in files: whatever their layout, they read as the same array held in memory does."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core.array_stacks import stack_of_file
from attnviz.core.arrays import same_bits, with_block
from attnviz.core.block_arrays import BlockArray, as_blocks, row_to_show
from attnviz.core.errors import InputError
from attnviz.core.file_rows import mapped_file, rows_of_memmap
from attnviz.core.lineage import rows_between
from attnviz.core.row_sources import LostArrayError

LAYOUTS = {
    "as saved": lambda array: array,
    "some rows": lambda array: array[5:33],
    "every third row": lambda array: array[1::3],
    "backwards": lambda array: array[::-1],
    "some columns": lambda array: array[:, 1:4],
    "columns backwards": lambda array: array[:, ::-2],
    "one row for all": lambda array: np.broadcast_to(array[3], array.shape),
}
NUMBERS = ["<f4", ">f4", "<f2", "<f8", ">f8", "|i1", "<i4", "|b1"]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr("attnviz.core.row_sources.BLOCK_BYTES", 200)
    monkeypatch.setattr("attnviz.core.row_sources.KEPT_BYTES", 600)
    monkeypatch.setattr("attnviz.core.array_stacks.READ_ROWS", 2)


def saved(folder: Path, array: np.ndarray, mode: str = "r") -> np.memmap:
    path = folder / "array.npy"
    np.save(path, array)
    return np.load(path, mmap_mode=mode)


def rows_of(view: np.ndarray, name: str = "array.npy") -> BlockArray:
    mapped = mapped_file(view)
    assert mapped is not None
    return BlockArray.of(rows_of_memmap(view, mapped, name))


def numbers(rows: int, dims: int, kind: str = "<f4", seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).standard_normal((rows, dims)) * 3).astype(kind)


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_view_of_a_file_reads_as_it_does_in_memory(tmp_path, kind, order, layout):
    array = np.asarray(numbers(40, 6, kind), order=order)
    view = LAYOUTS[layout](saved(tmp_path, array))
    wanted = np.asarray(view).astype(np.float32)
    blocks = rows_of(view)
    assert blocks.shape == wanted.shape
    assert blocks.rows(0, len(wanted)).dtype == np.float32
    assert np.array_equal(blocks.rows(0, len(wanted)), wanted)
    assert np.array_equal(blocks[3:9], wanted[3:9])
    assert np.array_equal(blocks[[7, 0, 7, -1]], wanted[[7, 0, 7, -1]])
    assert np.array_equal(blocks[-2], wanted[-2])
    assert blocks[4, 2] == wanted[4, 2]
    assert np.array_equal(blocks[2:5, 1:3], wanted[2:5, 1:3])
    assert np.array_equal(np.concatenate([rows for _, rows in blocks.blocks(3, 11)]), wanted[3:11])
    assert np.array_equal(np.asarray(blocks), wanted)


def test_heads_on_any_axis_are_views_of_the_file(tmp_path):
    array = np.random.default_rng(1).standard_normal((30, 3, 4)).astype(np.float32)
    by_head = saved(tmp_path, array).transpose(1, 0, 2)
    stack = stack_of_file(by_head, "q")
    assert stack is not None
    assert stack.shape == (3, 30, 4)
    for head in range(3):
        assert np.array_equal(np.asarray(stack.head(head)), array[:, head])
        assert stack.head(head) is stack.head(head)


def test_changes_of_ones_own_that_never_reach_the_file_are_seen(tmp_path):
    array = numbers(40, 6)
    view = saved(tmp_path, array, "c")
    view[7] = 0.5
    assert np.array_equal(rows_of(view)[7], np.full(6, 0.5, np.float32))


def test_a_file_that_is_written_while_it_is_mapped_is_read_as_it_is(tmp_path):
    view = saved(tmp_path, numbers(40, 6), "r+")
    view[7] = 0.5
    assert np.array_equal(rows_of(view)[7], np.full(6, 0.5, np.float32))


def test_what_is_short_or_of_no_file_is_not_taken(tmp_path, monkeypatch):
    view = saved(tmp_path, numbers(40, 6))
    assert stack_of_file(view + 1, "q") is None
    assert stack_of_file(np.array(view), "q") is None
    assert stack_of_file(view[0], "q") is None
    monkeypatch.setattr("attnviz.core.array_stacks.READ_ROWS", 40)
    assert stack_of_file(view, "q") is None


def test_texts_and_complex_numbers_are_refused(tmp_path):
    view = saved(tmp_path, np.zeros((40, 6), np.complex64))
    with pytest.raises(InputError, match="q holds complex64, not numbers"):
        stack_of_file(view, "q")


@pytest.mark.parametrize(("value", "shown"), [(np.nan, "nan"), (np.inf, "inf"), (2e6, "2000000.0")])
def test_a_number_that_cannot_be_taken_is_named_when_it_is_met(tmp_path, value, shown):
    array = numbers(40, 6)
    array[33, 4] = value
    blocks = rows_of(saved(tmp_path, array), "k.npy")
    blocks.rows(0, 10)
    with pytest.raises(InputError, match=f"k.npy holds {shown} at token 33, dimension 4"):
        blocks.rows(30, 40)
    assert np.isnan(row_to_show(blocks, 33)).tolist() == [dim == 4 for dim in range(6)]
    assert np.array_equal(blocks.rows(34, 40), array[34:])  # only who asks for the row is refused


class TestANumberThatCannotBeTaken:
    @pytest.fixture
    def array(self):
        array = numbers(40, 6)
        array[33, 4], array[33, 5], array[12, 0] = np.nan, np.inf, -np.inf
        return array

    @pytest.fixture
    def blocks(self, tmp_path, array):
        return rows_of(saved(tmp_path, array), "k.npy")

    def mended(self, blocks, *places):
        for row, dim in places:
            blocks = with_block(blocks, row, dim, np.full((1, 1), 0.5, np.float32))
        return blocks

    def test_is_set_right_over_the_file_which_stays(self, blocks, array, tmp_path):
        before = (tmp_path / "array.npy").read_bytes()
        healed = self.mended(blocks, (33, 4), (33, 5), (12, 0))
        array[33, 4:], array[12, 0] = 0.5, 0.5
        assert np.array_equal(np.asarray(healed), array)
        assert np.array_equal(healed.take(np.array([33, 12, 1])), array[[33, 12, 1]])
        assert (tmp_path / "array.npy").read_bytes() == before

    def test_beside_another_is_kept_and_the_other_is_named_by_its_place(self, blocks):
        half = self.mended(blocks, (33, 4))
        assert row_to_show(half, 33)[4] == 0.5
        with pytest.raises(InputError, match=r"k\.npy holds inf at token 33, dimension 5"):
            half.rows(33, 34)
        assert half.rows(32, 33).shape == (1, 6)

    def test_is_there_again_after_undo(self, blocks):
        healed = self.mended(blocks, (12, 0))
        assert not healed.equals(blocks)
        with pytest.raises(InputError, match=r"k\.npy holds -inf at token 12, dimension 0"):
            blocks.rows(0, 40)

    def test_is_cut_off_with_its_dimension(self, blocks, array):
        narrow = self.mended(blocks, (12, 0)).resized(4)
        array[12, 0] = 0.5
        assert np.array_equal(np.asarray(narrow), array[:, :4])


class TestAFileThatIsNoLongerWhatItWas:
    @pytest.fixture
    def blocks(self, tmp_path):
        return rows_of(saved(tmp_path, numbers(400, 6)))

    @pytest.fixture
    def path(self, tmp_path, blocks):
        return tmp_path / "array.npy"

    def test_that_vanished_says_so_and_comes_back(self, blocks, path):
        wanted = blocks[5].copy()
        aside = path.with_suffix(".aside")
        path.rename(aside)
        for look in (blocks.check, lambda: blocks[300]):
            with pytest.raises(LostArrayError, match=r"“array\.npy” is not there any more; the"):
                look()
        assert np.isnan(row_to_show(blocks, 300)).all()
        aside.rename(path)
        blocks.check()
        assert np.array_equal(blocks[5], wanted)

    def test_that_was_cut_off_ends_nothing(self, blocks, path):
        os.truncate(path, 200)
        for look in (blocks.check, lambda: blocks[300]):
            with pytest.raises(LostArrayError, match=r"“array\.npy” has changed since it was opened"):
                look()

    def test_that_was_written_over_says_so(self, blocks, path):
        written = path.stat().st_mtime_ns
        np.save(path, numbers(400, 6, seed=1))
        os.utime(path, ns=(written + 10**9, written + 10**9))
        with pytest.raises(LostArrayError, match="has changed since it was opened"):
            blocks[300]

    def test_that_was_replaced_says_so_although_size_and_time_are_the_same(self, blocks, path):
        status = path.stat()
        other = path.with_suffix(".other")
        with other.open("wb") as file:
            np.save(file, numbers(400, 6, seed=1))
        os.utime(other, ns=(status.st_mtime_ns, status.st_mtime_ns))
        other.replace(path)
        with pytest.raises(LostArrayError, match="has changed since it was opened"):
            blocks.check()

    def test_that_became_a_folder_says_so(self, blocks, path):
        path.unlink()
        path.mkdir()
        with pytest.raises(LostArrayError):
            blocks[300]

    def test_that_nobody_may_read_any_more_says_so(self, blocks, monkeypatch):
        def refuse(*arguments, **options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(LostArrayError, match="cannot be read any more \\(Permission denied\\)"):
            blocks[300]


def test_only_some_blocks_are_kept(tmp_path, monkeypatch):
    from attnviz.core import row_sources

    blocks = rows_of(saved(tmp_path, numbers(4000, 6)))
    for first, _ in blocks.blocks():
        blocks.rows(first, first + 1)
    assert row_sources._kept._nbytes <= 600
    before = row_sources._kept._nbytes
    assert before > 0
    del blocks
    assert row_sources._kept._nbytes < before  # with the array its blocks go


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_edits_laid_over_a_file_are_edits_of_the_array(tmp_path_factory, data):
    array = numbers(30, 4)
    blocks = rows_of(saved(tmp_path_factory.mktemp("file"), array))
    held = array.copy()
    for _ in range(data.draw(st.integers(1, 8))):
        kind = data.draw(st.sampled_from(["block", "rows", "carry", "dims"]))
        before, old = blocks, held.copy()
        if kind == "block":
            row, column = (
                data.draw(st.integers(0, len(held) - 1)),
                data.draw(st.integers(0, held.shape[1] - 1)),
            )
            count = data.draw(st.integers(1, len(held) - row))
            value = np.full((count, held.shape[1] - column), data.draw(st.integers(-3, 3)), np.float32)
            blocks = as_blocks(with_block(blocks, row, column, value))
            held[row : row + count, column:] = value
        elif kind == "rows":
            places = np.array(sorted(data.draw(st.sets(st.integers(0, len(held) - 1), min_size=1))))
            lines = numbers(len(places), held.shape[1], seed=data.draw(st.integers(0, 99)))
            blocks = blocks.with_rows(places, lines)
            held[places] = lines
        elif kind == "carry":
            kept = data.draw(st.lists(st.none() | st.integers(0, len(held) - 1), min_size=1, max_size=40))
            blocks = blocks.carried(np.array([-1 if old is None else old for old in kept], np.intp))
            held = np.stack(
                [np.zeros(held.shape[1], np.float32) if old is None else held[old] for old in kept]
            )
        else:
            dims = data.draw(st.integers(1, 6))
            blocks = blocks.resized(dims)
            held = np.pad(held, ((0, 0), (0, dims)))[:, :dims]
        assert np.array_equal(np.asarray(before), old)  # edits never change what was there
        if blocks.shape == before.shape:
            differs = np.zeros(len(held), bool)
            for first, last in blocks.may_differ(before):
                differs[first:last] = True
            assert differs[(old != held).any(axis=1)].all()
            assert same_bits(blocks, before) == np.array_equal(old, held)
            noted = rows_between(before, blocks)
            assert noted is None or set(np.flatnonzero((old != held).any(axis=1))) <= set(noted.tolist())
    assert blocks.shape == held.shape
    assert np.array_equal(np.asarray(blocks), held)
    places = np.array(data.draw(st.lists(st.integers(0, len(held) - 1), max_size=9)), np.intp)
    assert np.array_equal(blocks[places], held[places])


def test_many_edits_of_one_row_hold_one_row(tmp_path):
    blocks = rows_of(saved(tmp_path, numbers(4000, 6)))
    for step in range(100):
        blocks = with_block(blocks, 77, 0, np.full((1, 6), step, np.float32))
    assert blocks.held_bytes == 24


def test_all_of_an_array_is_read_only_where_it_fits_into_memory(tmp_path, monkeypatch):
    blocks = rows_of(saved(tmp_path, numbers(400, 6)))
    monkeypatch.setattr("attnviz.core.memory.free_bytes", lambda: 9_599)
    with pytest.raises(InputError, match="would take 9,600 bytes of memory, and 9,599 are free"):
        np.asarray(blocks)


def test_arithmetic_does_not_read_everything_unseen(tmp_path):
    blocks = rows_of(saved(tmp_path, numbers(40, 6)))
    for sum_up in (lambda: blocks + 1, lambda: np.ones(6) @ blocks, lambda: np.exp(blocks)):
        with pytest.raises(TypeError):
            sum_up()
