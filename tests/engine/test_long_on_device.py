"""Long documents on the CUDA engine: the rules of the CPU's walks, and what is launched, sent and kept."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.inputs import Inputs
from attnviz.core.request import HEAD_OUTPUTS, OUTPUT, SUMMARIES, THUMBNAILS, Region, Request
from attnviz.core.stage_lines import PARTS
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.arrays import inputs_from_arrays
from attnviz.engine.base import Engine
from attnviz.engine.cuda_errors import DeviceFull
from attnviz.engine.device_memory import DeviceMemory
from attnviz.engine.self_test import find_wrong_walk
from attnviz.engine.stage_kernels import long_kernel
from tests.engine.documents import document
from tests.engine.long_documents import Truth, any_mask, assert_answers_are_true, assert_cells, assert_true
from tests.engine.random_edits import random_edit
from tests.engine.test_long import ALL_MASKS, drawn_request, whole
from tests.engine.test_long_summaries import assert_right

pytestmark = pytest.mark.emulated

INF = math.inf


@pytest.fixture(scope="module")
def made_before():
    """One engine for all tests, so that each finds on the device what others left; it tests itself first."""
    from attnviz.engine.cuda_engine import CudaEngine

    engine = CudaEngine()
    yield engine
    engine.close()


@pytest.fixture
def engine(made_before, small_limits, monkeypatch) -> Engine:
    """Blocks, jobs, slices and limits of a few tokens."""
    monkeypatch.setattr("attnviz.engine.key_slices.SHORTEST", 8)
    monkeypatch.setattr("attnviz.engine.key_slices.LONGEST", 16)
    monkeypatch.setattr("attnviz.engine.device_walks.MIXED_CELLS", 200)
    return made_before


@pytest.fixture
def nothing_at_once(monkeypatch):
    monkeypatch.setattr("attnviz.engine.long_engine.AT_ONCE", 0)


class Watched:
    """Notes what is launched, sent and fetched from its making on."""

    def __init__(self, engine, monkeypatch) -> None:
        self._rooms, self.launched = engine._rooms, []
        kernels = self._rooms.walks._kernels._kernels
        launch = kernels.launch

        def noting(name, stream, work, *rest):
            self.launched.append((name, work))
            launch(name, stream, work, *rest)

        monkeypatch.setattr(kernels, "launch", noting)
        self._up, self._down = self._rooms.uploads.copied_bytes, self._rooms.downloads.copied_bytes

    @property
    def sent(self) -> int:
        return self._rooms.uploads.copied_bytes - self._up

    @property
    def fetched(self) -> int:
        return self._rooms.downloads.copied_bytes - self._down


@pytest.mark.parametrize("mask", ALL_MASKS)
@pytest.mark.parametrize(("n_query", "n_key", "fill"), [(37, 61, -INF), (61, 37, -1.0)])
def test_every_picture_is_what_the_definition_says(engine, mask, fill, n_query, n_key):
    inputs = document(n_query, 4, 3, n_key=n_key, mask=any_mask(mask, n_query, n_key), mask_fill=fill)
    truth = Truth(inputs, 0)
    first, last = n_query // 3, n_query - 4
    for region in (
        Region(0, (0, n_query), (0, n_key), (7, 6)),
        Region(0, (first, last), (n_key // 5, n_key), (50, 9)),
        Region(0, (first, last), (n_key // 5, n_key), (100, 100)),
        Region(0, (0, n_query), (0, n_key), (9, 2), "mean"),
    ):
        stages = engine.compute(Request(inputs, n_query // 2, region))
        assert stages.engine == engine.name
        assert stages.engine_note is None
        assert not stages.is_coarse
        assert_true(stages, truth)
    assert_cells(stages, truth)


@pytest.mark.parametrize("spread", [0.0, 1.0, 30.0, 1e5])
@pytest.mark.parametrize("fill", [-INF, 0.5])
def test_scores_of_any_size_are_exact(engine, spread, fill):
    for d_k, strength in ((1, 0.01), (3, 1.0), (40, 0.7)):
        inputs = document(50, d_k, 2, spread=spread, scale_strength=strength, mask_fill=fill, seed=d_k)
        assert_true(engine.compute(whole(inputs, query=20, extras=frozenset([HEAD_OUTPUTS]))))
        assert_true(engine.compute(whole(inputs, (13, 50), query=20)))  # of statistics that are known


@pytest.mark.parametrize("mask", ["causal", "none", "sinks", "holes"])
@pytest.mark.parametrize("fill", [-INF, -1.0, float(np.float32(3e38))])
def test_outputs_thumbnails_and_summaries_come_when_they_are_asked_for(engine, mask, fill):
    inputs = document(60, 4, 3, n_heads=2, n_key=45, mask=any_mask(mask, 60, 45), mask_fill=fill)
    stages = engine.compute(whole(inputs, extras=frozenset([OUTPUT, THUMBNAILS, SUMMARIES])))
    assert list(stages.head_outputs) == list(stages.thumbnails) == [0, 1]
    assert_true(stages)
    if fill < 1e30:  # else float32 has no room for the differences between scores
        assert_right(stages)
    assert np.array_equal(stages.output, np.concatenate(list(stages.head_outputs.values()), axis=1))
    again = engine.compute(whole(inputs, query=5, extras=frozenset([HEAD_OUTPUTS])))
    assert all(again.head_outputs[head] is stages.head_outputs[head] for head in range(2))


@pytest.mark.parametrize("mask", ["causal", "window last", "holes"])
@pytest.mark.parametrize(("max_cells", "pooling"), [((7, 6), "peak"), ((60, 60), "peak"), ((7, 60), "mean")])
@pytest.mark.usefixtures("nothing_at_once")
def test_a_coarse_answer_shows_sampled_queries_and_a_full_one_all(engine, mask, max_cells, pooling):
    inputs = document(60, 4, mask=any_mask(mask, 60, 60), seed=5)
    truth, seen = Truth(inputs, 0), []
    coarse = engine.compute(whole(inputs, max_cells, query=33, detail="coarse", pooling=pooling))
    assert coarse.is_coarse == (max_cells[0] < 60)
    assert_true(coarse, truth)
    request = whole(inputs, max_cells, query=33, pooling=pooling)
    full = engine.compute(request, coarse, lambda done, partial: seen.append(partial) or True)
    assert not full.is_coarse
    partial = [stages for stages in seen if stages is not None]
    assert all(stages.is_partial for stages in partial)
    for stages in (full, *partial):
        assert_true(stages, truth)
    now = engine.compute(whole(inputs, max_cells, query=12, detail="coarse", pooling=pooling))
    assert not now.is_coarse  # all is known
    for stage in STAGE_NAMES:
        blocks = zip(now.picture(stage).blocks, full.picture(stage).blocks, strict=True)
        assert all(mine is theirs for mine, theirs in blocks)


@pytest.mark.parametrize("max_cells", [(7, 6), (100, 100)])
def test_the_kernels_launched_are_those_that_are_told(engine, monkeypatch, max_cells):
    is_pooled, watched = max_cells == (7, 6), Watched(engine, monkeypatch)
    inputs = document(60, 4, mask="none", seed=123 + max_cells[0])
    engine.compute(whole(inputs, max_cells, extras=frozenset([HEAD_OUTPUTS])))
    told = {long_kernel(part, is_pooled=is_pooled) for part in PARTS}
    assert {name for name, _ in watched.launched} == told | {"known_cells"}  # of weights to mix with


def test_an_edit_of_one_query_walks_that_row_and_looks_at_its_bin(engine, monkeypatch):
    inputs = document(64, 4, mask="none")
    before = engine.compute(whole(inputs, (16, 10), query=21))
    changed = edits.set_vector_value(inputs, 0, "q", 21, 2, 3.0)
    watched = Watched(engine, monkeypatch)
    now = engine.compute(whole(changed, (16, 10), query=21, detail="coarse"), before)
    assert_true(now)
    assert_true(before)
    rows = np.arange(16) != 21 // 4
    for stage in STAGE_NAMES:
        assert np.array_equal(now.picture(stage).array()[rows], before.picture(stage).array()[rows])
    walks = [work for name, work in watched.launched if name == "walk_keys"]
    assert {n_rows for _, n_rows in walks} <= {1, 3, 4}
    assert watched.sent < inputs.heads[0].q.nbytes  # of q the one row, and lists of a few
    assert watched.fetched < 4 * 64 * 64  # and never the square


def test_of_an_edit_nothing_is_sent_but_the_rows_it_changed(engine):
    room = engine._rooms.walks._rows.head
    inputs = document(64, 4, mask="none")
    engine.compute(whole(inputs))
    sent = engine._rooms.uploads.copied_bytes
    changed = edits.set_vector_value(inputs, 0, "k", 21, 2, 3.0)
    others = np.ones((64, 4), np.float32)
    with engine._context.current():
        for array, n_bytes in ((inputs.heads[0].k, 0), (changed.heads[0].k, 16), (others, 1024)):
            room.bring("k", array)
            assert engine._rooms.uploads.copied_bytes - sent == n_bytes
            sent = engine._rooms.uploads.copied_bytes
    assert_true(engine.compute(whole(changed)))


@pytest.mark.usefixtures("nothing_at_once")
@pytest.mark.parametrize("stop_at", [1, 2, 3, 5, 9, 20])
@pytest.mark.parametrize("extras", [(), (OUTPUT, THUMBNAILS)])
def test_stopping_anywhere_leaves_the_engine_as_true_as_before(engine, stop_at, extras):
    inputs, calls = document(60, 4, n_heads=2, mask="holes", seed=stop_at), []

    def progress(*told):
        calls.append(told)
        return len(calls) < stop_at

    request = whole(inputs, (20, 13), 40, extras=frozenset(extras))
    stages = engine.compute(request, None, progress)
    assert (stages is None) == (len(calls) >= stop_at)
    assert len(calls) <= stop_at
    changed = edits.set_vector_value(inputs, 0, "q", 40, 0, 2.0)
    for now in (inputs, changed):
        assert_true(engine.compute(whole(now, (20, 13), 40, detail="coarse")))
        assert_true(engine.compute(whole(now, (20, 13), 40, extras=frozenset(extras))))


def test_it_is_asked_whether_to_go_on_before_each_launch_of_a_walk(engine, monkeypatch):
    monkeypatch.setattr("attnviz.engine.key_slices.MOST_WORK", 1)
    watched, asked = Watched(engine, monkeypatch), []

    def progress(*told):
        asked.append(len(watched.launched))
        return len(watched.launched) < 3

    assert engine.compute(whole(document(60, 4, mask="none", seed=77)), None, progress) is None
    walks = [work for name, work in watched.launched if name == "walk_keys"]
    assert len(walks) == 3
    assert {n_slices for n_slices, _ in walks} == {1}
    assert set(asked) == {0, 1, 2, 3}


@pytest.mark.parametrize("at_once", [0, 30_000])
@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_the_order_of_edits_pans_and_stops_every_answer_is_true(engine, at_once, data):
    draw = data.draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnviz.engine.long_engine.AT_ONCE", at_once)
        n_query, n_key = draw(st.integers(21, 50)), draw(st.integers(2, 50))
        kind, is_cross = draw(st.sampled_from(ALL_MASKS)), draw(st.booleans())
        n_key = n_key if is_cross else n_query
        mask = any_mask(kind, n_query, n_key)
        inputs: Inputs = document(n_query, 4, 3, n_heads=2, n_key=n_key if is_cross else None, mask=mask)
        stages = None
        for _ in range(draw(st.integers(1, 5))):
            if draw(st.booleans()):
                inputs = random_edit(inputs, draw)
            if not inputs.is_long:
                return
            request = drawn_request(inputs, draw)
            stop_at = draw(st.sampled_from([3, 7, 10**6]))
            stages = assert_answers_are_true(engine, request, stages, stop_at) or stages


def test_dense_and_long_documents_may_take_turns(engine):
    short, long = document(12, 4), document(60, 4)
    for inputs in (long, short, long):
        stages = engine.compute(Request.whole(inputs) if inputs is short else whole(inputs))
        if inputs is long:
            assert_true(stages)


def test_a_device_that_is_full_gives_all_back_and_computes_again(engine, monkeypatch):
    inputs, grow, refused = document(60, 4, n_heads=2, seed=3), DeviceMemory.grow, []

    def full(memory, size):
        if memory is engine._rooms.walks._pools and not refused:
            refused.append(size)
            raise engine._driver.MemoryError("cuMemAlloc failed: out of memory")
        return grow(memory, size)

    monkeypatch.setattr(DeviceMemory, "grow", full)
    with pytest.raises(DeviceFull):
        engine.compute(whole(inputs))
    walks = engine._rooms.walks
    held = [room.size for room in vars(walks).values() if isinstance(room, DeviceMemory)]
    assert held == [0] * len(held)
    assert not walks._rows.head._held
    assert_true(engine.compute(whole(inputs)))


def test_arrays_of_a_file_are_sent_block_by_block(engine, tmp_path):
    inputs = document(60, 4, seed=9)
    paths = {which: tmp_path / f"{which}.npy" for which in "qkv"}
    for which, path in paths.items():
        np.save(path, getattr(inputs.heads[0], which))
    mapped = {which: np.load(path, mmap_mode="r") for which, path in paths.items()}
    stages = engine.compute(whole(inputs_from_arrays(**mapped), (9, 7), extras=frozenset([HEAD_OUTPUTS])))
    assert_true(stages)


@pytest.mark.parametrize(
    ("of", "wrong"), [("walk_keys", "row_max"), ("pool_rows", "pooled"), ("known_cells", "weights")]
)
def test_a_kernel_of_walks_that_computes_wrong_numbers_is_found_by_the_self_test(
    engine, monkeypatch, of, wrong
):
    walks = engine._rooms.walks
    launch = getattr(walks._kernels, of)

    def wrongly(head, *rest, **more):
        launch(replace(head, divisor=head.divisor * 1.01), *rest, **more)

    with engine._context.current():
        assert find_wrong_walk(walks) is None
        monkeypatch.setattr(walks._kernels, of, wrongly)
        assert find_wrong_walk(walks) == wrong
