"""The numpy lines that a person is shown are true: run one after the other they give what an engine gives."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.request import Request
from attnviz.core.stage_lines import ALLOWED, MOST_LISTED, PARTS, allowed_code, given, stage_line
from attnviz.core.stages import STAGE_NAMES, Stages
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import document

N = 9
MASKS = {
    "causal": "causal",
    "none": "none",
    "custom": "holes",  # with a row that hides everything
    "window": SlidingWindowMask(3),
    "wide window": SlidingWindowMask(1000),
    "sinks": SinkMask(2, 3),
    "no sinks": SinkMask(0, 1),
    "prefix": PrefixMask(4),
    "long prefix": PrefixMask(1000),
    "padding": PaddingMask((1, 5)),
    "padding and causal": PaddingMask((0, 5), hides_future=True),  # the first query sees nothing
    "empty padding": PaddingMask(),
}


@pytest.fixture(scope="module")
def answer():
    """Gives an engine's answer to a document."""
    engine = NumpyEngine(n_threads=1)

    def answered(inputs, head: int = 0, query: int = 0) -> Stages:
        stages = engine.compute(Request.whole(inputs, head, query))
        assert stages is not None
        return stages

    yield answered
    engine.close()


def run_lines(stages: Stages) -> dict[str, np.ndarray]:
    """Run the lines as a person would who copies them."""
    names: dict = {"np": np} | given(stages.request.inputs, stages.request.region.head)
    with np.errstate(invalid="ignore"):  # a row of −∞ throughout: −∞ − −∞
        for part in PARTS:
            exec(stage_line(stages, part).code, names)
    return {part: names[part] for part in PARTS}


@pytest.mark.parametrize("fill", [-math.inf, -1e9, -10.0, 0.0])
@pytest.mark.parametrize("kind", MASKS)
def test_the_lines_give_the_engines_numbers(answer, kind, fill):
    inputs = document(N, 5, 3, n_heads=2, mask=MASKS[kind], mask_fill=fill, scale_strength=1.7)
    stages = answer(inputs, head=1, query=4)
    made = run_lines(stages)
    for stage in STAGE_NAMES:
        assert made[stage].dtype == np.float32
        np.testing.assert_allclose(made[stage], stages.picture(stage).array(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(made["output"][4], stages.row.output, rtol=1e-5, atol=1e-6)


ALIGNED = {
    "causal": CausalMask,
    "window": partial(SlidingWindowMask, 3),
    "wide window": partial(SlidingWindowMask, 1000),
    "sinks": partial(SinkMask, 2, 3),
    "prefix": partial(PrefixMask, 4),
    "padding": partial(PaddingMask, (1, 3)),
    "padding and causal": partial(PaddingMask, (0, 3), hides_future=True),
    "none": NoMask,
}


@pytest.mark.parametrize(("n_query", "n_key"), [(4, 9), (9, 4), (1, 5), (5, 5)])
@pytest.mark.parametrize("alignment", ["first", "last"])
@pytest.mark.parametrize("kind", ALIGNED)
def test_the_lines_are_true_in_cross_attention(answer, kind, alignment, n_query, n_key):
    inputs = document(n_query, 5, 3, mask=ALIGNED[kind](alignment=alignment), n_key=n_key)
    stages = answer(inputs)
    allowed = eval(allowed_code(inputs), {"np": np})
    assert np.array_equal(np.broadcast_to(allowed, (n_query, n_key)), inputs.allowed())
    made = run_lines(stages)
    for stage in STAGE_NAMES:
        np.testing.assert_allclose(made[stage], stages.picture(stage).array(), rtol=1e-5, atol=1e-6)
        assert stage_line(stages, stage).shape == (n_query, n_key)
    np.testing.assert_allclose(made["output"], stages.head_outputs[0], rtol=1e-5, atol=1e-6)
    assert stage_line(stages, "output").shape == (n_query, 3)


@pytest.mark.parametrize(("d_k", "strength"), [(1, 1.0), (4, 1.0), (64, 1.0), (7, 0.3), (3, 2.5)])
def test_the_divisor_is_the_engines_to_the_last_bit(answer, d_k, strength):
    stages = answer(document(4, d_k, scale_strength=strength))
    names = {"np": np, "scores": stages.picture("scores").array()}
    exec(stage_line(stages, "scaled").code, names)
    assert np.array_equal(names["scaled"], stages.picture("scaled").array())


@pytest.mark.parametrize("kind", MASKS)
def test_the_rule_in_numpy_is_the_mask(kind):
    inputs = document(N, 2, mask=MASKS[kind])
    cells = inputs.mask.allowed((0, N), (0, N))
    rule = eval(allowed_code(inputs), {"np": np, ALLOWED: cells})
    assert np.array_equal(np.broadcast_to(rule, (N, N)), cells)
    assert (allowed_code(inputs) == ALLOWED) == (kind == "custom")


def test_a_long_list_of_hidden_tokens_is_taken_from_the_array():
    inputs = document(40, 2, mask=PaddingMask(tuple(range(MOST_LISTED + 1))))
    assert allowed_code(inputs) == ALLOWED


def test_shapes_are_those_of_the_arrays(answer):
    stages = answer(document(N, 5, 3, mask="holes"))
    made = run_lines(stages)
    arrays = {
        name.replace("kᵀ", "k"): array for name, array in {**given(stages.request.inputs, 0), **made}.items()
    }
    for part in PARTS:
        line = stage_line(stages, part)
        assert made[part].shape == line.shape
        for name, shape in line.operands:
            found = arrays["k"].T if name == "kᵀ" else arrays[name]
            assert found.shape == shape


def test_an_unknown_part_is_an_error(answer):
    with pytest.raises(KeyError):
        stage_line(answer(document(2)), "energy")
