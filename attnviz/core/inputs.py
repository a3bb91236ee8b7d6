"""What a person can change: Inputs and its Heads, frozen, checked at the door, arrays read-only.

Edits share every array they do not touch. Nothing computed lives here, and nothing about the window.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import FloatArray, checked_row, checked_table, checked_vectors
from attnviz.core.errors import InputError
from attnviz.core.head import Head as Head  # asked for here by all who have to do with Inputs
from attnviz.core.head import checked_names, same_part
from attnviz.core.masks import CausalMask, Mask
from attnviz.core.projections import Projection, check_depths

DENSE_TOKENS = 2048
"""Up to here every cell of a head is held; a document of more is long, and no square of it ever is."""
MAX_TOKENS = 1_048_576
MAX_HEADS = 256
MIN_SCALE_STRENGTH = 0.01
MAX_SCALE_STRENGTH = 100.0


@dataclass(frozen=True, eq=False)
class Inputs:
    """A whole document: tokens, heads, mask and scale.

    Attributes
    ----------
    text
        The sentence the tokens came from.
    tokens
        n_query strings; duplicates, blanks and emoji allowed.
    heads
        At least one; all of them have n_query rows of q, and n_key of k and v.
    mask
        A kind and its parameters; True = may attend.
    mask_fill
        What hidden scores are set to after scaling: −∞ or a finite float.
    scale_strength
        0.01 to 100; divides after √d_k, like a temperature.
    x
        float32 (n_query, d_model): what heads with a projection are derived from; or None.
    w_o
        Output projection, float32 (Σ d_v, d_model); None: the identity, output = concat.
    b_o
        Its bias, float32 (d_model,); None: no bias.
    key_tokens
        In cross attention, the n_key tokens that are seen; None: ``tokens`` are the keys too.
    x_keys
        In cross attention, what k and v of heads with a projection are derived from, float32
        (n_key, d_model_k); None: x.
    key_text
        The sentence the key tokens came from; empty where there are none.
    x_names
        Names of the d_model dimensions of x. Empty: numbered from 0.

    Raises
    ------
    InputError
        When something does not fit; the sentence says what.
    """

    text: str
    tokens: tuple[str, ...]
    heads: tuple[Head, ...]
    mask: Mask = field(default_factory=CausalMask)
    mask_fill: float = -math.inf
    scale_strength: float = 1.0
    x: FloatArray | None = None
    w_o: FloatArray | None = None
    b_o: FloatArray | None = None
    key_tokens: tuple[str, ...] | None = None
    x_keys: FloatArray | None = None
    key_text: str = ""
    x_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "tokens", checked_tokens(self.tokens))
        put(self, "heads", tuple(self.heads))
        if self.key_tokens is not None:
            put(self, "key_tokens", checked_tokens(self.key_tokens))
        else:  # what is of key tokens alone is not kept without them
            put(self, "key_text", "")
            if any(head.is_default_key.size for head in self.heads):
                put(self, "heads", tuple(_without_key_marks(head) for head in self.heads))
        if not 1 <= len(self.heads) <= MAX_HEADS:
            raise InputError(
                "There are {got} heads; 1 to {wanted} are possible.", got=len(self.heads), wanted=MAX_HEADS
            )
        for index, head in enumerate(self.heads):
            self._check_rows(index, head)
        self.mask.check(self.n_query, self.n_key)
        put(self, "mask_fill", checked_mask_fill(self.mask_fill))
        put(self, "scale_strength", checked_scale_strength(self.scale_strength))
        self._check_x()
        self._check_w_o()

    def _check_rows(self, index: int, head: Head) -> None:
        n_query, n_key = head.q.shape[0], head.k.shape[0]
        if (n_query, n_key) == (self.n_query, self.n_key):
            return
        if self.is_cross:
            raise InputError(
                "Head {head} has vectors for {q} queries and {k} keys, but there are {queries} query tokens "
                "and {keys} key tokens.",
                head=index,
                q=n_query,
                k=n_key,
                queries=self.n_query,
                keys=self.n_key,
            )
        raise InputError(
            "Head {head} has vectors for {q} queries and {k} keys, but there are {tokens} tokens.",
            head=index,
            q=n_query,
            k=n_key,
            tokens=len(self.tokens),
        )

    def _check_x(self) -> None:
        put = object.__setattr__
        if self.x is None:
            put(self, "x_names", ())
        else:
            put(self, "x", checked_vectors(self.x, "x"))
            put(self, "x_names", checked_names(self.x_names, self.x.shape[1], "x"))
            if len(self.x) != self.n_query:
                raise InputError(
                    "x has {got} rows, but there are {wanted} tokens; one row per token is wanted.",
                    got=len(self.x),
                    wanted=self.n_query,
                )
        if self.x_keys is not None:
            put(self, "x_keys", checked_vectors(self.x_keys, "x of the keys"))
            if not self.is_cross:
                raise InputError("There is an x of the keys, but there are no key tokens; give both or none.")
            if len(self.x_keys) != self.n_key:
                raise InputError(
                    "x of the keys has {got} rows, but there are {wanted} key tokens; "
                    "one row per token is wanted.",
                    got=len(self.x_keys),
                    wanted=self.n_key,
                )
        for head in self.heads:
            if head.projection is not None:
                self._check_maps(head.name, head.projection)

    def _check_maps(self, name: str, maps: Projection) -> None:
        x, x_keys = self.x, self.x_of("k")
        if x is None or x_keys is None:
            raise InputError("Head “{name}” is derived from x, but there is no x.", name=name)
        if len(x_keys) != self.n_key:
            raise InputError(
                "Head “{name}” is derived from x, which has {got} rows, but there are {wanted} key tokens; "
                "they need an x of their own.",
                name=name,
                got=len(x_keys),
                wanted=self.n_key,
            )
        check_depths(name, maps, x.shape[1], x_keys.shape[1])

    def _check_w_o(self) -> None:
        put = object.__setattr__
        if self.w_o is not None:
            put(self, "w_o", checked_table(self.w_o, "W_O"))
            if self.w_o.shape[0] != self.d_concat:
                raise InputError(
                    "W_O has {got} rows, but the heads' outputs side by side have {wanted} columns (Σ d_v); "
                    "both need the same number.",
                    got=self.w_o.shape[0],
                    wanted=self.d_concat,
                )
        if self.b_o is not None:
            put(self, "b_o", checked_row(self.b_o, "b_O", self.d_output))

    @property
    def d_concat(self) -> int:
        """Columns of concat: the sum of all heads' d_v."""
        return sum(head.d_v for head in self.heads)

    @property
    def d_output(self) -> int:
        """Dimensions of the output: columns of W_O, those of concat where W_O is the identity."""
        return self.d_concat if self.w_o is None else int(self.w_o.shape[1])

    @property
    def is_cross(self) -> bool:
        """Whether the keys are tokens of their own: cross attention, not self-attention."""
        return self.key_tokens is not None

    @property
    def key_labels(self) -> tuple[str, ...]:
        """The n_key tokens that are seen, whether of their own or those that see."""
        return self.tokens if self.key_tokens is None else self.key_tokens

    @property
    def n_tokens(self) -> int:
        """Number of tokens that see, n_query; those that are seen are n_key."""
        return len(self.tokens)

    @property
    def n_query(self) -> int:
        """Number of tokens that see, rows of every stage."""
        return len(self.tokens)

    @property
    def n_key(self) -> int:
        """Number of tokens that are seen, columns of every stage."""
        return len(self.key_labels)

    def x_of(self, which: str) -> FloatArray | None:
        """Give what ``q``, ``k`` or ``v`` of heads with a projection is derived from."""
        return self.x if which == "q" or self.x_keys is None else self.x_keys

    def allowed(
        self, queries: tuple[int, int] | None = None, keys: tuple[int, int] | None = None
    ) -> NDArray[np.bool_]:
        """Give which cells of a half-open block may be attended, shape (rows, keys); None: all of them."""
        offset = self.mask.offset(self.n_query, self.n_key)
        return self.mask.allowed(queries or (0, self.n_query), keys or (0, self.n_key), offset)

    @property
    def is_long(self) -> bool:
        """Say whether there are too many tokens for squares of n_query × n_key; see DENSE_TOKENS."""
        return max(len(self.heads[0].q), len(self.heads[0].k)) > DENSE_TOKENS

    @property
    def n_heads(self) -> int:
        """Number of heads."""
        return len(self.heads)

    def with_head(self, index: int, head: Head) -> Inputs:
        """Give these inputs with one head replaced; everything else is shared."""
        heads = (*self.heads[:index], head, *self.heads[index + 1 :])
        return replace(self, heads=heads)

    def equals(self, other: Inputs) -> bool:
        """Say whether both documents are the same, bit for bit."""
        return self is other or (
            (self.text, self.tokens, self.mask_fill, self.scale_strength)
            == (other.text, other.tokens, other.mask_fill, other.scale_strength)
            and (self.key_text, self.key_tokens) == (other.key_text, other.key_tokens)
            and self.x_names == other.x_names
            and self.mask.equals(other.mask)
            and all(
                same_part(getattr(self, name), getattr(other, name)) for name in ("x", "x_keys", "w_o", "b_o")
            )
            and len(self.heads) == len(other.heads)
            and all(
                mine is theirs or mine.equals(theirs)
                for mine, theirs in zip(self.heads, other.heads, strict=True)
            )
        )


def divisor(d_k: int, scale_strength: float) -> float:
    """Give what scores are divided by: √d_k · scale_strength, in float64."""
    return math.sqrt(d_k) * scale_strength


def checked_tokens(tokens: Sequence[str]) -> tuple[str, ...]:
    """Give the tokens as a tuple of 1 to 1,048,576 strings.

    Raises
    ------
    InputError
        When there are none or too many.
    """
    if not tokens:
        raise InputError("There is no token; at least one is needed.")
    if len(tokens) > MAX_TOKENS:
        raise InputError(
            "There are {got} tokens; at most {wanted} are possible.", got=len(tokens), wanted=MAX_TOKENS
        )
    return tuple(tokens)


def checked_mask_fill(value: float) -> float:
    """Give the mask value as a float: −∞, or finite and within float32.

    Raises
    ------
    InputError
        When it is NaN, +∞ or beyond float32's range.
    """
    value = float(value)
    if value == -math.inf:
        return value
    if not math.isfinite(value):
        raise InputError("The mask value is {got}; −∞ or a finite number is wanted.", got=value)
    with np.errstate(over="ignore"):
        is_single = bool(np.isfinite(np.float32(value)))  # 3.4028235e38 is float32's largest too
    if not is_single:
        largest = np.finfo(np.float32).max
        raise InputError(
            "The mask value {got} is out of range; write a number from {minimum} to {maximum}.",
            got=value,
            minimum=str(-largest),
            maximum=str(largest),
        )
    return value


def checked_scale_strength(value: float) -> float:
    """Give the scale strength as a float of 0.01 to 100.

    Raises
    ------
    InputError
        When it is outside that range or NaN.
    """
    value = float(value)
    if not MIN_SCALE_STRENGTH <= value <= MAX_SCALE_STRENGTH:
        raise InputError(
            "The scale strength is {got}; a number from 0.01 to 100 is wanted.",
            got=f"{value:g}" if float(f"{value:g}") == value else value,  # 100.0001 is not said as 100
        )
    return value


def _without_key_marks(head: Head) -> Head:
    return replace(head, is_default_key=np.zeros(0, bool)) if head.is_default_key.size else head
