"""Matrices of q, k and v in one, as GPT-2 and torch store them: what they make of a document."""

from __future__ import annotations

import numpy as np
import pytest

from attnviz.core.errors import InputError
from attnviz.core.head import Head
from attnviz.core.import_edits import import_arrays
from attnviz.core.import_joined import is_turned
from attnviz.core.import_parts import Part
from attnviz.core.inputs import Inputs
from attnviz.engine.arrays import attention_of
from tests.models import published_partials, tensors_of, trained

RNG = np.random.default_rng(0)
D, N = 8, 5


def numbers(*shape):
    return RNG.normal(size=shape).astype(np.float32)


@pytest.fixture
def document():
    heads = [Head("a", numbers(N, 2), numbers(N, 2), numbers(N, 3))]
    return Inputs("abcde", tuple("abcde"), heads, x=numbers(N, D))


@pytest.mark.parametrize("turned", [False, True], ids=["x · W", "W · x"])
@pytest.mark.parametrize("heads", [1, 2, 4])
def test_columns_are_q_then_k_then_v_and_heads_side_by_side_in_each(document, turned, heads):
    w, b = numbers(D, 3 * D), numbers(3 * D)
    given = w.T if turned else w
    parts = [
        Part("c_attn.weight", "w_qkv", given, shares=heads, is_transposed=turned),
        Part("c_attn.bias", "b_qkv", b, shares=heads),
    ]
    after = import_arrays(document, parts)
    wanted = document.x.astype(np.float64) @ w + b
    q, k, v = np.split(wanted, 3, axis=1)
    assert after.n_heads == heads
    width = D // heads
    for place, head in enumerate(after.heads):
        own = slice(place * width, (place + 1) * width)
        for which, whole in (("q", q), ("k", k), ("v", v)):
            assert np.allclose(getattr(head, which), whole[:, own], atol=1e-5)
        assert head.projection is not None


def test_vectors_in_one_are_taken_apart_too(document):
    qkv = numbers(1, N, 12)
    after = import_arrays(document, [Part("qkv", "qkv", qkv, shares=2)])
    assert np.array_equal(after.heads[1].k, qkv[0, :, 6:8])


def test_a_width_that_is_no_three_of_one_names_the_axis_and_both_sizes(document):
    with pytest.raises(
        InputError, match=r"“c_attn” has 25 columns \(axis 1\), which q, k and v cannot share"
    ):
        import_arrays(document, [Part("c_attn", "w_qkv", numbers(D, 25), shares=1)])
    with pytest.raises(InputError, match=r"“in_proj” has 25 columns \(axis 0\), which q, k and v cannot"):
        import_arrays(document, [Part("in_proj", "w_qkv", numbers(25, D), shares=1, is_transposed=True)])


def test_another_d_model_than_x_has_names_the_third_and_both_sizes(document):
    with pytest.raises(InputError, match=r"“c_attn, W_Q” has 6 rows \(axis 0\), but x has 8 columns"):
        import_arrays(document, [Part("c_attn", "w_qkv", numbers(6, 18), shares=1)])


def test_heads_that_cannot_share_a_third_are_refused(document):
    with pytest.raises(
        InputError, match=r"“c_attn, W_Q” has 8 columns \(axis 1\), which 3 heads cannot share"
    ):
        import_arrays(document, [Part("c_attn", "w_qkv", numbers(D, 3 * D), shares=3)])


@pytest.mark.parametrize(
    ("shape", "turned"), [((768, 2304), False), ((2304, 768), True), ((48, 144), False), ((144, 48), True)]
)
def test_which_way_round_it_is_is_seen_by_its_shape(shape, turned):
    assert is_turned("w_qkv", shape, not turned) == turned
    assert is_turned("w_q", shape, True)


@pytest.mark.parametrize("turned", [False, True], ids=["as converted for transformers", "as torch has it"])
def test_a_trained_layer_gives_the_numbers_that_its_makers_published(turned):
    folder = trained("gpt-nano-sort")
    published = published_partials(folder)
    weights = tensors_of(folder / "hf" / "model.safetensors")
    w, b = (weights[f"transformer.h.0.attn.c_attn.{which}"] for which in ("weight", "bias"))
    x = published["ln1"][0]
    n = len(x)
    start = Inputs("", tuple(map(str, range(n))), [Head("a", np.zeros((n, 1)), np.zeros((n, 1)), x)], x=x)
    parts = [
        Part("c_attn.weight", "w_qkv", w.T if turned else w, shares=3, is_transposed=turned),
        Part("c_attn.bias", "b_qkv", b, shares=3),
    ]
    after = import_arrays(start, parts)
    for place, head in enumerate(after.heads):
        for which in "qkv":
            assert np.allclose(getattr(head, which), published[which][0, place], atol=2e-5)
    assert np.allclose(attention_of(after).weights, published["attSm"][0], atol=2e-5)
