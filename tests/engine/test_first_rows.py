"""Where tokens come or go, the rows before them that see none of them stay, and are not computed again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.core import edits, key_edits
from attnviz.core.request import HEAD_OUTPUTS, SUMMARIES, Region, Request
from attnviz.engine.blocks import Problem
from attnviz.engine.first_rows import rows_that_stay
from attnviz.engine.long_rows import RowJob
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import document
from tests.engine.long_documents import MASKS, any_mask, assert_answers_are_true, assert_true

RULES = [kind for kind in MASKS if kind != "holes"]


@pytest.fixture(autouse=True)
def _everything_is_small(small_limits):
    """Blocks, jobs and limits of a few tokens."""


@pytest.fixture
def engine():
    engine = NumpyEngine(2)
    yield engine
    engine.close()


def with_tokens(inputs, at, gone, come):
    places = [*range(at), *[None] * come, *range(min(at + gone, inputs.n_tokens), inputs.n_tokens)]
    return edits.rearrange_tokens(inputs, "", ["t"] * len(places), places)


def asked(inputs, extras=(), detail="full"):
    region = Region(0, (0, inputs.n_query), (0, inputs.n_key), (12, 10))
    return Request(inputs, min(3, inputs.n_query - 1), region, frozenset(extras), detail)


@given(
    kind=st.sampled_from([*MASKS, "causal", "none", "holes"]),
    fill=st.sampled_from([-math.inf, -1.0]),
    at=st.integers(0, 30),
    gone=st.integers(0, 2),
    come=st.integers(0, 2),
)
def test_rows_that_stay_have_the_weights_and_outputs_they_had(kind, fill, at, gone, come):
    inputs = document(30, 4, mask=any_mask(kind, 30, 30), mask_fill=fill)
    if gone or come:
        changed = with_tokens(inputs, at, gone, come)
        old, new = Problem.of(inputs, 0), Problem.of(changed, 0)
        n_rows, n_mixed = rows_that_stay(old, new)
        assert n_mixed <= n_rows <= at
        was, now = (each.allowed() for each in (inputs, changed))
        width = min(was.shape[1], now.shape[1])
        assert np.array_equal(was[:n_rows, :width], now[:n_rows, :width])
        assert not was[:n_rows, at:].any()
        assert not now[:n_rows, at:].any()
        if kind == "causal" and fill == -math.inf:
            assert (n_rows, n_mixed) == (at, at) or at + gone > 30


def test_only_rows_from_the_new_token_on_are_walked(engine, monkeypatch):
    inputs = document(56, 4)
    engine.compute(asked(inputs, [HEAD_OUTPUTS]))
    walked, real = [], RowJob.run
    monkeypatch.setattr(RowJob, "run", lambda job, *others: walked.append(job.rows) or real(job, *others))
    changed = with_tokens(inputs, 42, 0, 1)  # a row of the picture is 5 queries
    changed = edits.set_vector_value(changed, 0, "v", 50, 1, 3.0)  # several edits may come before an answer
    assert_true(engine.compute(asked(changed, [HEAD_OUTPUTS])))
    assert np.concatenate(walked).min() == 40
    walked.clear()
    back = with_tokens(changed, 42, 1, 0)
    assert_true(engine.compute(asked(back, [HEAD_OUTPUTS])))
    assert np.concatenate(walked).min() >= 40


def test_where_the_mask_value_is_a_number_no_row_stays(engine):
    inputs = document(60, 4, mask_fill=-2.0)
    engine.compute(asked(inputs))
    changed = with_tokens(inputs, 40, 0, 1)
    assert not engine._long._memories.of(changed, 0).is_known.any()
    assert_true(engine.compute(asked(changed)))


@given(
    kind=st.sampled_from([*RULES, "causal"]),
    changes=st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 2), st.integers(0, 2), st.integers(1, 12)), max_size=4
    ),
    detail=st.sampled_from(["coarse", "full"]),
)
def test_answers_are_true_however_tokens_come_and_go(kind, changes, detail):
    engine = NumpyEngine(2)
    inputs, answer = document(60, 4, mask=any_mask(kind, 60, 60)), None
    for at, gone, come, stop_at in [(0, 0, 0, 100), *changes]:
        changed = with_tokens(inputs, min(at, inputs.n_tokens), gone, come) if gone or come else inputs
        inputs = edits.set_vector_value(changed, 0, "k", at % changed.n_tokens, 0, 0.5)
        request = asked(inputs, [HEAD_OUTPUTS, SUMMARIES], detail)
        answer = assert_answers_are_true(engine, request, answer, stop_at) or answer
    engine.close()


def test_keys_that_come_at_the_end_take_no_row_that_does_not_see_them(engine):
    inputs = document(60, 4, n_key=60)
    engine.compute(asked(inputs))
    places = [*range(60), None]
    changed = key_edits.rearrange_keys(inputs, "", ["k"] * 61, places)
    assert engine._long._memories.of(changed, 0).is_known.all()
    assert_true(engine.compute(asked(changed)))
