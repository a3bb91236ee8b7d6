"""A query edited again and again is pooled alone: what the others bring is kept, and dropped in time."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.core.request import Region, Request
from attnviz.engine import rest_of_bin
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import document
from tests.engine.long_documents import MASKS, any_mask, assert_answers_are_true

N, D, QUERY = 2560, 8, 1300
OTHERS = 63
NAMES = ("scores", "scaled", "masked", "weights")


@pytest.fixture(autouse=True)
def _parts_are_small(monkeypatch):
    monkeypatch.setattr("attnviz.engine.edited_row.PART_ROWS", 10)
    monkeypatch.setattr("attnviz.engine.key_walk.BLOCK_CELLS", 3000)
    monkeypatch.setattr("attnviz.engine.watch.ASKED_EVERY", 0.0)
    monkeypatch.setattr("attnviz.engine.team.ASKED_EVERY", 0.001)


@pytest.fixture
def inputs() -> Inputs:
    rng = np.random.default_rng(5)
    return Inputs("", ("t",) * N, (Head("", *(rng.standard_normal((N, D), np.float32) for _ in range(3))),))


@pytest.fixture
def engine():
    engine = NumpyEngine(2)
    yield engine
    engine.close()


@pytest.fixture
def pooled(monkeypatch) -> list[int]:
    """How many queries were found on this way, part by part."""
    counts: list[int] = []
    way = rest_of_bin._find

    def counting(memory, kept, part, go_on, lock):
        way(memory, kept, part, go_on, lock)
        if part.pooled is not None:
            counts.append(len(part.queries))

    monkeypatch.setattr(rest_of_bin, "_find", counting)
    return counts


@pytest.fixture
def nothing_at_once(monkeypatch):
    """An edit's answer may find one query anew, and no more."""
    monkeypatch.setattr("attnviz.engine.long_engine.AT_ONCE", 3 * N * (D + 32))


def request(inputs: Inputs, pooling="peak", query=QUERY, detail="full", cells=(40, 40)) -> Request:
    return Request(inputs, query, Region(0, (0, N), (0, N), cells, pooling), detail=detail)


def assert_as_if_fresh(stages, pooling="peak") -> None:
    fresh = NumpyEngine(1)
    wanted = fresh.compute(request(stages.request.inputs, pooling))
    fresh.close()
    for name in NAMES:
        mine, theirs = stages.picture(name).array(), wanted.picture(name).array()
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-6, err_msg=name)


def q_edited(inputs: Inputs, value: float, query: int = QUERY) -> Inputs:
    return edits.set_vector_value(inputs, 0, "q", query, 1, value)


def stopping_at(call: int):
    """Give a progress that says no at its call of that number."""
    calls = iter(range(call))
    return lambda *_: next(calls, None) is not None


@pytest.mark.parametrize("pooling", ["peak", "mean"])
@pytest.mark.parametrize("selected", [QUERY, 77])
def test_a_drag_of_one_query_gives_what_a_fresh_engine_gives(inputs, engine, pooled, pooling, selected):
    engine.compute(request(inputs, pooling, selected))
    for value in (4.0, 9.0, 0.5):  # the largest of its bin, and no longer
        inputs = q_edited(inputs, value)
        assert_as_if_fresh(engine.compute(request(inputs, pooling, selected)), pooling)
    assert pooled.count(1) == 3
    assert sum(pooled) == OTHERS + 3  # the others once


@pytest.mark.parametrize(
    "between",
    [
        lambda inputs: q_edited(inputs, 7.0, QUERY + 3),
        lambda inputs: edits.set_vector_value(inputs, 0, "k", 900, 1, 6.0),
        lambda inputs: edits.set_scale_strength(inputs, 0.5),
        lambda inputs: edits.set_mask(inputs, NoMask()),
        lambda inputs: edits.set_vector_block(inputs, 0, "q", QUERY - 2, 0, [[3.0]] * 5),
    ],
    ids=["a neighbour", "a key", "the scale", "the mask", "five rows"],
)
@pytest.mark.parametrize("pooling", ["peak", "mean"])
def test_what_the_others_bring_is_found_out_anew_once_they_change(inputs, engine, between, pooling):
    engine.compute(request(inputs, pooling))
    for change in (lambda inputs: q_edited(inputs, 4.0), between, lambda inputs: q_edited(inputs, 3.0)):
        inputs = change(inputs)
        stages = engine.compute(request(inputs, pooling))
    assert_as_if_fresh(stages, pooling)


def test_two_queries_of_one_bin_edited_by_turns_take_their_own_parts_alone(inputs, engine, pooled):
    engine.compute(request(inputs))
    for step in range(8):
        query = QUERY + step % 2
        inputs = q_edited(inputs, 5.0 + step, query)
        stages = engine.compute(request(inputs, query=query))
        assert_as_if_fresh(stages)
        if step == 1:
            pooled.clear()
    assert pooled == [1] * 6


def test_a_query_of_another_bin_and_back_is_right(inputs, engine):
    engine.compute(request(inputs))
    for step, query in enumerate((QUERY, QUERY + 64, QUERY, 5)):
        inputs = q_edited(inputs, 5.0 + step, query)
        stages = engine.compute(request(inputs, query=query))
    assert_as_if_fresh(stages)


@pytest.mark.parametrize("pooling", ["peak", "mean"])
def test_computations_stopped_over_and_over_find_the_rest_between_them(
    inputs, engine, pooled, pooling, nothing_at_once
):
    engine.compute(request(inputs, pooling))
    pooled.clear()
    for step in range(400):
        inputs = q_edited(inputs, step / 50)
        stages = engine.compute(request(inputs, pooling, detail="coarse"))
        if not stages.is_coarse:
            break
        stop = stopping_at(3)  # the first of them is asked before anything is done
        assert engine.compute(request(inputs, pooling), stages, stop) is None
    assert step > 3
    assert not stages.is_coarse
    assert_as_if_fresh(stages, pooling)
    assert sum(count for count in pooled if count > 1) == OTHERS  # nothing was found twice
    for value in (6.0, -2.0):  # and from now on each answer is exact at once
        inputs = q_edited(inputs, value)
        stages = engine.compute(request(inputs, pooling, detail="coarse"))
        assert not stages.is_coarse
        assert_as_if_fresh(stages, pooling)


def test_a_computation_stopped_at_once_goes_on_from_what_was_known(inputs, engine):
    engine.compute(request(inputs))
    inputs = q_edited(inputs, 4.0)
    assert engine.compute(request(inputs), None, lambda done, partial: False) is None
    assert_as_if_fresh(engine.compute(request(inputs)))


def test_a_refinement_sends_nothing_that_was_just_answered(inputs, engine, monkeypatch):
    monkeypatch.setattr("attnviz.engine.long_engine.AT_ONCE", 0)
    monkeypatch.setattr("attnviz.engine.watch.SHOWN_EVERY", 1e9)

    def refined(inputs, previous):
        sent = []
        stages = engine.compute(request(inputs), previous, lambda done, partial: sent.append(partial) is None)
        return stages, [partial for partial in sent if partial is not None]

    coarse = engine.compute(request(inputs, detail="coarse"))
    assert coarse.is_coarse
    whole, sent = refined(inputs, coarse)
    assert not sent
    changed = edits.set_vector_value(inputs, 0, "k", 900, 1, 6.0)
    _, sent = refined(changed, whole)  # nobody has seen anything of this
    assert len(sent) == 1
    assert sent[0].is_coarse


def _limits_of_a_few_tokens(patch) -> None:
    for name, value in {
        "core.inputs.DENSE_TOKENS": 20,
        "core.request.DENSE_TOKENS": 20,
        "engine.key_walk.BLOCK_CELLS": 80,
        "engine.edited_row.PART_ROWS": 4,
        "engine.long_engine.JOB_ROWS": 10,
        "engine.long_engine.AT_ONCE": 10_000,
        "engine.watch.SHOWN_EVERY": 0.0,
    }.items():
        patch.setattr(f"attnviz.{name}", value)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_is_edited_and_stopped_in_a_row_every_answer_is_true(data):
    draw = data.draw
    kind, pooling = draw(st.sampled_from([*MASKS, "holes"])), draw(st.sampled_from(["peak", "mean"]))
    inputs = document(60, 4, 3, mask=any_mask(kind, 60, 60))
    cells = draw(st.sampled_from([(4, 6), (7, 60), (60, 7)]))
    engine, stages = NumpyEngine(1), None
    with closing(engine), pytest.MonkeyPatch.context() as patch:
        _limits_of_a_few_tokens(patch)
        for _ in range(draw(st.integers(2, 10))):
            what = draw(st.sampled_from(["same", "same", "same", "neighbour", "q", "k", "v", "pan", "scale"]))
            value = draw(st.sampled_from([-9.0, -0.5, 0.0, 0.7, 4.0]))
            keys = (0, 60)
            if what == "pan":
                keys = draw(st.sampled_from([(10, 60), (0, 41)]))
            elif what == "scale":
                inputs = edits.set_scale_strength(inputs, draw(st.sampled_from([0.5, 1.0])))
            else:
                token = {"same": 31, "neighbour": draw(st.integers(28, 34))}.get(
                    what, draw(st.integers(0, 59))
                )
                which = what if what in "kv" else "q"
                inputs = edits.set_vector_value(inputs, 0, which, token, 0, value)
            selected = draw(st.sampled_from([31, 31, 50]))
            region = Region(0, (0, 60), keys, cells, pooling)
            asked = Request(inputs, selected, region, detail=draw(st.sampled_from(["coarse", "full"])))
            stop_at = draw(st.sampled_from([2, 4, 9, 10**6]))
            stages = assert_answers_are_true(engine, asked, stages, stop_at) or stages
