"""Memory is used again once nobody holds what lay in it, and never before; what is written there is right."""

from __future__ import annotations

import gc
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import lineage, used_memory
from attnviz.core.arrays import checked_vectors, with_block, with_rows
from attnviz.core.used_memory import copy_for

SHAPE = (300, 20)


@pytest.fixture(autouse=True)
def _every_array_is_large(monkeypatch):
    monkeypatch.setattr(used_memory, "_LARGE", 1)
    gc.collect()
    used_memory._spare.clear()
    yield
    used_memory._spare.clear()


def table(seed: int = 0):
    return checked_vectors(np.random.default_rng(seed).standard_normal(SHAPE), "q")


def edited(array, row: int, value: float):
    return with_block(array, row, 3, np.float32([[value]]))


def place(array) -> int:
    return array.__array_interface__["data"][0]


def test_a_drag_uses_the_memory_of_what_nobody_holds_any_more():
    now, places = table(), set()
    for step in range(20):
        now = edited(now, 7, step + 100)
        places.add(place(now))
    assert len(places) <= 3


@pytest.mark.parametrize(
    "view", [lambda array: array, lambda array: array[5:9], lambda array: array.T[2][:5]]
)
def test_what_anybody_holds_keeps_its_numbers(view):
    held, kept = [], []
    now = table()
    for step in range(12):
        now = edited(now, step, step + 100)
        held.append(view(now))
        kept.append(held[-1].copy())
    for mine, wanted in zip(held, kept, strict=True):
        assert np.array_equal(mine, wanted)
    assert len({place(each) for each in held}) == 12


class Foreign:
    """What another library makes of an array: it knows the memory, and keeps the array for that."""

    def __init__(self, array) -> None:
        self.array, self.__array_interface__ = array, array.__array_interface__


@pytest.mark.parametrize(
    "hold",
    [
        memoryview,
        lambda array: memoryview(array).cast("B")[7:9],
        lambda array: np.frombuffer(array, np.float32),
        lambda array: array.view(np.uint8)[3],
        lambda array: array.reshape(-1)[5:].reshape(-1, 5),
        lambda array: array.flat,
        lambda array: array.ctypes,
        lambda array: np.lib.stride_tricks.as_strided(array, (10,), (4,)),
        lambda array: np.broadcast_to(array, (2, *SHAPE)),
        lambda array: np.from_dlpack(array),
        lambda array: np.asarray(Foreign(array)),
        pickle.PickleBuffer,
    ],
)
def test_whoever_could_still_read_the_memory_keeps_it(hold):
    now = edited(table(), 7, 100.0)
    where = place(now)
    held = hold(now)
    del now
    gc.collect()
    assert not used_memory._spare
    del held
    gc.collect()
    assert [place(room.memory) for room in used_memory._spare] == [where]


def test_a_copy_is_as_read_only_as_any_other():
    now = edited(edited(table(), 1, 9.0), 2, 9.0)
    assert not now.flags.writeable
    assert now.flags.c_contiguous
    assert checked_vectors(now, "q") is now
    with pytest.raises(ValueError, match="read-only"):
        now[0, 0] = 1
    for view in (now, now[5:]):
        with pytest.raises(ValueError, match="cannot set WRITEABLE"):
            view.flags.writeable = True


def test_only_rows_changed_since_are_copied():
    first = table()
    now = edited(first, 7, 100.0)
    gone = place(now)
    del now
    used_memory._spare[0].memory[200] = -1  # spoilt, to see that it is not copied
    again = edited(first, 9, 100.0)
    assert place(again) == gone
    assert (again[200] == -1).all()
    assert np.array_equal(np.delete(again, (9, 200), 0), np.delete(first, (9, 200), 0))


def test_memory_of_an_unknown_origin_is_copied_whole(monkeypatch):
    now = edited(table(), 7, 100.0)
    del now
    other = table(1)
    changed = edited(other, 9, 100.0)
    assert np.array_equal(np.delete(changed, 9, 0), np.delete(other, 9, 0))
    monkeypatch.setattr(lineage, "_FARTHEST", 1)
    for step in range(6):
        changed = edited(changed, step, 50.0)
    assert (changed[:6, 3] == 50).all()
    assert np.array_equal(np.delete(changed, [*range(6), 9], 0), np.delete(other, [*range(6), 9], 0))


def test_little_is_kept_for_later_and_nothing_that_is_very_large(monkeypatch):
    many = [edited(table(), row, 9.0) for row in range(6)]
    many.clear()
    assert len(used_memory._spare) == used_memory._MOST_SPARE
    used_memory._spare.clear()
    monkeypatch.setattr(used_memory, "_MOST_BYTES", 1000)
    edited(table(), 1, 9.0)
    assert not used_memory._spare


def test_a_copy_that_was_never_finished_spoils_nothing():
    first = table()
    with pytest.raises(ValueError, match="could not be broadcast"):
        with_rows(first, np.array([4]), np.zeros((2, 20), np.float32))
    half = copy_for(first, np.array([4, 5]))
    half[4] = 77
    del half
    assert np.array_equal(np.delete(edited(first, 8, 1.0), 8, 0), np.delete(first, 8, 0))


@given(steps=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 39), st.booleans()), max_size=40))
def test_whatever_is_edited_held_and_dropped_every_array_is_what_plain_copies_give(steps):
    rng = np.random.default_rng(0)
    held = {slot: checked_vectors(rng.standard_normal((40, 4)), "q") for slot in range(2)}
    plain = {slot: array.copy() for slot, array in held.items()}
    for step, (slot, row, whole) in enumerate(steps):
        origin = slot % 2 if slot not in held else slot
        block = np.full((1, 4 if whole else 1), step + 10.0, np.float32)
        target = (slot * 7 + row) % 6
        wanted = plain[origin].copy()
        wanted[row, : block.shape[1]] = block
        held[target], plain[target] = with_block(held[origin], row, 0, block), wanted
        for key, array in held.items():
            assert np.array_equal(array, plain[key])


def test_threads_share_the_memory_without_ever_seeing_each_others_numbers():
    start, wrong = table(), []

    def work(seed: int) -> None:
        now, wanted = start, start.copy()
        for step in range(200):
            row = (seed + step * 7) % SHAPE[0]
            wanted[row, 3] = seed * 1000 + step
            now = edited(now, row, seed * 1000 + step)
            if not np.array_equal(now, wanted):
                wrong.append((seed, step))

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong
