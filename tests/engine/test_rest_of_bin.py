"""A query edited again and again is pooled alone: what the others bring is kept, and dropped in time."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core import edits
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import NoMask
from attnviz.core.request import Region, Request
from attnviz.engine import rest_of_bin
from attnviz.engine.numpy_engine import NumpyEngine

N, D, QUERY = 2560, 8, 1300
NAMES = ("scores", "scaled", "masked", "weights")


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
    """How many queries were pooled on this way, call by call."""
    counts: list[int] = []
    way = rest_of_bin._pool

    def counting(memory, kept, queries, watch, found):
        counts.append(len(queries))
        way(memory, kept, queries, watch, found)

    monkeypatch.setattr(rest_of_bin, "_pool", counting)
    return counts


def request(inputs: Inputs, pooling="peak", query=QUERY) -> Request:
    return Request(inputs, query, Region(0, (0, N), (0, N), (40, 40), pooling))


def assert_as_if_fresh(stages, pooling="peak") -> None:
    fresh = NumpyEngine(1)
    wanted = fresh.compute(request(stages.request.inputs, pooling))
    fresh.close()
    for name in NAMES:
        mine, theirs = stages.picture(name).array(), wanted.picture(name).array()
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-6, err_msg=name)


def q_edited(inputs: Inputs, value: float, query: int = QUERY) -> Inputs:
    return edits.set_vector_value(inputs, 0, "q", query, 1, value)


@pytest.mark.parametrize("pooling", ["peak", "mean"])
def test_a_drag_of_one_query_gives_what_a_fresh_engine_gives(inputs, engine, pooled, pooling):
    engine.compute(request(inputs, pooling))
    for value in (4.0, 9.0, 0.5):  # the largest of its bin, and no longer
        inputs = q_edited(inputs, value)
        assert_as_if_fresh(engine.compute(request(inputs, pooling)), pooling)
    assert pooled.count(1) == 3
    assert sum(pooled) == 63 + 3  # the others once


@pytest.mark.parametrize(
    "between",
    [
        lambda inputs: q_edited(inputs, 7.0, QUERY + 3),
        lambda inputs: edits.set_vector_value(inputs, 0, "k", 900, 1, 6.0),
        lambda inputs: edits.set_scale_strength(inputs, 0.5),
        lambda inputs: edits.set_mask(inputs, NoMask()),
    ],
    ids=["a neighbour", "a key", "the scale", "the mask"],
)
def test_what_the_others_bring_is_found_out_anew_once_they_change(inputs, engine, between):
    engine.compute(request(inputs))
    for change in (lambda inputs: q_edited(inputs, 4.0), between, lambda inputs: q_edited(inputs, 3.0)):
        inputs = change(inputs)
        stages = engine.compute(request(inputs))
    assert_as_if_fresh(stages)


def test_two_queries_of_one_bin_edited_by_turns_are_both_seen(inputs, engine):
    engine.compute(request(inputs))
    for step, query in enumerate((QUERY, QUERY + 1, QUERY, QUERY + 1)):
        inputs = q_edited(inputs, 5.0 + step, query)
        stages = engine.compute(request(inputs, query=query))
    assert_as_if_fresh(stages)


def test_a_computation_stopped_there_goes_on_from_what_was_known(inputs, engine):
    engine.compute(request(inputs))
    inputs = q_edited(inputs, 4.0)
    assert engine.compute(request(inputs), None, lambda done, partial: False) is None
    assert_as_if_fresh(engine.compute(request(inputs)))
