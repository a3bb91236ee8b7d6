"""The presets of the size of a real model: their shapes as published, their numbers as promised."""

import json
import math

import numpy as np
import pytest

from attnviz.core.layer_output import concat, output
from attnviz.core.request import HEAD_OUTPUTS, Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.io.presets import load_preset

LARGE = ("andrea", "gpt2-small")


@pytest.fixture(scope="module")
def engine():
    engine = NumpyEngine(n_threads=1)  # holds no thread
    yield engine
    engine.close()


@pytest.fixture(scope="module", params=LARGE)
def inputs(request):
    return load_preset(request.param).inputs


def test_andrea_has_the_published_shapes_and_mask_value(shared, engine):
    golden = json.loads((shared / "golden" / "andrea.json").read_text("utf-8"))
    inputs = load_preset("andrea").inputs
    head = inputs.heads[0]
    stages = engine.compute(Request.whole(inputs, extras=frozenset([HEAD_OUTPUTS])))
    joined = concat([stages.head_outputs[index] for index in range(inputs.n_heads)])
    shapes = {
        "x": inputs.x.shape,
        "w_q": head.projection.w_q.shape,
        "q": head.q.shape,
        "scores": stages.scores.shape,
        "head_output": stages.head_outputs[0].shape,
        "concat": joined.shape,
        "w_o": inputs.w_o.shape,
        "output": output(joined, inputs).shape,
    }
    assert {name: list(shape) for name, shape in shapes.items()} == golden["shapes"]
    assert inputs.n_heads == golden["n_heads"]
    assert math.prod(stages.scores.shape) == golden["scores_per_head"] == 1_048_576
    assert inputs.mask_fill == golden["mask_fill"]
    assert inputs.mask.kind == "causal"


def test_the_same_seed_gives_the_same_numbers(inputs):
    again = load_preset("andrea" if inputs.mask_fill == -1e9 else "gpt2-small").inputs
    assert np.array_equal(again.x, inputs.x)
    assert np.array_equal(again.w_o, inputs.w_o)


def test_dot_products_of_independent_q_and_k_spread_by_the_root_of_d_k(inputs):
    head = inputs.heads[2]
    scores = head.q.astype(float) @ head.k.T.astype(float)
    assert scores.std() == pytest.approx(8, rel=0.1)


def test_heads_that_turn_positions_back_attend_to_the_token_before(inputs, engine):
    for head in (1, 4, 7, 10):
        weights = engine.compute(Request.whole(inputs, head)).weights.array()
        assert (weights[1:].argmax(axis=1) == np.arange(1023)).mean() > 0.9


def test_heads_of_the_same_word_attend_to_it(inputs, engine):
    weights = engine.compute(Request.whole(inputs, 0)).weights.array()
    words = np.array(inputs.tokens)
    best = weights.argmax(axis=1)
    assert (words[best] == words).mean() > 0.95
