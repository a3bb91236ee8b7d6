"""The float32 arithmetic of a block of rows: scale, mask, softmax and pooling.

No threads, no sharing and no Stages here. A block has ``rows`` queries and ``n_key`` keys. Functions are pure
but for what they write to ``out``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from attnviz.core.inputs import Inputs, divisor
from attnviz.core.masks import CausalMask, Mask, NoMask
from attnviz.engine.alignment import aligned
from attnviz.engine.products import is_small, product, row_sums, rows_to_columns
from attnviz.engine.ready_vectors import ReadyVectors

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.intp]
Rows = tuple[int, int]

# Where a row's largest number is between them, exponentials are taken as they are: their sum does not
# overflow and what underflows is less than 1e-28 of it. That mostly spares a pass, which pays from so many
# cells on.
_LEAST_TOP, _MOST_TOP = -20, 60
_MANY_CELLS = 1 << 14

MANY_BLOCKS = 4
"""From so many blocks on it pays to make k and v ready for their products."""


@dataclass(frozen=True, eq=False)
class Problem:
    """One head and all that decides its weights.

    Attributes
    ----------
    q, k, v
        float32 (n_query, d_k), (n_key, d_k), (n_key, d_v).
    divisor
        √d_k · scale strength, in float32.
    mask
        What each query may attend to.
    fill
        What hidden cells are set to before softmax, in float32.
    offset
        The key at which query 0 stands.
    ready
        Where k and v made ready for their products are kept; None: with the problem.
    """

    q: FloatArray
    k: FloatArray
    v: FloatArray
    divisor: np.float32
    mask: Mask
    fill: np.float32
    offset: int = 0
    ready: ReadyVectors | None = None

    @classmethod
    def of(cls, inputs: Inputs, head: int, ready: ReadyVectors | None = None) -> Problem:
        """Take one head out of a document."""
        vectors = inputs.heads[head]
        by = np.float32(divisor(vectors.d_k, inputs.scale_strength))
        offset = inputs.mask.offset(inputs.n_query, inputs.n_key)
        fill = np.float32(inputs.mask_fill)
        return cls(vectors.q, vectors.k, vectors.v, by, inputs.mask, fill, offset, ready)

    @property
    def n_query(self) -> int:
        """Number of queries."""
        return len(self.q)

    @property
    def n_key(self) -> int:
        """Number of keys."""
        return len(self.k)

    @property
    def hides_wholly(self) -> bool:
        """True where hidden keys get no weight at all: the mask value is −∞."""
        return bool(self.fill == -math.inf)

    def allowed(self, rows: Rows, keys: Rows | None = None) -> NDArray[np.bool_]:
        """Give which cells of a half-open block may be attended, shape (rows, keys); None: all keys."""
        return self.mask.allowed(rows, keys or (0, self.n_key), self.offset)

    def hidden(self, rows: Rows) -> Hidden:
        """Say which cells of the half-open range of rows are hidden."""
        n_key = self.n_key
        if isinstance(self.mask, NoMask):
            return Hidden(n_key, n_key, None)
        if isinstance(self.mask, CausalMask):
            place = rows[0] + self.offset
            first = min(max(place, 0), n_key)
            seen = min(max(rows[1] + self.offset, 0), n_key)
            return Hidden(first, seen, _future(rows[1] - rows[0], seen - first, place - first))
        return Hidden(0, n_key, ~self.allowed(rows))

    @cached_property
    def keys_down(self) -> FloatArray:
        """The keys side by side, k as (d_k, n_key) in C order and aligned."""
        return rows_to_columns(self.k) if self.ready is None else self.ready.keys_down(self.k)

    @cached_property
    def values(self) -> FloatArray:
        """The values, v aligned."""
        return aligned(self.v) if self.ready is None else self.ready.values(self.v)

    def multiply(self, rows: Rows, reach: int, out: FloatArray, *, often: bool) -> None:
        """Write the scores of a half-open range of rows and of the keys before ``reach`` to ``out``.

        ``often`` says that more blocks than a few will be asked for, so that it pays to make k ready for it.
        """
        q = self.q[slice(*rows)]
        if often and not is_small(len(q), self.n_key, q.shape[1]):
            product(q, self.keys_down[:, :reach], out)
        else:
            np.matmul(q, self.k[:reach].T, out=out)

    def mix(self, weights: FloatArray, out: FloatArray, *, often: bool) -> None:
        """Write what rows of weights, (rows, keys from 0 on), mix to ``out``; ``often`` as above, of v."""
        reach = weights.shape[1]
        if often and not is_small(len(weights), self.n_key, self.v.shape[1]):
            product(weights, self.values[:reach], out)
        else:
            np.matmul(weights, self.v[:reach], out=out)

    def reach(self, hidden: Hidden) -> int:
        """Give how many keys, from 0, can have any weight in the block."""
        return hidden.seen if self.hides_wholly else self.n_key


@dataclass(frozen=True, eq=False)
class Hidden:
    """Hidden cells of a block: before key ``first`` none, from key ``seen`` on all, between them ``cells``.

    ``cells`` is bool (rows, seen − first), True = hidden; None where the block hides nothing.
    """

    first: int
    seen: int
    cells: NDArray[np.bool_] | None

    def of_rows(self, rows: IntArray) -> Hidden:
        """Give the same for some rows of the block, counted from its first."""
        return self if self.cells is None else Hidden(self.first, self.seen, self.cells[rows])

    def hides_all(self, keys: IntArray) -> bool:
        """Say whether no row of the block may attend to any of these keys."""
        if self.cells is None:
            return keys.size == 0
        near = keys[keys < self.seen]
        return bool((near >= self.first).all()) and bool(self.cells[:, near - self.first].all())


@lru_cache(maxsize=4)  # a document's blocks have two heights at most
def _future(rows: int, keys: int, place: int) -> NDArray[np.bool_]:
    """Give what a causal mask hides of a block on the diagonal, whose first query stands at key ``place``."""
    hidden = ~np.tri(rows, keys, place, dtype=bool)
    hidden.flags.writeable = False
    return hidden


def scale(scores: FloatArray, by: np.float32, out: FloatArray) -> None:
    """Stage 2: scores / by. A true division, so that the arithmetic shown holds to the last bit."""
    np.divide(scores, by, out=out)


def apply_mask(scaled: FloatArray, hidden: Hidden, fill: np.float32, out: FloatArray) -> None:
    """Stage 3: scaled, with hidden cells set to ``fill``; ``out`` may be ``scaled`` itself."""
    if out is not scaled:
        np.copyto(out[:, : hidden.seen], scaled[:, : hidden.seen])
    if hidden.cells is not None:
        np.copyto(out[:, hidden.first : hidden.seen], fill, where=hidden.cells)
        if hidden.seen < out.shape[1]:
            out[:, hidden.seen :] = fill


def softmax(masked: FloatArray, reach: int, out: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Stage 4: write the weights to ``out`` (may be ``masked`` itself), give each row's maximum and sum.

    Parameters
    ----------
    masked
        float32 (rows, n_key).
    reach
        Keys from here on have no weight and are not looked at.

    Returns
    -------
    tuple
        The maximum of masked and the sum of exp(masked − maximum), float32 (rows,). A row with no key to
        attend to has −∞ and 0, and weights 0.
    """
    statistics = _ROWS_IN_PLACE.copy().run(_softmax, masked[:, :reach], out[:, :reach])
    if reach < out.shape[1]:
        out[:, reach:] = 0
    return statistics


def _softmax(seen: FloatArray, out: FloatArray) -> tuple[FloatArray, FloatArray]:
    top = seen.max(axis=1, initial=-math.inf)
    is_large = seen.size >= _MANY_CELLS
    if is_large and top.min() > _LEAST_TOP and top.max() < _MOST_TOP:
        np.exp(seen, out=out)
        total = row_sums(out)
        np.divide(out, total[:, None], out=out)
        return top, np.maximum(total * np.exp(-top), np.float32(1))  # it has exp(0), whatever is rounded
    is_empty = top == -math.inf
    has_empty = is_empty.any()
    finite = np.where(is_empty, np.float32(0), top) if has_empty else top  # −∞ − −∞ would be NaN
    less = finite
    if is_large:  # row by row, so that no row's bits tell of another row
        less = np.where((finite > _LEAST_TOP) & (finite < _MOST_TOP), np.float32(0), finite)
    np.subtract(seen, less[:, None], out=out)
    np.exp(out, out=out)
    total = row_sums(out)
    by = np.where(is_empty, np.float32(1), total) if has_empty else total
    np.divide(out, by[:, None], out=out)
    if is_large:
        total = np.maximum(total * np.exp(less - finite), ~is_empty)
    return top, total


def _with_buffers_of(numbers: int) -> Context:
    """Give a context in which numpy's buffers hold so many numbers; a thread enters a copy of it."""
    context = Context()
    context.run(np.setbufsize, numbers)
    return context


# Numpy copies rows with gaps, and a number that stands for a whole row, into a buffer first wherever more
# than a row fits into it. That takes longer than the arithmetic.
_ROWS_IN_PLACE = _with_buffers_of(16)


def weights_of(
    problem: Problem, rows: Rows, empty: Callable[[int, int], FloatArray], *, often: bool
) -> FloatArray:
    """Give the weights of a range of rows where nobody wants the stages before them, (rows, reach).

    Parameters
    ----------
    empty
        Gives the array to write to, float32 of any content.
    often
        Whether many blocks are asked for, see ``Problem.multiply``.
    """
    hidden = problem.hidden(rows)
    reach = problem.reach(hidden)
    square = empty(rows[1] - rows[0], reach)
    problem.multiply(rows, reach, square, often=often)
    scale(square, problem.divisor, square)
    apply_mask(square, hidden, problem.fill, square)
    softmax(square, reach, square)
    return square


def pool_largest(values: FloatArray, hidden: NDArray[np.bool_], bins: tuple[int, int]) -> FloatArray:
    """Give for each bin of (rows, keys) the allowed value of largest magnitude, −∞ where a bin has none.

    Of two equal magnitudes with different signs the positive one stands.
    """
    high = _pool(np.maximum, np.where(hidden, np.float32(-np.inf), values), bins)
    low = _pool(np.minimum, np.where(hidden, np.float32(np.inf), values), bins)
    return np.where(high >= -low, high, low)


def pool_maximum(weights: FloatArray, hidden: NDArray[np.bool_], bins: tuple[int, int]) -> FloatArray:
    """Give for each bin of (rows, keys) the largest allowed weight, 0 where a bin has none."""
    return _pool(np.maximum, np.where(hidden, np.float32(0), weights), bins)


def _pool(how: np.ufunc, values: FloatArray, bins: tuple[int, int]) -> FloatArray:
    by_key = how.reduceat(values, np.arange(0, values.shape[1], bins[1]), axis=1)
    pooled: FloatArray = how.reduceat(by_key, np.arange(0, values.shape[0], bins[0]), axis=0)
    return pooled
