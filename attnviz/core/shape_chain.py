"""The shapes of a layer, array by array from x to the output, and the counts that follow from them.

Data only, from the sizes of a document; no array's numbers are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from attnviz.core.inputs import Head, Inputs
from attnviz.core.projections import BIASES, WEIGHTS

BYTES_PER_NUMBER = 4
"""Of float32, which all arrays are counted as."""
STAGES = ("scores", "scaled", "masked", "weights")


@dataclass(frozen=True)
class Extent:
    """How large one array is, and what its product costs.

    Attributes
    ----------
    shape
        (rows, columns); a bias has one row.
    multiply_adds
        Of the product that makes it; 0 where there is none.
    """

    shape: tuple[int, int]
    multiply_adds: int = 0

    @property
    def size(self) -> int:
        """Numbers it holds."""
        return self.shape[0] * self.shape[1]

    @property
    def n_bytes(self) -> int:
        """Bytes it takes as float32."""
        return self.size * BYTES_PER_NUMBER


@dataclass(frozen=True)
class ChainArray:
    """One array of the chain, in the chosen head and in all of them.

    Attributes
    ----------
    name
        ``x``, ``w_q``, ``b_q``, ``q``, ``x_keys``, ``w_k`` …, ``k``, ``v``, a stage, ``head_output``,
        ``concat``, ``w_o``, ``b_o`` or ``output``.
    axes
        What rows and columns are: ``n_tokens`` (in cross attention ``n_query`` or ``n_key``), ``d_model``
        (``d_model_k`` for what keys are derived from), ``d_k``, ``d_v``, ``d_concat``, ``d_output`` or ``1``.
    formula
        What it is computed from, in the field's symbols; empty for what is given.
    own
        As the chosen head has it, or the layer; None where only other heads have one.
    in_all
        One for every head that has it; one alone where the array belongs to the layer.
    is_of_layer
        Whether all heads share it.
    """

    name: str
    axes: tuple[str, str]
    formula: str
    own: Extent | None
    in_all: tuple[Extent, ...]
    is_of_layer: bool = False

    @property
    def is_parameter(self) -> bool:
        """Say whether it is a map or a bias: what a model learns."""
        return self.name.startswith(("w_", "b_"))

    @property
    def size_in_all(self) -> int:
        """Numbers held in all heads together."""
        return sum(each.size for each in self.in_all)

    @property
    def multiply_adds_in_all(self) -> int:
        """Multiply-adds in all heads together."""
        return sum(each.multiply_adds for each in self.in_all)

    @property
    def n_bytes_in_all(self) -> int:
        """Bytes in all heads together."""
        return sum(each.n_bytes for each in self.in_all)


@dataclass(frozen=True)
class ShapeChain:
    """All arrays of a layer in the order they come about.

    Attributes
    ----------
    head
        Index of the chosen head.
    arrays
        From x, or q where there is no x, to the output.
    d_v_of_heads
        Columns of concat that belong to each head.
    """

    head: int
    arrays: tuple[ChainArray, ...]
    d_v_of_heads: tuple[int, ...]

    def array(self, name: str) -> ChainArray | None:
        """Give the array of that name as long as the chosen head, or the layer, has it."""
        return next((array for array in self.arrays if array.name == name and array.own), None)

    @property
    def scores_per_head(self) -> int:
        """Scores of the chosen head, n_query × n_key."""
        scores = self.array("scores")
        assert scores is not None
        assert scores.own is not None
        return scores.own.size

    @property
    def scores_in_all(self) -> int:
        """Scores of all heads together."""
        return sum(array.size_in_all for array in self.arrays if array.name == "scores")

    @property
    def parameters(self) -> int:
        """Numbers of all heads' maps and biases, and of W_O and b_O."""
        return sum(array.size_in_all for array in self.arrays if array.is_parameter)

    @property
    def multiply_adds(self) -> int:
        """Multiply-adds of all products of the layer."""
        return sum(array.multiply_adds_in_all for array in self.arrays)

    @property
    def n_bytes(self) -> int:
        """Bytes of all arrays of the layer."""
        return sum(array.n_bytes_in_all for array in self.arrays)


def shape_chain(inputs: Inputs, head: int) -> ShapeChain:
    """Give the chain of a document as one of its heads goes through it.

    Notes
    -----
    A product of (a, b) and (b, c) is a · b · c multiply-adds. A mask saves none of them: hidden scores are
    counted, as the definition computes them. v = k counts as two arrays; a W_O that is the identity is no
    array and no product.
    """
    in_heads = [dict(_extents(each, inputs)) for each in inputs.heads]
    arrays = []
    for name, axes in _axes(inputs).items():
        of_layer = _of_layer(inputs, name)
        if of_layer is not None:
            formula = _layer_formula(inputs, name)
            arrays.append(ChainArray(name, axes, formula, of_layer, (of_layer,), is_of_layer=True))
            continue
        in_all = tuple(each[name] for each in in_heads if name in each)
        if in_all:
            own = in_heads[head].get(name)
            formula = _head_formula(inputs, inputs.heads[head], name)
            arrays.append(ChainArray(name, axes, formula, own, in_all))
    return ShapeChain(head, tuple(arrays), tuple(each.d_v for each in inputs.heads))


def _axes(inputs: Inputs) -> dict[str, tuple[str, str]]:
    """Give rows and columns of every array there can be, in the order they come about."""
    queries, keys = ("n_query", "n_key") if inputs.is_cross else ("n_tokens", "n_tokens")
    d_model_k = "d_model" if inputs.x_keys is None else "d_model_k"
    return {
        "x": (queries, "d_model"),
        "w_q": ("d_model", "d_k"),
        "b_q": ("1", "d_k"),
        "q": (queries, "d_k"),
        "x_keys": (keys, d_model_k),
        "w_k": (d_model_k, "d_k"),
        "b_k": ("1", "d_k"),
        "k": (keys, "d_k"),
        "w_v": (d_model_k, "d_v"),
        "b_v": ("1", "d_v"),
        "v": (keys, "d_v"),
        **dict.fromkeys(STAGES, (queries, keys)),
        "head_output": (queries, "d_v"),
        "concat": (queries, "d_concat"),
        "w_o": ("d_concat", "d_output"),
        "b_o": ("1", "d_output"),
        "output": (queries, "d_output"),
    }


def _extents(head: Head, inputs: Inputs) -> Iterator[tuple[str, Extent]]:
    """Give the arrays that belong to one head."""
    n_query, n_key, maps = len(head.q), len(head.k), head.projection
    for which in ("q", "k", "v"):
        rows, columns = getattr(head, which).shape
        d_model = 0 if maps is None else maps.depth(which)
        yield which, Extent((rows, columns), rows * d_model * columns)
    for name in () if maps is None else (*WEIGHTS, *BIASES):
        table = getattr(maps, name)
        if table is not None:
            yield name, Extent((1, table.size) if table.ndim == 1 else table.shape)
    for stage in STAGES:
        yield stage, Extent((n_query, n_key), n_query * n_key * head.d_k if stage == "scores" else 0)
    yield "head_output", Extent((n_query, head.d_v), n_query * n_key * head.d_v)


def _of_layer(inputs: Inputs, name: str) -> Extent | None:
    """Give an array that all heads share, None where there is none of that name."""
    n_query = inputs.n_tokens
    if name == "concat":
        return Extent((n_query, inputs.d_concat))
    if name == "output":
        depth = 0 if inputs.w_o is None else inputs.d_concat
        return Extent((n_query, inputs.d_output), n_query * depth * inputs.d_output)
    if name == "b_o" and inputs.b_o is not None:
        return Extent((1, inputs.d_output))
    table = {"x": inputs.x, "x_keys": inputs.x_keys, "w_o": inputs.w_o}.get(name)
    return None if table is None else Extent((table.shape[0], table.shape[1]))


def _layer_formula(inputs: Inputs, name: str) -> str:
    if name != "output":
        return ""
    product = "concat" if inputs.w_o is None else "concat · W_O"
    return product if inputs.b_o is None else f"{product} + b_O"


def _head_formula(inputs: Inputs, head: Head, name: str) -> str:
    """Give the formula of one head's array; words are said by who shows it."""
    if name in ("q", "k", "v") and head.projection is not None:
        bias = getattr(head.projection, f"b_{name}")
        x = "x" if name == "q" or inputs.x_keys is None else "x_K"
        return f"{x} · W_{name.upper()}" + ("" if bias is None else f" + b_{name.upper()}")
    return {"scores": "q · kᵀ", "head_output": "weights · v", "weights": "softmax"}.get(name, "")
