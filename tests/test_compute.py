"""The public door: compute(), view() and what importing attnviz costs."""

from __future__ import annotations

import math
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest

import attnviz
from attnviz.core.attention import define
from attnviz.core.errors import InputError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.masks import CausalMask, CustomMask, NoMask

RNG = np.random.default_rng(0)
Q, K, V = (RNG.standard_normal((2, 5, dims)).astype(np.float32) for dims in (3, 3, 4))


def test_every_stage_has_an_axis_of_heads():
    result = attnviz.compute(Q, K, V)
    for stage in ("scores", "scaled", "masked", "weights"):
        array = getattr(result, stage)
        assert (array.shape, array.dtype) == ((2, 5, 5), np.float32)
        assert not array.flags.writeable
    assert result.head_output.shape == (2, 5, 4)
    inputs = Inputs("", tuple("abcde"), tuple(Head("", *one) for one in zip(Q, K, V, strict=True)))
    for head in range(2):
        wanted = define(inputs, head)
        for stage in ("scores", "scaled", "masked", "weights", "head_output"):
            assert np.allclose(getattr(result, stage)[head], getattr(wanted, stage), rtol=1e-5, atol=1e-6)


def test_two_axes_are_one_head():
    one, stacked = attnviz.compute(Q[0], K[0], V[0]), attnviz.compute(Q[:1], K[:1], V[:1])
    assert one.weights.shape == (1, 5, 5)
    assert np.array_equal(one.head_output, stacked.head_output)


def test_lists_and_what_numpy_can_read_are_taken():
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return self.array

    wanted = attnviz.compute(Q, K, V).weights
    assert np.array_equal(attnviz.compute(Q.tolist(), K.tolist(), V.tolist()).weights, wanted)
    assert np.array_equal(attnviz.compute(Tensor(Q), Tensor(K), Tensor(V)).weights, wanted)
    assert attnviz.compute([[1]], [[True]], [[2]]).head_output.tolist() == [[[2.0]]]


def test_masks_are_named_or_given():
    none = attnviz.compute(Q, K, V, mask="none")
    assert (none.weights > 0).all()
    assert np.array_equal(attnviz.compute(Q, K, V, mask=np.ones((5, 5), bool)).weights, none.weights)
    lower = np.tril(np.ones((5, 5), bool))
    causal = attnviz.compute(Q, K, V)
    assert np.allclose(attnviz.compute(Q, K, V, mask=lower.tolist()).weights, causal.weights, rtol=1e-6)
    assert (causal.masked[:, ~lower] == -math.inf).all()
    assert (attnviz.compute(Q, K, V, mask_fill=-1e9).masked[:, ~lower] == np.float32(-1e9)).all()
    assert (attnviz.compute(Q, K, V, mask=np.zeros((5, 5), bool)).head_output == 0).all()


@pytest.mark.parametrize("alignment", ["first", "last"])
@pytest.mark.parametrize(("n_query", "n_key"), [(5, 3), (2, 5), (1, 5)])
def test_keys_may_be_others_in_number_than_queries(alignment, n_query, n_key):
    q, k, v = Q[:, :n_query], K[:, :n_key], V[:, :n_key]
    for mask in ("causal", "none", RNG.random((n_query, n_key)) < 0.5):
        result = attnviz.compute(q, k, v, mask=mask, alignment=alignment)
        assert result.weights.shape == (2, n_query, n_key)
        assert result.head_output.shape == (2, n_query, 4)
        rule = {"causal": CausalMask, "none": NoMask}.get(mask) if isinstance(mask, str) else None
        inputs = Inputs(
            "",
            "abcde"[:n_query],
            tuple(Head("", *one) for one in zip(q, k, v, strict=True)),
            CustomMask(mask) if rule is None else rule(alignment=alignment),
            key_tokens="vwxyz"[:n_key],
        )
        for head in range(2):
            wanted = define(inputs, head)
            for stage in ("scores", "scaled", "masked", "weights", "head_output"):
                got = getattr(result, stage)[head]
                assert np.allclose(got, getattr(wanted, stage), rtol=1e-5, atol=1e-6)


def test_key_tokens_change_no_number():
    named = attnviz.compute(Q, K, V, key_tokens=list("vwxyz"))
    assert np.array_equal(named.weights, attnviz.compute(Q, K, V).weights)


def test_a_large_scale_strength_flattens():
    sharp, flat = (attnviz.compute(Q, K, V, scale_strength=s).weights.max() for s in (0.01, 100))
    assert sharp > 0.99
    assert flat <= 1
    assert np.ptp(attnviz.compute(Q, K, V, mask="none", scale_strength=100).weights) < 0.05


def test_300_tokens_come_out_whole():
    q, k, v = (RNG.standard_normal((3, 300, 8)) for _ in range(3))
    result = attnviz.compute(q, k, v)
    assert np.allclose(result.scores, q @ k.transpose(0, 2, 1), atol=1e-4)
    assert np.allclose(result.weights.sum(axis=2), 1, atol=1e-5)


BAD = {
    "ragged": ({"q": [[1, 2], [3]]}, "q is ragged"),
    "empty": ({"q": []}, r"q is empty \(shape \(0,\)\)"),
    "no dimension": ({"v": np.ones((2, 5, 0))}, r"v is empty \(shape \(2, 5, 0\)\)"),
    "one axis": ({"q": [1.0, 2.0]}, r"q has shape \(2,\); \(n_heads, n, d\) or \(n, d\) is wanted"),
    "four axes": ({"k": np.ones((1, 2, 5, 3))}, r"k has shape \(1, 2, 5, 3\)"),
    "mixed axes": ({"k": K[0]}, r"q has shape \(2, 5, 3\) and k has shape \(5, 3\)"),
    "heads": ({"k": K[:1]}, r"q has 2 heads and k has 1 \(axis 0\)"),
    "heads of v": ({"v": V[:1]}, r"q has 2 heads and v has 1 \(axis 0\)"),
    "keys": ({"k": K[:, :4]}, r"k has 4 keys and v has 5 \(axis 1\); both need one row per key"),
    "values": ({"v": V[:, :4]}, r"k has 5 keys and v has 4 \(axis 1\)"),
    "key tokens": ({"key_tokens": ["a"]}, "1 key_tokens were given for arrays of 5; one each is needed"),
    "key tokens of none": ({"key_tokens": 3}, "key_tokens is 3; a list of texts is wanted"),
    "alignment": ({"alignment": "middle"}, "alignment of queries and keys is “middle”; first or last"),
    "mask of other keys": (
        {"k": K[:, :4], "v": V[:, :4], "mask": np.ones((5, 5), bool)},
        r"shape \(5, 5\); \(5, 4\) is wanted",
    ),
    "d_k": ({"k": K[..., :2]}, r"q has 3 dimensions and k has 2 \(axis 2\)"),
    "NaN": ({"q": np.where(Q[1, 2, 0] == Q, np.nan, Q)}, "q, head 1 holds nan at token 2, dimension 0"),
    "infinite": (
        {"v": np.where(V[0, 4, 3] == V, -np.inf, V)},
        "v, head 0 holds -inf at token 4, dimension 3",
    ),
    "too large": ({"k": K * 1e7}, "magnitude up to 1e6"),
    "too large for float16": (
        {"q": np.full((2, 5, 3), np.inf, np.float16)},
        "q, head 0 holds inf at token 0",
    ),
    "the least int64": (
        {"q": np.full((2, 5, 3), -(2**63))},
        "q, head 0 holds -9223372036854775808 at token 0",
    ),
    "masked": ({"q": np.ma.masked_array(Q, mask=Q > 0)}, "q cannot be read .* masked"),
    "masked mask": (
        {"mask": np.ma.masked_array(np.ones((5, 5), bool), mask=np.eye(5))},
        "The mask cannot be read .* masked",
    ),
    "tokens": (
        {which: np.ones((1_048_577, 1), np.float32) for which in "qkv"},
        "There are 1048577 tokens",
    ),
    "key tokens at all": (
        {"k": np.ones((1_048_577, 3), np.float32), "v": np.ones((1_048_577, 1), np.float32), "q": Q[0]},
        "There are 1048577 tokens",
    ),
    "heads at all": (
        {"q": np.ones((257, 1, 1)), "k": np.ones((257, 1, 1)), "v": np.ones((257, 1, 1))},
        "257 heads",
    ),
    "objects": ({"q": [[None, 1.0]]}, "q holds object, not numbers"),
    "strings": ({"q": [["1", "2"]]}, "q holds <U1, not numbers"),
    "text": ({"q": "abc"}, "q holds <U3, not numbers"),
    "complex": ({"q": Q * 1j}, "q holds complex64, not numbers"),
    "mask name": ({"mask": "future"}, "no mask “future”; causal, none or a bool array"),
    "mask shape": ({"mask": np.ones((4, 5), bool)}, r"shape \(4, 5\); \(5, 5\) is wanted"),
    "mask of heads": ({"mask": np.ones((2, 5, 5), bool)}, r"bool \(2, 5, 5\); a bool array"),
    "mask numbers": ({"mask": np.tril(np.ones((5, 5)))}, r"float64 \(5, 5\); a bool array"),
    "ragged mask": ({"mask": [[True], [True, False]]}, "The mask is ragged"),
    "no mask": ({"mask": None}, "There is no mask “None”; causal, none or a bool array"),
    "endless mask name": ({"mask": "x" * 1000}, "no mask “x{299}…”"),
    "strength 0": ({"scale_strength": 0}, "scale strength is 0; a number from 0.01 to 100"),
    "strength negative": ({"scale_strength": -1}, "scale strength is -1;"),
    "strength NaN": ({"scale_strength": math.nan}, "scale strength is nan;"),
    "strength large": ({"scale_strength": 101}, "scale strength is 101;"),
    "strength a bit large": ({"scale_strength": 100.0001}, "scale strength is 100.0001;"),
    "strength a bit small": ({"scale_strength": np.float32(0.01)}, "scale strength is 0.0099999"),
    "strength text": ({"scale_strength": "much"}, "scale_strength is 'much', not a number"),
    "fill NaN": ({"mask_fill": math.nan}, "mask value is nan"),
    "fill infinite": ({"mask_fill": math.inf}, "mask value is inf"),
    "fill beyond float32": (
        {"mask_fill": np.finfo(np.float64).min},
        r"mask value -1.79\d*e\+308 is out of range; write a number from -3.4028235e\+38 to 3.4028235e\+38",
    ),
    "fill none": ({"mask_fill": None}, "mask_fill is None, not a number"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_with_a_sentence(case):
    changed, sentence = BAD[case]
    with pytest.raises(InputError, match=sentence):
        attnviz.compute(**{"q": Q, "k": K, "v": V} | changed)


def test_what_cannot_be_read_says_why():
    class OnAnotherDevice:
        def __array__(self, dtype=None, copy=None):
            raise TypeError("can't convert cuda:0 device type tensor to numpy")

    with pytest.raises(InputError, match=r"k cannot be read as an array of numbers: can't convert cuda:0"):
        attnviz.compute(Q, OnAnotherDevice(), V)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RuntimeError("first line\nsecond line"), "numbers: first line second line$"),
        (RuntimeError(), "numbers: RuntimeError$"),
        (ValueError("not on this device"), "numbers: not on this device$"),
    ],
)
def test_what_another_library_says_is_quoted_on_one_line(error, said):
    class Foreign:
        def __array__(self, dtype=None, copy=None):
            raise error

    with pytest.raises(InputError, match=said):
        attnviz.compute(Foreign(), K, V)


@pytest.mark.parametrize(
    "kind", ["float16", "float32", "float64", ">f4", "longdouble", "int8", "uint64", "bool"]
)
def test_every_kind_of_real_number_is_taken_without_a_warning(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = attnviz.compute(*[np.abs(x * 3).astype(kind) for x in (Q, K, V)])
    assert np.allclose(result.weights.sum(axis=2), 1, atol=1e-5)


def test_the_ends_of_float32_are_mask_values():
    for fill in (-3.4028235e38, np.finfo(np.float32).min, 3.4028235e38):
        assert np.isfinite(attnviz.compute(Q, K, V, mask_fill=fill).head_output).all()


@pytest.fixture
def opened(monkeypatch):
    """What the window is opened on, without a window."""
    documents = []
    app = types.ModuleType("attnviz.gui.app")
    app.view_inputs = documents.append
    monkeypatch.setitem(sys.modules, "attnviz.gui.app", app)
    return documents


def test_view_opens_the_window_on_the_vectors(opened):
    mask = np.ones((5, 5), bool)
    tokens = ["猫", "が", "魚", "を", "食べた"]
    attnviz.view(Q, K, V, tokens, mask=mask, scale_strength=2, mask_fill=-1e9, names=["意味", "直前"])
    [inputs] = opened
    assert isinstance(inputs, attnviz.Inputs)
    assert inputs.tokens == tuple(tokens)
    assert inputs.text == "猫が魚を食べた"
    assert [head.name for head in inputs.heads] == ["意味", "直前"]
    assert (inputs.scale_strength, inputs.mask_fill) == (2.0, -1e9)
    assert isinstance(inputs.mask, CustomMask)
    assert np.array_equal(inputs.heads[1].v, V[1])


def test_view_numbers_what_has_no_name(opened):
    attnviz.view(Q, K, V)
    assert opened[0].tokens == ("0", "1", "2", "3", "4")
    assert [head.name for head in opened[0].heads] == ["0", "1"]


def test_view_shows_keys_as_tokens_of_their_own_where_they_are(opened):
    attnviz.view(Q[:, :2], K, V, ["それ", "猫"], key_tokens=["it", "is", "a", "big", "cat"], alignment="last")
    attnviz.view(Q[:, :2], K, V, mask="none")
    attnviz.view(Q, K, V, mask="none")
    named, numbered, alone = opened
    assert (named.tokens, named.key_tokens) == (("それ", "猫"), ("it", "is", "a", "big", "cat"))
    assert (named.text, named.key_text) == ("それ猫", "it is a big cat")
    assert named.mask.equals(CausalMask(alignment="last"))
    assert (numbered.tokens, numbered.key_tokens) == (("0", "1"), ("0", "1", "2", "3", "4"))
    assert not alone.is_cross


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"key_tokens": ["a"]}, "1 key_tokens were given for arrays of 5"),
        ({"tokens": ["a"]}, "1 tokens were given for arrays of 5"),
        ({"names": ["a", "b", "c"]}, "3 names were given for 2 heads"),
        ({"tokens": 5}, "tokens is 5; a list of texts is wanted"),
        ({"names": 2.5}, "names is 2.5; a list of texts is wanted"),
        ({"mask": "future"}, "no mask"),
    ],
)
def test_view_refuses_what_does_not_fit_and_opens_nothing(opened, bad, sentence):
    with pytest.raises(InputError, match=sentence):
        attnviz.view(Q, K, V, **bad)
    assert opened == []


def test_names_that_are_not_there_are_not_there():
    assert attnviz.Attention.__name__ == "Attention"
    assert all(hasattr(attnviz, name) for name in attnviz.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        attnviz.nonsense  # noqa: B018


def test_importing_attnviz_loads_neither_qt_nor_numpy_and_computing_loads_no_qt():
    code = (
        "import sys, attnviz\n"
        "heavy = {'numpy', 'PySide6', 'pyqtgraph', 'regex', 'threadpoolctl'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
        "attnviz.compute([[1]], [[1]], [[1]])\n"
        "assert not {'PySide6', 'pyqtgraph'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=attnviz.__path__[0] + "/..")
