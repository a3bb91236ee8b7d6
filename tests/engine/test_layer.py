"""A whole attention layer: projections, heads, concat, W_O, biases and residual against two other ways."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core import projection_edits as layer
from attnviz.core.inputs import Head, Inputs
from attnviz.core.layer_output import concat, output, residual
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.projections import Projection
from attnviz.core.request import HEAD_OUTPUTS, Request

SHAPES = [  # n, d_model, n_heads, d_k, d_v
    (1, 1, 1, 1, 1),
    (7, 6, 2, 3, 3),
    (10, 8, 3, 4, 5),
    (33, 24, 4, 6, 2),
    (130, 64, 4, 16, 16),
]


def layer_document(n, d_model, n_heads, d_k, d_v, *, mask, biased, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d_model)).astype(np.float32)

    def table(rows, columns):
        return (rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)

    heads = []
    for _ in range(n_heads):
        maps = Projection(
            *(table(d_model, dims) for dims in (d_k, d_k, d_v)),
            *(rng.standard_normal(dims) if biased else None for dims in (d_k, d_k, d_v)),
        )
        blank = Head("", np.zeros((n, d_k)), np.zeros((n, d_k)), np.zeros((n, d_v)))
        heads.append(layer.derived_head(blank, x, maps))
    bias = rng.standard_normal(d_model) if biased else None
    w_o = table(n_heads * d_v, d_model)
    return Inputs("", tuple("t" * n), tuple(heads), mask, x=x, w_o=w_o, b_o=bias)


def computed(engine, inputs):
    """The layer's output as the program computes it."""
    stages = engine.compute(Request.whole(inputs, extras=frozenset([HEAD_OUTPUTS])))
    return output(concat([stages.head_outputs[head] for head in range(inputs.n_heads)]), inputs)


def by_formula(inputs):
    """Concat(head 1, …) W_O + b_O with head i = softmax(q kᵀ / √d_k + mask) v, all in float64."""
    x, outputs = inputs.x.astype(np.float64), []
    n = inputs.n_tokens
    hidden = ~inputs.mask.allowed((0, n), (0, n))
    for head in inputs.heads:
        maps = head.projection
        q, k, v = (
            x @ getattr(maps, f"w_{which}").astype(np.float64)
            + (0 if getattr(maps, f"b_{which}") is None else getattr(maps, f"b_{which}").astype(np.float64))
            for which in "qkv"
        )
        scores = q @ k.T / np.sqrt(head.d_k)
        scores[hidden] = -np.inf
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        outputs.append(weights / weights.sum(axis=1, keepdims=True) @ v)
    bias = 0 if inputs.b_o is None else inputs.b_o.astype(np.float64)
    return np.concatenate(outputs, axis=1) @ inputs.w_o.astype(np.float64) + bias


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mask", [CausalMask(), NoMask()])
@pytest.mark.parametrize("biased", [True, False])
def test_a_layer_is_the_formula_to_five_digits(engine, shape, mask, biased):
    inputs = layer_document(*shape, mask=mask, biased=biased)
    wanted = by_formula(inputs)
    got = computed(engine, inputs)
    assert np.abs(got - wanted).max() <= 1e-5
    assert np.abs(residual(got, inputs) - (inputs.x + wanted)).max() <= 1e-5


# torch knows no d_v of its own, and n_heads · d_k is d_model.
@pytest.mark.parametrize("shape", [s for s in SHAPES if s[2] * s[3] == s[1] and s[3] == s[4]])
@pytest.mark.parametrize("mask", [CausalMask(), NoMask()])
@pytest.mark.parametrize("biased", [True, False])
def test_a_layer_is_torchs_multihead_attention_to_five_digits(engine, shape, mask, biased):
    torch = pytest.importorskip("torch", reason="torch is not installed; pip install torch for this test")
    n, d_model, n_heads, _, _ = shape
    inputs = layer_document(*shape, mask=mask, biased=biased)
    theirs = torch.nn.MultiheadAttention(d_model, n_heads, bias=biased, batch_first=True)
    maps = [head.projection for head in inputs.heads]
    with torch.no_grad():
        tables = [np.concatenate([getattr(m, f"w_{w}") for m in maps], axis=1).T for w in "qkv"]
        theirs.in_proj_weight.copy_(torch.tensor(np.concatenate(tables)))
        theirs.out_proj.weight.copy_(torch.tensor(inputs.w_o.T.copy()))
        if biased:
            rows = [getattr(m, f"b_{which}") for which in "qkv" for m in maps]
            theirs.in_proj_bias.copy_(torch.tensor(np.concatenate(rows)))
            theirs.out_proj.bias.copy_(torch.tensor(inputs.b_o.copy()))
        x = torch.tensor(inputs.x[None].copy())
        hidden = torch.tensor(~inputs.mask.allowed((0, n), (0, n)))
        wanted, _ = theirs(x, x, x, attn_mask=hidden, need_weights=False)
    assert np.abs(computed(engine, inputs) - wanted[0].numpy()).max() <= 1e-5


@pytest.mark.parametrize(("n_query", "n_key"), [(3, 5), (5, 3), (70, 130), (1, 9)])
@pytest.mark.parametrize("mask", [CausalMask(), CausalMask(alignment="last"), NoMask()])
def test_cross_attention_is_the_formula_and_torchs_with_keys_of_other_sizes(engine, n_query, n_key, mask):
    inputs = cross_layer(n_query, n_key, mask)
    seen = inputs.allowed()
    outputs = []
    for head in inputs.heads:
        maps = head.projection
        q = inputs.x.astype(np.float64) @ maps.w_q + maps.b_q
        k, v = (
            inputs.x_keys.astype(np.float64) @ w + bias
            for w, bias in ((maps.w_k, maps.b_k), (maps.w_v, maps.b_v))
        )
        powers = np.exp(q @ k.T / np.sqrt(head.d_k)) * seen
        outputs.append(powers / np.where(seen.any(axis=1), powers.sum(axis=1), 1)[:, None] @ v)
    wanted = np.concatenate(outputs, axis=1) @ inputs.w_o + inputs.b_o
    got = computed(engine, inputs)
    assert np.abs(got - wanted).max() <= 1e-5
    torch = pytest.importorskip("torch", reason="torch is not installed; pip install torch for this test")
    theirs = torch.nn.MultiheadAttention(12, 3, kdim=7, vdim=7, batch_first=True)
    maps = [head.projection for head in inputs.heads]
    with torch.no_grad():
        for which in "qkv":
            table = np.concatenate([getattr(m, f"w_{which}") for m in maps], axis=1).T
            getattr(theirs, f"{which}_proj_weight").copy_(torch.tensor(table.copy()))
        rows = [getattr(m, f"b_{which}") for which in "qkv" for m in maps]
        theirs.in_proj_bias.copy_(torch.tensor(np.concatenate(rows)))
        theirs.out_proj.weight.copy_(torch.tensor(inputs.w_o.T.copy()))
        theirs.out_proj.bias.copy_(torch.tensor(inputs.b_o.copy()))
        x, x_keys = (torch.tensor(each[None].copy()) for each in (inputs.x, inputs.x_keys))
        answer, _ = theirs(x, x_keys, x_keys, attn_mask=torch.tensor(~seen), need_weights=False)
    there = seen.any(axis=1)  # torch makes NaN of a query that sees nothing
    assert np.abs(got - answer[0].numpy())[there].max() <= 1e-5


def cross_layer(n_query, n_key, mask):
    """Three heads with d_k = d_v = 4, derived from an x of 12 dimensions and one of the keys of 7."""
    rng = np.random.default_rng(n_query + n_key)

    def table(*size):
        return (rng.standard_normal(size) / np.sqrt(size[0])).astype(np.float32)

    x, x_keys = table(n_query, 12), table(n_key, 7)
    blank = Head("h", np.zeros((n_query, 4)), np.zeros((n_key, 4)), np.zeros((n_key, 4)))
    heads = [
        layer.derived_head(
            blank,
            x,
            Projection(table(12, 4), table(7, 4), table(7, 4), *(table(1, 4)[0] for _ in "qkv")),
            x_keys,
        )
        for _ in range(3)
    ]
    return Inputs(
        "",
        ("q",) * n_query,
        tuple(heads),
        mask,
        x=x,
        w_o=table(12, 5)[:, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]],
        b_o=table(1, 12)[0],
        key_tokens=("k",) * n_key,
        x_keys=x_keys,
    )
