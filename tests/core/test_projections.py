"""q, k and v from x: the maps' arithmetic, and edits that derive only what depends on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz.core import edits, output_edits
from attnviz.core import projection_edits as layer
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.layer_output import concat, contributions, output, residual
from attnviz.core.projections import BIASES, WEIGHTS, Projection, project
from attnviz.core.steps import OWN_BYTES, Step
from attnviz.core.terms import map_terms

N, D_MODEL, D_K, D_V = 5, 6, 4, 3


def maps(rng, d_k=D_K, d_v=D_V, *, biased=True) -> Projection:
    tables = [rng.standard_normal((D_MODEL, dims)) for dims in (d_k, d_k, d_v)]
    rows = [rng.standard_normal(dims) if biased else None for dims in (d_k, d_k, d_v)]
    return Projection(*tables, *rows)


def layer_document(seed=0, n=N, n_heads=2, *, biased=True) -> Inputs:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, D_MODEL)).astype(np.float32)
    blank = Head("", np.zeros((n, D_K)), np.zeros((n, D_K)), np.zeros((n, D_V)))
    heads = tuple(layer.derived_head(blank, x, maps(rng, biased=biased)) for _ in range(n_heads))
    w_o = rng.standard_normal((n_heads * D_V, D_MODEL))
    return Inputs("", tuple("t" * n), heads, x=x, w_o=w_o, b_o=rng.standard_normal(D_MODEL))


def assert_derived(inputs: Inputs) -> None:
    """Every head with maps holds what they give of x."""
    for head in inputs.heads:
        if head.projection is not None:
            for which in "qkv":
                wanted = head.projection.derived(which, inputs.x)
                assert np.allclose(getattr(head, which), wanted, rtol=1e-6, atol=1e-7)


def test_a_projection_is_one_float64_product_and_one_rounding():
    rng = np.random.default_rng(1)
    x, w, bias = rng.standard_normal((7, 5)), rng.standard_normal((5, 3)), rng.standard_normal(3)
    assert np.array_equal(project(x, w, bias), (x @ w + bias).astype(np.float32))


def test_the_linear_map_example_by_hand():
    """The published map has the rows [1, 0] and [1, 2]: [2, 1] becomes [2·1 + 1·0, 2·1 + 1·2] = [2, 4]."""
    assert project([[2, 1]], np.transpose([[1, 0], [1, 2]])).tolist() == [[2, 4]]


def test_the_terms_of_a_derived_number_are_a_row_of_x_times_a_column_of_its_map():
    inputs = layer_document()
    maps_, x = inputs.heads[1].projection, inputs.x
    terms = map_terms(inputs, 1, "v", 3, 2)
    assert terms.factors == tuple(zip(x[3].tolist(), maps_.w_v[:, 2].tolist(), strict=True))
    assert terms.total == pytest.approx(sum(a * b for a, b in terms.factors), abs=1e-12)
    assert terms.bias == maps_.b_v[2]
    assert terms.result == inputs.heads[1].v[3, 2] == pytest.approx(terms.total + terms.bias, abs=1e-6)
    assert map_terms(layer.drop_bias(inputs, 1, "b_v"), 1, "v", 3, 2).bias is None
    with pytest.raises(InputError, match="not derived from x"):
        map_terms(layer.stop_projection(inputs, 1), 1, "v", 3, 2)


@pytest.mark.parametrize("which", BIASES)
def test_a_bias_that_is_added_is_zeros_and_changes_no_vector(which):
    inputs = layer_document(biased=False)
    added = layer.add_bias(inputs, 0, which)
    bias = getattr(added.heads[0].projection, which)
    assert not bias.any()
    assert len(bias) == (D_V if which == "b_v" else D_K)
    assert all(getattr(added.heads[0], vector) is getattr(inputs.heads[0], vector) for vector in "qkv")
    assert layer.add_bias(added, 0, which) is added
    assert not added.equals(inputs)
    assert layer.drop_bias(added, 0, which).equals(inputs)


def test_a_d_model_that_grows_adds_zeros_and_changes_no_vector():
    inputs = layer_document()
    grown = layer.resize_x(inputs, D_MODEL + 2)
    assert grown.x.shape == (N, D_MODEL + 2)
    assert not grown.x[:, D_MODEL:].any()
    for old, new in zip(inputs.heads, grown.heads, strict=True):
        assert all(getattr(new, vector) is getattr(old, vector) for vector in "qkv")
        for name in WEIGHTS:
            table = getattr(new.projection, name)
            assert len(table) == D_MODEL + 2
            assert not table[D_MODEL:].any()
    assert_derived(grown)
    assert layer.resize_x(grown, D_MODEL).equals(inputs)


def test_a_d_model_that_shrinks_cuts_x_and_all_maps_and_derives_anew():
    inputs = layer.stop_projection(layer_document(n_heads=3), 2)
    shrunk = layer.resize_x(inputs, 2)
    assert np.array_equal(shrunk.x, inputs.x[:, :2])
    assert np.array_equal(shrunk.heads[0].projection.w_k, inputs.heads[0].projection.w_k[:2])
    assert shrunk.heads[2] is inputs.heads[2]
    assert_derived(shrunk)
    assert not np.allclose(shrunk.heads[0].q, inputs.heads[0].q)


def test_a_head_that_leaves_x_and_comes_back_has_maps_in_few_digits():
    inputs = layer_document(biased=False)
    x, plain = np.eye(N, D_MODEL, dtype=np.float32), Projection(*(np.eye(D_MODEL, 4) for _ in range(3)))
    inputs = replace(inputs, x=x, heads=(layer.derived_head(inputs.heads[0], x, plain),), w_o=None, b_o=None)
    back = layer.start_projection(layer.stop_projection(inputs, 0), 0)
    assert np.array_equal(back.heads[0].projection.w_q[:N], np.eye(N, 4))


def test_an_edit_of_x_takes_the_marks_of_defaults_from_its_tokens():
    inputs = layer_document()
    more = edits.rearrange_tokens(inputs, "", ["t"] * (N + 1), [*range(N), None])
    assert more.heads[0].is_default.tolist() == [False] * N + [True]
    changed = layer.set_x_block(more, N, 0, [[1.0]])
    assert not changed.heads[0].is_default.any()
    assert Step.between(more, changed).undone(changed).equals(more)


@pytest.mark.parametrize("which", [*WEIGHTS, *BIASES])
def test_a_number_of_a_map_changes_one_column_of_one_vector(which):
    inputs = layer_document()
    changed = layer.set_projection_block(inputs, 1, which, 0, 2, [[7.5]])
    assert_derived(changed)
    old, new = inputs.heads[1], changed.heads[1]
    for vector in "qkv":
        if vector == which[-1]:
            columns = np.flatnonzero((getattr(old, vector) != getattr(new, vector)).any(axis=0))
            assert columns.tolist() == [2]
        else:
            assert getattr(new, vector) is getattr(old, vector)
    assert changed.heads[0] is inputs.heads[0]
    assert changed.x is inputs.x


def test_a_number_of_x_changes_one_row_of_every_derived_vector():
    inputs = layer_document()
    inputs = layer.stop_projection(inputs, 0)
    changed = layer.set_x_block(inputs, 3, 1, [[-2.0]])
    assert_derived(changed)
    assert changed.heads[0] is inputs.heads[0]
    for vector in "qkv":
        old, new = getattr(inputs.heads[1], vector), getattr(changed.heads[1], vector)
        assert np.flatnonzero((old != new).any(axis=1)).tolist() == [3]


def test_editing_q_of_a_derived_head_makes_it_one_of_vectors():
    inputs = layer_document()
    changed = edits.set_vector_value(inputs, 0, "q", 2, 1, 9.0)
    head = changed.heads[0]
    assert (head.source, head.projection) == ("vectors", None)
    assert head.q[2, 1] == 9.0
    assert head.k is inputs.heads[0].k
    assert Step.between(inputs, changed).undone(changed).equals(inputs)


@pytest.mark.parametrize("v_is_k", [False, True])
def test_starting_a_projection_without_x_changes_no_number(v_is_k):
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((N, dims)) for dims in (D_K, D_K, D_V))
    inputs = Inputs("", tuple("t" * N), (Head("", q, k, k if v_is_k else v, v_is_k=v_is_k),))
    started = layer.start_projection(inputs, 0)
    head = started.heads[0]
    assert head.source == "projection"
    for which in "qkv":
        assert np.array_equal(getattr(head, which), getattr(inputs.heads[0], which))
    assert started.x.shape == (N, 2 * D_K if v_is_k else 2 * D_K + D_V)


def test_starting_a_projection_beside_an_x_comes_as_near_as_least_squares_can():
    inputs = layer.stop_projection(layer_document(biased=False), 0)
    head = layer.start_projection(inputs, 0).heads[0]
    assert np.allclose(head.q, inputs.heads[0].q, atol=1e-5)


def test_a_new_token_has_a_zero_x_and_the_vectors_that_follow():
    inputs = layer_document()
    more = edits.rearrange_tokens(inputs, "", ["a"] * (N + 1), [4, 0, None, 1, 2, 3])
    assert_derived(more)
    assert not more.x[2].any()
    assert np.array_equal(more.heads[0].q[2], inputs.heads[0].projection.b_q)
    assert np.array_equal(more.x[0], inputs.x[4])


def test_w_o_follows_its_heads():
    inputs = layer_document(n_heads=3)
    row = {head: inputs.w_o[head * D_V : (head + 1) * D_V] for head in range(3)}
    moved = edits.move_head(inputs, 0, 2)
    assert np.array_equal(moved.w_o, np.concatenate([row[1], row[2], row[0]]))
    removed = edits.remove_head(inputs, 1)
    assert np.array_equal(removed.w_o, np.concatenate([row[0], row[2]]))
    added = edits.add_head(inputs, 1, "new")
    assert np.array_equal(added.w_o, np.concatenate([row[0], np.zeros((D_V, D_MODEL)), row[1], row[2]]))
    narrow = edits.resize_head(inputs, 1, D_K, D_V - 1)
    assert np.array_equal(narrow.w_o, np.concatenate([row[0], row[1][:-1], row[2]]))
    assert_derived(narrow)


def test_the_bias_of_an_identity_follows_its_heads():
    inputs = output_edits.set_w_o(layer_document(n_heads=2), None, [1, 2, 3, 4, 5, 6])
    assert edits.move_head(inputs, 0, 1).b_o.tolist() == [4, 5, 6, 1, 2, 3]


def test_names_of_x_follow_its_dimensions():
    inputs = layer_document()
    named = layer.rename_x_dimension(inputs, 4, "animal")
    assert named.x_names == ("0", "1", "2", "3", "animal", "5")
    assert named.heads is inputs.heads
    assert layer.rename_x_dimension(named, 4, "animal") is named
    assert layer.resize_x(named, 5).x_names == ("0", "1", "2", "3", "animal")
    assert layer.resize_x(named, 7).x_names == ("0", "1", "2", "3", "animal", "5", "6")
    plain_layer = layer.stop_projection(layer.stop_projection(named, 0), 1)
    assert replace(plain_layer, x=None).x_names == ()
    with pytest.raises(InputError, match="no dimension 6; 0 to 5"):
        layer.rename_x_dimension(inputs, 6, "x")
    with pytest.raises(InputError, match="2 names were given for the 6 dimensions of x"):
        replace(inputs, x_names=("a", "b"))


def test_columns_of_w_o_are_cut_at_the_end_or_added_as_zeros():
    inputs = layer_document(n_heads=2)
    fewer, more = output_edits.resize_output(inputs, 4), output_edits.resize_output(inputs, 8)
    assert np.array_equal(fewer.w_o, inputs.w_o[:, :4])
    assert np.array_equal(fewer.b_o, inputs.b_o[:4])
    assert np.array_equal(more.w_o, np.pad(inputs.w_o, ((0, 0), (0, 2))))
    assert np.array_equal(more.b_o, np.pad(inputs.b_o, (0, 2)))
    assert output_edits.resize_output(inputs, 6) is inputs
    with pytest.raises(InputError, match="4097 dimensions were asked for W_O"):
        output_edits.resize_output(inputs, 4097)


def test_the_identity_with_another_number_of_columns_is_one_as_far_as_it_reaches():
    inputs = output_edits.set_w_o(layer_document(), None)
    assert np.array_equal(output_edits.resize_output(inputs, 4).w_o, np.eye(6, 4))
    assert np.array_equal(output_edits.resize_output(inputs, 7).w_o, np.eye(6, 7))


def test_contributions_of_the_heads_sum_to_the_output():
    inputs = layer_document(n_heads=3)
    rng = np.random.default_rng(5)
    outputs = [rng.standard_normal((N, D_V)).astype(np.float32) for _ in range(3)]
    whole = output(concat(outputs), inputs)
    exact = np.concatenate(outputs, axis=1).astype(float) @ inputs.w_o.astype(float) + inputs.b_o
    assert np.allclose(whole, exact, atol=1e-5)
    shares = contributions([o[2] for o in outputs], inputs)
    assert np.allclose(shares.sum(axis=0) + inputs.b_o, whole[2], atol=1e-5)
    assert np.allclose(residual(whole, inputs), inputs.x + whole)


def test_without_w_o_the_output_is_concat_itself():
    inputs = output_edits.set_w_o(layer_document(), None)
    outputs = [np.full((N, D_V), head, np.float32) for head in range(2)]
    whole = output(concat(outputs), inputs)
    assert np.array_equal(whole, concat(outputs))
    assert contributions([o[0] for o in outputs], inputs).tolist() == [[0] * 6, [0, 0, 0, 1, 1, 1]]
    written = output_edits.set_w_o_block(inputs, 1, 1, [[2.0]])
    assert np.array_equal(written.w_o, np.diag([1, 2, 1, 1, 1, 1]))


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda i: layer.set_x_block(i, 4, 5, [[1, 2]]), "do not fit into x"),
        (lambda i: layer.set_x_block(i, 0, 0, [[np.nan]]), "x holds nan"),
        (lambda i: layer.set_projection_block(i, 0, "w_q", D_MODEL, 0, [[1]]), "do not fit into W_Q"),
        (lambda i: layer.set_projection_block(i, 0, "w_q", 0, 0, [[1e7]]), "W_Q holds 10000000.0"),
        (lambda i: output_edits.set_w_o_block(i, 0, D_MODEL, [[1]]), "do not fit into W_O"),
        (lambda i: output_edits.set_w_o(i, np.zeros((5, 6))), "W_O has 5 rows"),
        (lambda i: output_edits.set_w_o(i, i.w_o, [1, 2]), "b_O has shape (2,)"),
        (lambda i: replace(i, x=np.zeros((N, 7))), "x has 7 dimensions"),
        (lambda i: layer.resize_x(i, 0), "0 dimensions were asked for x"),
        (lambda i: layer.resize_x(i, 4097), "4097 dimensions were asked for x"),
        (lambda i: replace(i, x=None), "there is no x"),
        (lambda i: replace(i, x=np.zeros((N + 1, D_MODEL))), "x has 6 rows, but there are 5 tokens"),
        (lambda i: Projection(np.zeros((2, 3)), np.zeros((4, 3)), np.zeros((2, 3))), "W_K has 4"),
        (lambda i: Projection(np.zeros((2, 3)), np.zeros((2, 4)), np.zeros((2, 3))), "W_K has 4"),
        (lambda i: layer.drop_bias(layer.stop_projection(i, 0), 0, "b_q"), "is not derived from x"),
        (lambda i: layer.set_projection_block(i, 0, "w_q", 0, 0, [[1e6]] * D_MODEL), "x · W holds"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_one_sentence(spoil, sentence):
    inputs = layer.set_x_block(layer_document(), 0, 0, [[1000.0] * D_MODEL])
    with pytest.raises(InputError) as refused:
        spoil(inputs)
    assert sentence in str(refused.value)


def random_layer_edit(inputs: Inputs, draw) -> Inputs:
    head = draw(st.integers(0, inputs.n_heads - 1))
    value = draw(st.sampled_from([-2.0, -0.0, 0.0, 0.5, 3.0]))
    d_k, d_v = inputs.heads[head].d_k, inputs.heads[head].d_v
    which = draw(st.sampled_from([*WEIGHTS, *BIASES]))
    kinds = {
        "x": lambda: layer.set_x_block(inputs, draw(st.integers(0, inputs.n_tokens - 1)), 1, [[value]]),
        "map": lambda: layer.set_projection_block(inputs, head, which, 0, 0, [[value]]),
        "add": lambda: layer.add_bias(inputs, head, draw(st.sampled_from(BIASES))),
        "d_model": lambda: layer.resize_x(inputs, draw(st.integers(2, 7))),
        "drop": lambda: layer.drop_bias(inputs, head, draw(st.sampled_from(BIASES))),
        "start": lambda: layer.start_projection(inputs, head),
        "stop": lambda: layer.stop_projection(inputs, head),
        "w_o": lambda: output_edits.set_w_o_block(
            inputs, draw(st.integers(0, inputs.d_concat - 1)), 0, [[value]]
        ),
        "no w_o": lambda: output_edits.set_w_o(inputs, None),
        "b_o": lambda: output_edits.set_b_o_block(inputs, inputs.d_output - 1, [[value]]),
        "q": lambda: edits.set_vector_value(inputs, head, "q", 0, 0, value),
        "v = k": lambda: edits.set_v_is_k(inputs, head, d_k == d_v),
        "size": lambda: edits.resize_head(
            inputs, head, draw(st.integers(1, 5)), draw(st.integers(1, 5))
        ),
        "move": lambda: edits.move_head(inputs, head, 0),
        "copy": lambda: edits.copy_head(inputs, head, "c") if inputs.n_heads < 4 else inputs,
        "remove": lambda: edits.remove_head(inputs, head) if inputs.n_heads > 1 else inputs,
        "token": lambda: edits.rearrange_tokens(
            inputs, "", [*inputs.tokens, "+"], [*range(inputs.n_tokens), None]
        ),
    }  # fmt: skip
    kind = draw(st.sampled_from(sorted(kinds)))
    if kind in ("map", "drop", "add") and inputs.heads[head].projection is None:
        return inputs
    return kinds[kind]()


@settings(max_examples=60)
@given(data=st.data())
def test_undo_to_the_start_and_redo_to_the_end_give_the_same_documents(data):
    n = data.draw(st.sampled_from([N, 700]))  # of 700 tokens steps keep lines, not arrays
    documents = [layer_document(n=n)]
    steps = []
    for _ in range(data.draw(st.integers(1, 8))):
        documents.append(random_layer_edit(documents[-1], data.draw))
        assert_derived(documents[-1])
        steps.append(Step.between(documents[-2], documents[-1]))
    now = documents[-1]
    for step, wanted in zip(reversed(steps), reversed(documents[:-1]), strict=True):
        now = step.undone(now)
        assert now.equals(wanted)
    for step, wanted in zip(steps, documents[1:], strict=True):
        now = step.redone(now)
        assert now.equals(wanted)


def test_a_step_in_a_large_layer_keeps_lines_and_not_arrays():
    inputs = layer_document(n=2000)
    assert Step.between(inputs, layer.set_x_block(inputs, 7, 1, [[2.0]])).nbytes < OWN_BYTES + 1000
    column = Step.between(inputs, layer.set_projection_block(inputs, 0, "w_q", 1, 1, [[2.0]])).nbytes
    assert column < 2.5 * inputs.heads[0].q.nbytes / D_K + OWN_BYTES + 1000
