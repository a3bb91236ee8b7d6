"""The chain of shapes is the published one, and its counts follow from the shapes by formula."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from attnviz.core.inputs import Head, Inputs
from attnviz.core.layer_output import concat, output
from attnviz.core.masks import NoMask
from attnviz.core.projections import Projection
from attnviz.core.shape_chain import shape_chain
from attnviz.core.synthetic_layer import synthetic_layer


@pytest.fixture(scope="module")
def andrea() -> Inputs:
    tokens = [str(index % 50) for index in range(1024)]
    return synthetic_layer(tokens, [f"h{index}" for index in range(12)], d_model=768, d_k=64, seed=1)


def vectors(name: str, n: int, d_k: int, d_v: int) -> Head:
    random = np.random.RandomState(d_k)
    return Head(name, *(random.standard_normal((n, width)) for width in (d_k, d_k, d_v)))


def derived(name: str, x, d_k: int, d_v: int, biased: bool) -> Head:
    random = np.random.RandomState(d_k)
    maps = [random.standard_normal((x.shape[1], width)) for width in (d_k, d_k, d_v)]
    biases = [random.standard_normal(width) if biased else None for width in (d_k, d_k, d_v)]
    projection = Projection(*maps, *biases)
    q, k, v = (projection.derived(which, x) for which in "qkv")
    return Head(name, q, k, v, source="projection", projection=projection)


def test_the_published_shapes_come_out(andrea: Inputs, shared) -> None:
    published = json.loads((shared / "golden" / "andrea.json").read_text("utf-8"))
    chain = shape_chain(andrea, 3)
    for name, shape in published["shapes"].items():
        array = chain.array(name)
        assert array is not None
        assert array.own is not None
        assert list(array.own.shape) == shape, name
    assert chain.scores_per_head == published["scores_per_head"] == 1_048_576
    assert chain.scores_in_all == 12 * 1_048_576


def test_the_counts_of_the_published_layer_follow_by_formula(andrea: Inputs) -> None:
    chain = shape_chain(andrea, 0)
    n, d_model, d_k, heads = 1024, 768, 64, 12
    cost = {array.name: array.multiply_adds_in_all for array in chain.arrays}
    assert cost["q"] == cost["k"] == cost["v"] == n * d_model * d_k * heads
    assert cost["scores"] == cost["head_output"] == n * n * d_k * heads
    assert cost["scaled"] == cost["masked"] == cost["weights"] == cost["concat"] == 0
    assert cost["output"] == n * d_model * d_model
    assert chain.multiply_adds == sum(cost.values()) == 4 * n * d_model**2 + 2 * n * n * d_model
    assert chain.parameters == 4 * d_model**2
    scores = chain.array("scores")
    assert scores is not None
    assert scores.own is not None
    assert scores.own.n_bytes == 4_194_304
    assert scores.n_bytes_in_all == 50_331_648


@pytest.mark.parametrize("head", [0, 1, 2])
def test_every_array_has_the_shape_it_has_in_fact(head: int) -> None:
    x = np.random.RandomState(0).standard_normal((5, 6)).astype(np.float32)
    heads = (derived("a", x, 2, 3, False), vectors("b", 5, 4, 1), derived("c", x, 7, 2, True))
    inputs = Inputs("", tuple("abcde"), heads, x=x, w_o=np.ones((6, 9)), b_o=np.ones(9))
    chain, mine = shape_chain(inputs, head), heads[head]
    joined = concat([h.v for h in heads])
    facts = {
        "x": x,
        "q": mine.q,
        "k": mine.k,
        "v": mine.v,
        "scores": mine.q @ mine.k.T,
        "head_output": mine.v,
    }
    facts |= {"concat": joined, "w_o": inputs.w_o, "b_o": inputs.b_o, "output": output(joined, inputs)}
    if mine.projection is not None:
        facts |= {name: getattr(mine.projection, name) for name in ("w_q", "w_k", "w_v", "b_q", "b_v")}
    for name, fact in facts.items():
        array = chain.array(name)
        if fact is None:
            assert array is None
            continue
        assert array is not None
        assert array.own is not None
        assert (array.own.size, array.own.shape[1]) == (fact.size, fact.shape[-1]), name
        assert array.own.n_bytes == np.asarray(fact, np.float32).nbytes


def test_sums_are_over_all_heads_of_whatever_size_and_source() -> None:
    x = np.ones((5, 6), np.float32)
    heads = (derived("a", x, 2, 3, False), vectors("b", 5, 4, 1), derived("c", x, 7, 2, True))
    inputs = Inputs("", tuple("abcde"), heads, x=x)
    chains = [shape_chain(inputs, head) for head in range(3)]
    for chain in chains:
        assert chain.parameters == 6 * (2 + 2 + 3) + 6 * (7 + 7 + 2) + (7 + 7 + 2)
        assert chain.multiply_adds == 5 * 6 * (7 + 16) + 25 * (2 + 4 + 7) + 25 * (3 + 1 + 2)
        assert chain.d_v_of_heads == (3, 1, 2)
    maps_of_plain_head = next(array for array in chains[1].arrays if array.name == "w_q")
    assert maps_of_plain_head.own is None
    assert maps_of_plain_head.size_in_all == 6 * (2 + 7)
    assert chains[1].array("w_q") is None


def test_a_document_of_vectors_starts_at_q_and_learns_nothing() -> None:
    inputs = Inputs("", tuple("ab"), (vectors("a", 2, 3, 4),))
    chain = shape_chain(inputs, 0)
    assert [array.name for array in chain.arrays][:4] == ["q", "k", "v", "scores"]
    assert chain.array("w_o") is None
    assert chain.parameters == 0
    assert chain.multiply_adds == 4 * 3 + 4 * 4
    assert next(array.formula for array in chain.arrays if array.name == "output") == "concat"


def test_cross_attention_counts_queries_and_keys_apart() -> None:
    x, x_keys = np.ones((2, 3), np.float32), np.ones((5, 4), np.float32)
    maps = Projection(np.ones((3, 6)), np.ones((4, 6)), np.ones((4, 7)))
    vectors = (maps.derived("q", x), maps.derived("k", x_keys), maps.derived("v", x_keys))
    head = Head("a", *vectors, source="projection", projection=maps)
    inputs = Inputs("", tuple("ab"), (head,), mask=NoMask(), x=x, x_keys=x_keys, key_tokens=tuple("vwxyz"))
    chain = shape_chain(inputs, 0)
    shapes = {array.name: array.own.shape for array in chain.arrays if array.own is not None}
    wanted = {"x": (2, 3), "x_keys": (5, 4), "q": (2, 6), "k": (5, 6), "v": (5, 7), "scores": (2, 5)}
    wanted |= {"weights": (2, 5), "head_output": (2, 7), "output": (2, 7), "w_k": (4, 6)}
    assert wanted.items() <= shapes.items()
    axes = {array.name: array.axes for array in chain.arrays}
    assert (axes["scores"], axes["v"]) == (("n_query", "n_key"), ("n_key", "d_v"))
    assert (axes["x_keys"], axes["w_v"]) == (("n_key", "d_model_k"), ("d_model_k", "d_v"))
    assert next(array.formula for array in chain.arrays if array.name == "k") == "x_K · W_K"
    made = 2 * 3 * 6 + 5 * 4 * (6 + 7)
    assert chain.multiply_adds == made + 2 * 5 * 6 + 2 * 5 * 7


def test_formulas_name_biases_only_where_they_are() -> None:
    x = np.ones((2, 3), np.float32)
    heads = (derived("a", x, 2, 2, True), derived("b", x, 2, 2, False))
    inputs = Inputs("", tuple("ab"), heads, x=x)
    with_w_o = replace(inputs, w_o=np.eye(4), b_o=np.ones(4))
    texts = {array.name: array.formula for array in shape_chain(with_w_o, 0).arrays}
    assert (texts["q"], texts["output"]) == ("x · W_Q + b_Q", "concat · W_O + b_O")
    texts = {array.name: array.formula for array in shape_chain(inputs, 1).arrays}
    assert (texts["q"], texts["output"]) == ("x · W_Q", "concat")
