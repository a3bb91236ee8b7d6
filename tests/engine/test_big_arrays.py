"""Arrays bigger than memory: what is computed from where they lie is what the definition says of them."""

from __future__ import annotations

import math
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import attnviz
from attnviz.core.array_stacks import ArrayStack
from attnviz.core.block_arrays import BlockArray
from attnviz.core.errors import InputError
from attnviz.core.inputs import Inputs
from attnviz.core.request import HEAD_OUTPUTS, THUMBNAILS, Region, Request
from attnviz.core.row_sources import LostArrayError
from attnviz.core.selection import Selection
from attnviz.core.steps import Step
from attnviz.engine.arrays import inputs_from_arrays
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.io.array_files import read_arrays
from attnviz.io.autosave import Note
from attnviz.io.autosave_folder import create
from attnviz.io.errors import FileError
from attnviz.io.session import open_session, save_session
from tests.engine.documents import document
from tests.engine.long_documents import MASKS, Truth, any_mask, assert_cells, assert_true, true_answers
from tests.engine.random_edits import random_edit

FILLS = [-math.inf, 0.5]


@pytest.fixture
def everything_is_small(small_limits, monkeypatch):
    """Blocks, jobs and limits of a few tokens."""
    monkeypatch.setattr("attnviz.core.array_stacks.READ_ROWS", 20)
    monkeypatch.setattr("attnviz.core.row_sources.BLOCK_BYTES", 160)
    monkeypatch.setattr("attnviz.core.row_sources.KEPT_BYTES", 1000)
    monkeypatch.setattr("attnviz.engine.head_memory.KEPT_BYTES", 1000)


@pytest.fixture
def engine():
    engine = NumpyEngine(2)
    yield engine
    engine.close()


def mapped(folder: Path, held: Inputs) -> Inputs:
    """Give a document whose q, k and v are read from files, with the numbers of one that is held."""
    arrays = {}
    for which in "qkv":
        path = folder / f"{which}.npy"
        np.save(path, np.stack([getattr(head, which) for head in held.heads]))
        arrays[which] = np.load(path, mmap_mode="r")
    given_ = inputs_from_arrays(**arrays, tokens=held.tokens, key_tokens=held.key_tokens)
    return replace(
        given_, text=held.text, mask=held.mask, mask_fill=held.mask_fill, scale_strength=held.scale_strength
    )


def whole(inputs, query=0, head=0, max_cells=(7, 6), **options):
    region = Region(head, (0, inputs.n_query), (0, inputs.n_key), max_cells)
    return Request(inputs, query, region, **options)


@pytest.mark.parametrize("mask", [*MASKS, "holes"])
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize(("n_query", "n_key"), [(50, 50), (37, 61), (5, 61), (61, 5)])
def test_answers_from_files_are_what_the_definition_says(
    everything_is_small, tmp_path, engine, mask, fill, n_query, n_key
):
    held = document(n_query, 4, 3, n_key=n_key, mask=any_mask(mask, n_query, n_key), mask_fill=fill)
    inputs = mapped(tmp_path, held)
    assert isinstance(inputs.heads[0].k, BlockArray) == (n_key > 20)
    for stages, truth in true_answers(engine, inputs, held):
        assert_cells(stages, truth)


def test_an_answer_from_a_file_has_the_bits_of_one_from_memory(everything_is_small, tmp_path, engine):
    held = document(60, 4, 3, n_heads=2)
    inputs = mapped(tmp_path, held)
    extras = frozenset([HEAD_OUTPUTS, THUMBNAILS])
    other = NumpyEngine(1)
    mine, theirs = engine.compute(whole(inputs, extras=extras)), other.compute(whole(held, extras=extras))
    other.close()
    for stage in ("scores", "weights"):
        assert np.array_equal(mine.picture(stage).array(), theirs.picture(stage).array())
    for head in (0, 1):
        assert np.allclose(mine.head_outputs[head], theirs.head_outputs[head], rtol=1e-5, atol=1e-6)
        assert np.array_equal(mine.thumbnails[head].picture, theirs.thumbnails[head].picture)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_everything_can_be_edited_undone_and_redone(everything_is_small, tmp_path_factory, data):
    held = document(40, 3, 3, n_heads=2, n_key=data.draw(st.sampled_from([None, 30])))
    inputs = mapped(tmp_path_factory.mktemp("files"), held)
    steps: list[Step] = []
    engine = NumpyEngine(1)
    past = [inputs]
    for _ in range(data.draw(st.integers(1, 6))):
        seed = data.draw(st.integers(0, 10**6))
        drawn: list = []

        def draw(strategy, drawn=drawn):
            drawn.append(data.draw(strategy))
            return drawn[-1]

        after = random_edit(inputs, draw)
        again = iter(drawn)
        held = random_edit(held, lambda strategy, again=again: next(again))
        steps.append(Step.between(inputs, after))
        inputs = after
        past.append(inputs)
        assert_true(engine.compute(whole(inputs, seed % inputs.n_query)), Truth(held, 0))
        for mine, theirs in zip(inputs.heads, held.heads, strict=True):
            for which in "qkv":
                assert np.array_equal(np.asarray(getattr(mine, which)), getattr(theirs, which))
    for step, before in zip(reversed(steps), reversed(past[:-1]), strict=True):
        inputs = step.undone(inputs)
        assert inputs.equals(before)
    for step in steps:
        inputs = step.redone(inputs)
    assert inputs.equals(past[-1])
    engine.close()


def test_a_step_of_undo_holds_the_changed_row_and_not_the_file(tmp_path):
    inputs = mapped(tmp_path, document(4096, 8))
    changed = attnviz_edit(inputs, 3000)
    step = Step.between(inputs, changed)
    assert step.nbytes < 3000
    assert isinstance(changed.heads[0].q, BlockArray)
    assert np.array_equal(changed.heads[0].q[3000], np.full(8, 2.0))


def attnviz_edit(inputs: Inputs, token: int) -> Inputs:
    from attnviz.core import edits

    return edits.set_vector_block(inputs, 0, "q", token, 0, [[2.0] * inputs.heads[0].d_k])


def test_a_file_of_half_as_much_again_as_memory_is_computed_within_it(tmp_path, monkeypatch):
    n, d = 12288, 256
    monkeypatch.setattr("attnviz.core.row_sources.KEPT_BYTES", 2 << 20)
    monkeypatch.setattr("attnviz.engine.head_memory.KEPT_BYTES", 2 << 20)
    arrays = {}
    for which in "qkv":
        path = tmp_path / f"{which}.npy"
        array = np.lib.format.open_memmap(path, "w+", np.float32, (n, d))
        for first in range(0, n, 512):
            array[first : first + 512] = np.random.default_rng(first).standard_normal((512, d)) / 4
        array.flush()
        arrays[which] = np.load(path, mmap_mode="r")
    total = sum(array.nbytes for array in arrays.values())
    bound = total * 2 // 3
    engine = NumpyEngine(2)
    tracemalloc.start()
    try:
        inputs = inputs_from_arrays(**arrays)
        region = Region(0, (0, n), (0, n), (64, 64))
        stages = engine.compute(Request(attnviz_edit(inputs, 7), 7, region))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        engine.close()
    assert not stages.is_coarse
    assert most < bound, (most, bound)
    key = int(stages.row.weights.argmax())
    products = arrays["k"][: 7 + 1].astype(np.float64) @ np.full(d, 2.0)
    assert key == int(products.argmax())


def test_a_file_that_changes_while_it_is_computed_ends_in_a_sentence(everything_is_small, tmp_path, engine):
    inputs = mapped(tmp_path, document(60, 4))
    told = []

    def progress(fraction, partial=None):
        if not told:
            os.truncate(tmp_path / "k.npy", 200)
        told.append(fraction)
        return True

    with pytest.raises(LostArrayError, match=r"“k, head 0 \(k\.npy\)” has changed since it was opened"):
        engine.compute(whole(inputs), progress=progress)
    with pytest.raises(LostArrayError):
        engine.compute(whole(inputs))


def test_what_is_known_already_is_not_told_of_a_file_that_is_gone(everything_is_small, tmp_path, engine):
    inputs = mapped(tmp_path, document(60, 4))
    engine.compute(whole(inputs))
    (tmp_path / "v.npy").unlink()
    with pytest.raises(LostArrayError, match=r"“v, head 0 \(v\.npy\)” is not there any more"):
        engine.compute(whole(inputs))


def test_numbers_that_cannot_be_taken_are_named_when_they_are_met(everything_is_small, tmp_path, engine):
    held = document(60, 4, mask="none")
    np.save(tmp_path / "k.npy", np.where(np.arange(60)[:, None] == 44, np.nan, held.heads[0].k))
    k = np.load(tmp_path / "k.npy", mmap_mode="r")
    inputs = inputs_from_arrays(held.heads[0].q, k, held.heads[0].v)
    with pytest.raises(InputError, match=r"k \(k\.npy\) holds nan at token 44, dimension 0"):
        engine.compute(whole(inputs))


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        ({"k": (4096, 5)}, "q has 4 dimensions and k has 5 (axis 1); both need the same d_k."),
        ({"v": (4095, 4)}, "k has 4096 keys and v has 4095 (axis 0); both need one row per key."),
        ({"v": (2, 4096, 4)}, "q has shape (4096, 4) and v has shape (2, 4096, 4)"),
        ({"q": (1, 1, 4096, 4)}, "q has shape (1, 1, 4096, 4); (n_heads, n, d) or (n, d) is wanted."),
        ({"q": (4096, 5000), "k": (4096, 5000)}, "q (q) has 5000 dimensions; at most 4096 are possible."),
    ],
)
def test_shapes_that_do_not_fit_are_refused_with_both_numbers(tmp_path, shapes, sentence):
    arrays = {}
    for which in "qkv":
        arrays[which] = np.memmap(tmp_path / which, np.float32, "w+", shape=shapes.get(which, (4096, 4)))
    with pytest.raises(InputError) as refusal:
        inputs_from_arrays(**arrays)
    assert sentence in str(refusal.value)


def test_squares_that_do_not_fit_into_memory_are_refused_with_both_numbers(tmp_path):
    big = np.memmap(tmp_path / "q", np.float16, "w+", shape=(1_048_576, 64))
    sentence = r"would take 17,5\d\d,\d{3},\d{3},\d{3} bytes of memory, and [\d,]+ are free"
    with pytest.raises(InputError, match=sentence):
        attnviz.compute(big, big, big)


def test_stages_of_files_are_those_of_arrays(everything_is_small, tmp_path, monkeypatch):
    monkeypatch.setattr("attnviz.engine.arrays.DENSE_TOKENS", 20)
    held = document(50, 4, 3, n_heads=2)
    arrays = {which: np.stack([getattr(head, which) for head in held.heads]) for which in "qkv"}
    mapped(tmp_path, held)
    files = {which: np.load(tmp_path / f"{which}.npy", mmap_mode="r") for which in "qkv"}
    mine, theirs = attnviz.compute(**files), attnviz.compute(**arrays)
    for name in ("scores", "weights", "head_output"):
        assert np.allclose(getattr(mine, name), getattr(theirs, name), rtol=1e-5, atol=1e-6)


def test_a_session_is_a_copy_of_what_lies_in_files(everything_is_small, tmp_path):
    held = document(60, 4, 3, n_heads=2)
    inputs = attnviz_edit(mapped(tmp_path, held), 8)
    path = tmp_path / "copy.attnviz"
    save_session(path, inputs, Selection())
    for which in "qkv":
        (tmp_path / f"{which}.npy").unlink()
    opened = open_session(path).inputs
    assert opened.equals(attnviz_edit(held, 8))
    with pytest.raises(LostArrayError):
        save_session(path, inputs, Selection())
    assert open_session(path).inputs.equals(opened)


def test_what_lies_elsewhere_is_not_copied_for_recovery_where_it_is_much(
    everything_is_small, tmp_path, monkeypatch
):
    inputs = mapped(tmp_path, document(60, 4))
    autosave = create(tmp_path / "kept")
    autosave.write(inputs, Selection(), Note("", None))
    monkeypatch.setattr("attnviz.io.autosave.MAX_COPIED_BYTES", 1000)
    with pytest.raises(FileError, match="q, k and v lie elsewhere, and 0 MB would be copied"):
        autosave.write(inputs, Selection(), Note("", None))
    autosave.remove()


def test_a_large_npy_file_is_imported_where_it_lies(everything_is_small, tmp_path, monkeypatch):
    mapped(tmp_path, document(60, 4, 3, n_heads=2))
    assert isinstance(read_arrays(tmp_path / "q.npy").arrays[0].array, np.ndarray)
    monkeypatch.setattr("attnviz.io.array_files.MAX_HELD_BYTES", 1000)
    (found,) = read_arrays(tmp_path / "q.npy").arrays
    assert found.shape == (2, 60, 4)
    assert isinstance(found.array, ArrayStack)
    np.save(tmp_path / "k.npy", np.ones((300, 4)))
    assert isinstance(read_arrays(tmp_path / "k.npy").arrays[0].array, BlockArray)
