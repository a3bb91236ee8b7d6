"""Memory that is used again holds beyond its seen columns what it is said to hold."""

from __future__ import annotations

import math
import random
import threading

import numpy as np
import pytest

from attnviz.core import edits, mask_edits
from attnviz.core.request import Request
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.buffers import Buffers
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import document

SHAPE = (128, 512)
HIDDEN, NOTHING = np.float32(-math.inf), np.float32(0)


@pytest.fixture
def buffers():
    buffers = Buffers()
    buffers.resize(*SHAPE)
    return buffers


def bits(array):
    return array.view(np.int32)


def written(buffers, first, fill, shape=SHAPE):
    """Take lined memory, write to the columns that may be written to, and give its place."""
    array = buffers.lined(shape, first, fill)
    assert array.shape == shape
    assert (bits(array[:, first:]) == fill.view(np.int32)).all()
    array[:, :first] = 7
    return array.ctypes.data


def test_memory_that_holds_the_number_already_is_taken_first(buffers):
    kept = [buffers.lined(SHAPE, 128, HIDDEN), buffers.lined(SHAPE, 256, HIDDEN), buffers.empty(*SHAPE)]
    places = [array.ctypes.data for array in kept]
    del kept
    assert written(buffers, 256, HIDDEN) == places[1]
    assert written(buffers, 128, HIDDEN) == places[0]
    assert buffers.empty(*SHAPE).ctypes.data == places[2]


@pytest.mark.parametrize(
    ("first", "fill", "shape"),
    [
        (256, HIDDEN, SHAPE),
        (128, NOTHING, SHAPE),
        (128, np.float32(-0.0), SHAPE),
        (0, HIDDEN, SHAPE),
        (512, HIDDEN, SHAPE),
        (128, HIDDEN, (100, 512)),
        (128, HIDDEN, (128, 500)),
    ],
)
def test_memory_of_another_lining_is_lined_anew_and_no_more_is_taken(buffers, first, fill, shape):
    place = written(buffers, 128, HIDDEN)
    for _ in range(2):
        assert written(buffers, first, fill, shape) == place
    assert written(buffers, 128, HIDDEN) == place


def test_memory_that_was_written_throughout_has_no_lining(buffers):
    place = written(buffers, 128, HIDDEN)
    whole = buffers.empty(*SHAPE)
    assert whole.ctypes.data == place
    whole[...] = 5
    del whole
    assert written(buffers, 128, HIDDEN) == place


def test_many_linings_leave_no_list_behind(buffers):
    for step in range(300):
        written(buffers, 128, np.float32(-step))
    assert len(buffers._idle) <= 2
    assert buffers.idle_bytes == 128 * 512 * 4


def test_threads_never_share_memory_and_find_their_lining(buffers):
    failed = []

    def work(seed):
        chosen = random.Random(seed)
        held = []
        for step in range(400):
            first, fill = chosen.choice([0, 128, 256, 512]), chosen.choice([HIDDEN, NOTHING])
            array = buffers.lined(SHAPE, first, fill)
            if not (array[:, first:] == fill).all():
                failed.append((seed, step))
            array[:, :first] = seed
            held = [*held, (array, first)][-3:]
            if any((array[:, :first] != seed).any() for array, first in held):
                failed.append((seed, step))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_used_memory_gives_what_fresh_memory_gives():
    """Masks, fills and edits in turn, so that all memory has held something else before."""
    inputs = document(400, 8, seed=3)
    changes = [
        lambda i: edits.set_vector_value(i, 0, "q", 200, 0, 2.5),
        lambda i: edits.set_mask_fill(i, -1e9),
        lambda i: edits.set_mask(i, document(400, mask="holes").mask),
        lambda i: edits.set_mask_fill(i, -math.inf),
        lambda i: edits.set_vector_value(i, 0, "k", 3, 0, -1.5),
        lambda i: edits.set_mask(i, document(400, mask="none").mask),
        lambda i: mask_edits.toggle_cell(i, 5, 3),
        lambda i: edits.set_mask(i, document(400, mask="causal last").mask),
        lambda i: edits.set_scale_strength(i, 0.5 if i.scale_strength == 1 else 1.0),
        lambda i: edits.set_mask(i, document(400, mask="causal").mask),
    ]
    steps = [inputs]
    for change in changes * 2:
        steps.append(change(steps[-1]))
    used = NumpyEngine(2)
    earlier = used.compute(Request.whole(steps[0]))
    for step, after in enumerate(steps[1:]):
        request, hides = Request.whole(after), after.mask_fill == -math.inf
        whole, edited = used.compute(request), used.compute(request, earlier)
        fresh = NumpyEngine(2)
        wanted = fresh.compute(request)
        for stage in STAGE_NAMES:
            expected = wanted.picture(stage).array()
            assert (bits(whole.picture(stage).array()) == bits(expected)).all(), (step, stage)
            other = edited.picture(stage).array()
            np.testing.assert_allclose(other, expected, rtol=1e-5, atol=1e-5)
            if stage == "masked" or (stage == "weights" and hides):
                assert (bits(other) == bits(expected))[~after.allowed()].all(), (step, stage)
        fresh.close()
        earlier = edited
    used.close()
