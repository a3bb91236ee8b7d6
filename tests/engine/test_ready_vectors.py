"""k and v made ready are kept while their arrays live, and no longer."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from attnviz.core import edits
from attnviz.core.request import Request
from attnviz.engine import ready_vectors
from attnviz.engine.alignment import LINE, aligned_empty
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.engine.ready_vectors import ReadyVectors
from tests.engine.documents import document


@pytest.fixture
def ready():
    return ReadyVectors(max_bytes=3 * 4 * 64 * 100)


def vectors(seed=0):
    """Give (100, 64) that does not begin a line of the cache."""
    odd = aligned_empty(101 * 64)[1 : 1 + 100 * 64].reshape(100, 64)
    odd[...] = np.random.default_rng(seed).standard_normal((100, 64))
    return odd


def test_the_same_array_is_made_ready_once(ready):
    k = vectors()
    down, values = ready.keys_down(k), ready.values(k)
    assert (down == k.T).all()
    assert down.flags.c_contiguous
    assert (values == k).all()
    assert values.ctypes.data % LINE == 0
    assert ready.keys_down(k) is down
    assert ready.values(k) is values


def test_an_equal_array_is_another(ready):
    k = vectors()
    assert ready.keys_down(k) is not ready.keys_down(k.copy())


def test_what_is_aligned_is_not_kept(ready):
    v = aligned_empty(100, 64)
    assert ready.values(v) is v
    assert ready.kept_bytes == 0


def test_the_longest_unused_goes_first(ready):
    arrays = [vectors(seed) for seed in range(4)]
    made = [ready.keys_down(array) for array in arrays[:3]]
    assert ready.keys_down(arrays[0]) is made[0]
    ready.keys_down(arrays[3])
    assert ready.kept_bytes == 3 * 4 * 64 * 100
    assert ready.keys_down(arrays[0]) is made[0]
    assert ready.keys_down(arrays[1]) is not made[1]


def test_more_than_may_be_kept_is_made_all_the_same():
    assert (ReadyVectors(max_bytes=10).keys_down(vectors()) == vectors().T).all()


def test_what_was_made_of_garbage_goes(ready):
    k, v = vectors(1), vectors(2)
    ready.keys_down(k), ready.values(v)
    del k
    ready.forget_the_gone()
    assert ready.kept_bytes == v.nbytes
    ready.close()
    assert ready.kept_bytes == 0


def test_threads_find_what_one_of_them_made(ready):
    k, found = vectors(), []
    begin = threading.Barrier(4)

    def ask():
        begin.wait()
        found.append(ready.keys_down(k))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each is found[0] for each in found)
    assert len(found) == 4


def test_an_engine_makes_vectors_ready_once_and_none_after_an_edit_are_old(monkeypatch):
    made = []

    def counted(rows, make=ready_vectors.rows_to_columns):
        made.append(rows)
        return make(rows)

    monkeypatch.setattr(ready_vectors, "rows_to_columns", counted)
    inputs = document(600, 32, seed=1)
    engine, other = NumpyEngine(2), NumpyEngine(1)
    for strength in (1.0, 0.5, 0.25):
        engine.compute(Request.whole(edits.set_scale_strength(inputs, strength)))
    assert len(made) == 1
    edited = edits.set_vector_value(edits.set_vector_value(inputs, 0, "k", 3, 0, 9.0), 0, "v", 3, 0, 9.0)
    stages, wanted = engine.compute(Request.whole(edited)), other.compute(Request.whole(edited))
    assert len(made) == 3
    assert (stages.weights.array() == wanted.weights.array()).all()
    assert (stages.row.output == wanted.row.output).all()
    del inputs
    engine.close()
    other.close()
    assert engine._ready.kept_bytes == 0
