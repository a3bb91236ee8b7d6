"""Long documents: any region of them is what the definition says, though nobody holds the square."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.request import HEAD_OUTPUTS, OUTPUT, THUMBNAILS, Region, Request
from attnviz.core.seen_keys import SeenKeys
from attnviz.core.stages import STAGE_NAMES
from attnviz.engine.head_pass import LARGEST
from attnviz.engine.kept_pictures import COPIED, SAMPLED
from attnviz.engine.long_rows import RowJob
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import document
from tests.engine.long_documents import (
    MASKS,
    Truth,
    any_mask,
    assert_answers_are_true,
    assert_cells,
    assert_true,
)
from tests.engine.random_edits import random_edit

ALL_MASKS = [*MASKS, "holes"]
INF = math.inf


@pytest.fixture(autouse=True)
def _everything_is_small(small_limits):
    """Blocks, jobs and limits of a few tokens."""


@pytest.fixture
def engine():
    engine = NumpyEngine(2)
    yield engine
    engine.close()


@pytest.fixture
def nothing_at_once(monkeypatch):
    monkeypatch.setattr("attnviz.engine.long_engine.AT_ONCE", 0)


def whole(inputs, max_cells=(7, 6), query=0, **options):
    pooling = options.pop("pooling", "peak")
    region = Region(0, (0, inputs.n_query), (0, inputs.n_key), max_cells, pooling)
    return Request(inputs, query, region, **options)


@pytest.mark.parametrize("mask", ALL_MASKS)
@pytest.mark.parametrize(
    ("n_query", "n_key", "fill"),
    [(50, 50, -INF), (37, 61, -INF), (61, 37, -1.0), (25, 1, -INF), (1, 25, 1e9)],
)
def test_every_picture_is_what_the_definition_says(engine, mask, fill, n_query, n_key):
    inputs = document(
        n_query, 4, 3, n_key=n_key, mask=any_mask(mask, n_query, n_key), mask_fill=fill, seed=n_query
    )
    truth = Truth(inputs, 0)
    first, last = n_query // 3, max(n_query // 3 + 1, n_query - 4)
    for region in (
        Region(0, (0, n_query), (0, n_key), (7, 6)),
        Region(0, (0, n_query), (0, n_key), (1, 1)),
        Region(0, (first, last), (n_key // 5, n_key), (50, 9)),
        Region(0, (first, last), (n_key // 5, n_key), (9, 100)),
        Region(0, (first, last), (n_key // 5, n_key), (100, 100)),
        Region(0, (0, n_query), (0, n_key), (7, 6), "mean"),
        Region(0, (first, last), (0, n_key), (50, 9), "mean"),
    ):
        stages = engine.compute(Request(inputs, n_query // 2, region))
        assert not stages.is_coarse
        assert_true(stages, truth)
        assert_cells(stages, truth)


@pytest.mark.parametrize("spread", [0.0, 1.0, 3.0, 30.0, 1e5])
@pytest.mark.parametrize("strength", [0.01, 1.0, 0.7])
@pytest.mark.parametrize("fill", [-INF, 0.5])
def test_scores_of_any_size_are_exact(engine, spread, strength, fill):
    for d_k in (1, 3, 16):
        inputs = document(50, d_k, 2, spread=spread, scale_strength=strength, mask_fill=fill, seed=d_k)
        request = whole(inputs, query=20, extras=frozenset([HEAD_OUTPUTS]))
        stages = engine.compute(request)
        assert_true(stages)
        again = engine.compute(whole(inputs, (13, 50), query=20))  # of statistics that are known
        assert_true(again)


@pytest.mark.parametrize("mask", ALL_MASKS)
@pytest.mark.parametrize("fill", [-INF, -1.0, float(np.float32(3e38))])
def test_outputs_come_when_they_are_asked_for(engine, mask, fill):
    inputs = document(60, 4, 3, n_heads=2, n_key=45, mask=any_mask(mask, 60, 45), mask_fill=fill)
    assert not engine.compute(whole(inputs)).head_outputs
    for extra in (HEAD_OUTPUTS, OUTPUT, THUMBNAILS):
        stages = engine.compute(whole(inputs, extras=frozenset([extra])))
        assert list(stages.head_outputs) == [0, 1]
        assert_true(stages)
        assert (stages.output is not None) == (extra == OUTPUT)
        assert bool(stages.thumbnails) == (extra == THUMBNAILS)
    part = Request(inputs, 3, Region(1, (20, 30), (5, 25), (4, 4)), frozenset([OUTPUT, THUMBNAILS]))
    stages = NumpyEngine(1).compute(part)
    assert_true(stages)
    assert np.array_equal(stages.output, np.concatenate(list(stages.head_outputs.values()), axis=1))


@pytest.mark.parametrize("mask", ALL_MASKS)
@pytest.mark.parametrize("fill", [-INF, -0.5])
def test_thumbnails_are_pooled_and_know_the_entropy_of_each_row(engine, mask, fill):
    inputs = document(60, 4, 3, n_heads=2, n_key=101, mask=any_mask(mask, 60, 101), mask_fill=fill)
    stages = engine.compute(whole(inputs, extras=frozenset([THUMBNAILS])))
    for head in range(2):
        truth, thumbnail = Truth(inputs, head), stages.thumbnails[head]
        region = Region(0, (0, 60), (0, 101), (LARGEST, LARGEST))
        for row, got in enumerate(thumbnail.picture):
            assert truth.row_fits("weights", got, slice(row, row + 1), region)
        weights = truth.exact.weights
        bits = -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(axis=1)
        assert np.allclose(thumbnail.row_entropy, bits, atol=1e-5)
        assert thumbnail.output_norm == pytest.approx(np.linalg.norm(truth.exact.head_output), rel=1e-5)
    again = engine.compute(whole(inputs, query=5, extras=frozenset([THUMBNAILS])))
    assert all(again.thumbnails[head] is stages.thumbnails[head] for head in range(2))
    assert all(again.head_outputs[head] is stages.head_outputs[head] for head in range(2))


@pytest.mark.parametrize("mask", ALL_MASKS)
@pytest.mark.parametrize(
    ("max_cells", "pooling"),
    [((7, 6), "peak"), ((60, 6), "peak"), ((60, 60), "peak"), ((7, 60), "mean")],
)
@pytest.mark.usefixtures("nothing_at_once")
def test_a_coarse_answer_shows_sampled_queries_and_a_full_one_all(engine, mask, max_cells, pooling):
    inputs = document(60, 4, mask=any_mask(mask, 60, 60))
    truth = Truth(inputs, 0)
    coarse = engine.compute(whole(inputs, max_cells, query=33, detail="coarse", pooling=pooling))
    assert coarse.is_coarse == (max_cells[0] < 60)
    assert_true(coarse, truth)
    assert_cells(coarse, truth)
    seen = []
    full = engine.compute(
        whole(inputs, max_cells, query=33, pooling=pooling),
        coarse,
        lambda done, partial: seen.append(partial) or True,
    )
    assert not full.is_coarse
    assert not full.is_partial
    assert_true(full, truth)
    for partial in seen:
        if partial is not None:
            assert partial.is_partial
            assert_true(partial, truth)
    now = engine.compute(whole(inputs, max_cells, query=12, detail="coarse", pooling=pooling))
    assert not now.is_coarse  # all is known
    for stage in STAGE_NAMES:
        blocks = zip(now.picture(stage).blocks, full.picture(stage).blocks, strict=True)
        assert all(mine is theirs for mine, theirs in blocks)


@pytest.mark.usefixtures("nothing_at_once")
def test_fewer_queries_are_sampled_where_there_are_too_many(engine, monkeypatch):
    monkeypatch.setattr("attnviz.engine.long_engine.COARSE", 60 * 36 * 8)
    inputs = document(60, 4, mask="none")
    for max_cells in ((20, 6), (60, 60)):
        coarse = engine.compute(whole(inputs, max_cells, query=33, detail="coarse"))
        assert coarse.is_coarse
        assert np.isnan(coarse.row_max).sum() >= 40
        assert_true(coarse)
        assert_cells(coarse, Truth(inputs, 0))
    assert_true(engine.compute(whole(inputs, (60, 60))))


@pytest.mark.usefixtures("nothing_at_once")
def test_an_exact_answer_first_samples_rows_that_only_look_like_others(engine, monkeypatch):
    monkeypatch.setattr("attnviz.engine.long_engine.COARSE", 60 * 36 * 8)
    inputs = document(60, 4, mask="none")
    coarse = engine.compute(whole(inputs, (20, 6), query=33, detail="coarse"))
    kept = engine._long._memories.of(inputs, 0).pictures
    (states,) = (each.state for each in kept.values())
    assert COPIED in states
    least, real = [], RowJob.run
    monkeypatch.setattr(RowJob, "run", lambda job, *others: least.append(states.min()) or real(job, *others))
    partials = []
    assert_true(
        engine.compute(
            whole(inputs, (20, 6), query=33), coarse, lambda done, partial: partials.append(partial) or True
        )
    )
    assert least[0] == SAMPLED
    for partial in filter(None, partials):
        assert_true(partial)
        assert_cells(partial, Truth(inputs, 0))


def test_an_edit_of_one_query_leaves_all_other_rows_as_they_are(engine):
    inputs = document(60, 4)
    before = engine.compute(whole(inputs, (15, 10), query=21))
    changed = edits.set_vector_value(inputs, 0, "q", 21, 2, 3.0)
    now = engine.compute(whole(changed, (15, 10), query=21, detail="coarse"), before)
    assert not now.is_coarse
    assert_true(now)
    rows = np.arange(15) != 21 // 4
    for stage in STAGE_NAMES:
        mine, theirs = (each.picture(stage).array() for each in (now, before))
        assert np.array_equal(mine[rows], theirs[rows])
        shared = zip(now.picture(stage).blocks, before.picture(stage).blocks, strict=True)
        assert [mine is theirs for mine, theirs in shared].count(False) == 1
    queries = np.arange(60) != 21
    assert np.array_equal(now.row_max[queries], before.row_max[queries])
    assert_true(before)  # and is what it was


@pytest.mark.usefixtures("nothing_at_once")
def test_what_was_computed_before_a_stop_is_not_computed_again(engine):
    inputs = document(90, 4)
    request, shares = whole(inputs, (22, 20)), []
    for _ in range(50):
        told = []

        def progress(done, partial, told=told):
            told.append(done)
            return len(told) < 60

        if engine.compute(request, None, progress) is not None:
            break
        known = engine.compute(whole(inputs, (22, 20), detail="coarse"))
        shares.append(np.isnan(known.row_max).sum())
        assert_true(known)
    else:
        pytest.fail("it never came to an end")
    assert len(shares) > 1
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1]


@pytest.mark.usefixtures("nothing_at_once")
@pytest.mark.parametrize("stop_at", [*range(1, 12), 20, 40])
@pytest.mark.parametrize("extras", [(), (OUTPUT, THUMBNAILS)])
def test_stopping_anywhere_leaves_the_engine_as_true_as_before(stop_at, extras):
    engine, inputs, calls = NumpyEngine(1), document(90, 4, n_heads=2, mask="holes"), []

    def progress(*told):
        calls.append(told)
        return len(calls) < stop_at

    request = whole(inputs, (20, 13), 40, extras=frozenset(extras))
    stages = engine.compute(request, None, progress)
    assert (stages is None) == (len(calls) >= stop_at)
    assert len(calls) <= stop_at
    told = [done for done, _ in calls]
    assert told == sorted(told)
    changed = edits.set_vector_value(inputs, 0, "q", 40, 0, 2.0)
    for now in (inputs, changed):
        assert_true(engine.compute(whole(now, (20, 13), 40, detail="coarse")))
        assert_true(engine.compute(whole(now, (20, 13), 40, extras=frozenset(extras))))
    engine.close()


def test_progress_ends_with_one(engine):
    for request in (whole(document(60, 4)), whole(document(60, 4), detail="coarse")):
        for _ in range(2):
            told = []
            engine.compute(request, None, lambda done, partial, told=told: told.append(done) or True)
            assert told == sorted(told)
            assert told[-1] == 1.0
            assert told.count(1.0) == 1


@pytest.mark.parametrize("at_once", [0, 30_000, 10**9])
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_the_order_of_edits_pans_and_stops_every_answer_is_true(at_once, data):
    draw = data.draw
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("attnviz.engine.long_engine.AT_ONCE", at_once)
        n_query, n_key = draw(st.integers(21, 60)), draw(st.integers(2, 60))
        kind = draw(st.sampled_from(ALL_MASKS))
        is_cross = draw(st.booleans())
        n_key = n_key if is_cross else n_query
        inputs = document(
            n_query, 4, 3, n_heads=2, n_key=n_key if is_cross else None, mask=any_mask(kind, n_query, n_key)
        )
        engine, stages = NumpyEngine(1), None
        for _ in range(draw(st.integers(1, 8))):
            if draw(st.booleans()):
                inputs = random_edit(inputs, draw)
            if draw(st.integers(0, 3)) == 0:
                mask = any_mask(draw(st.sampled_from(ALL_MASKS)), inputs.n_query, inputs.n_key)
                inputs = edits.set_mask(inputs, mask)
            if not inputs.is_long:
                return
            request = drawn_request(inputs, draw)
            stop_at = draw(st.sampled_from([3, 7, 10**6]))
            stages = assert_answers_are_true(engine, request, stages, stop_at) or stages
        engine.close()


def drawn_request(inputs, draw):
    """Draw any region, query, detail and extras."""
    ranges = []
    for count in (inputs.n_query, inputs.n_key):
        first = draw(st.integers(0, count - 1))
        last = draw(st.integers(first + 1, count))
        ranges.append(draw(st.sampled_from([(0, count), (first, last)])))
    cells = draw(st.sampled_from([(7, 6), (100, 100), (10, 100), None]))
    region = Region(
        draw(st.integers(0, inputs.n_heads - 1)), *ranges, cells, draw(st.sampled_from(["peak", "mean"]))
    )
    extras = frozenset(draw(st.sampled_from([(), (), (HEAD_OUTPUTS,), (OUTPUT, THUMBNAILS)])))
    query = draw(st.integers(0, inputs.n_query - 1))
    return Request(inputs, query, region, extras, draw(st.sampled_from(["coarse", "full"])))


@pytest.mark.parametrize("mask", ALL_MASKS)
@pytest.mark.parametrize(("n_query", "n_key"), [(40, 40), (40, 23), (23, 40), (1, 30)])
def test_what_rows_see_is_what_the_mask_allows(mask, n_query, n_key):
    rule = any_mask(mask, n_query, n_key)
    allowed = rule.allowed((0, n_query), (0, n_key), rule.offset(n_query, n_key))
    for rows in (np.arange(n_query), np.arange(0, n_query, 7), np.array([n_query - 1])):
        seen = SeenKeys.of(rule, rows, n_query, n_key)
        assert seen.count().tolist() == allowed[rows].sum(axis=1).tolist()
        spans = seen.spans()
        assert spans == sorted(spans)
        outside = np.ones(n_key, bool)
        for first, last in spans:
            outside[first:last] = False
        assert not allowed[rows][:, outside].any()
        for keys in ((0, n_key), (n_key // 3, n_key // 3 + 1), (n_key // 2, n_key)):
            hidden = seen.hidden(keys)
            wanted = ~allowed[rows][:, slice(*keys)].T
            assert not wanted.any() if hidden is None else np.array_equal(hidden, wanted)
        for keys in (np.array([0]), np.arange(n_key // 2, n_key, 3)):
            assert np.array_equal(seen.sees_any(keys), allowed[np.ix_(rows, keys)].any(axis=1))
