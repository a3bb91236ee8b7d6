"""One attention head: its vectors, where they come from, what their dimensions are called."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from attnviz.core.arrays import FloatArray, checked_vectors, same_bits
from attnviz.core.errors import InputError
from attnviz.core.projections import Projection

Source = Literal["vectors", "positions", "projection"]


@dataclass(frozen=True, eq=False)
class Head:
    """One attention head: its vectors, their names, and which of them nobody has edited yet.

    Attributes
    ----------
    name
        Shown on the tab.
    q
        float32 (n_query, d_k), finite, magnitude ≤ 1e6.
    k, v
        float32 (n_key, d_k) and (n_key, d_v). With ``v_is_k`` both are one array.
    v_is_k
        v follows k.
    qk_names, v_names
        Names of the d_k dimensions of q and k, and of the d_v dimensions of v. Empty: numbered from 0.
    source
        ``vectors``: the numbers are the person's. ``positions``: q and k are codes of positions and are
        rebuilt when tokens change, until they are edited by hand. ``projection``: q, k and v are derived from
        the document's x; every edit of x or of the maps derives what depends on it, row by row or column by
        column.
    is_default
        bool (n_query,), or empty for none: True where the token's vectors are still the ones it came with.
    projection
        The maps from x, with the source ``projection``; else None.
    is_default_key
        In cross attention ``is_default`` is of the query tokens and this of the key tokens, bool (n_key,), or
        empty for none. Else empty.

    Raises
    ------
    InputError
        When shapes disagree or a number is NaN, infinite or too large; the place is named.
    """

    name: str
    q: FloatArray
    k: FloatArray
    v: FloatArray
    v_is_k: bool = False
    qk_names: tuple[str, ...] = ()
    v_names: tuple[str, ...] = ()
    source: Source = "vectors"
    is_default: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    projection: Projection | None = None
    is_default_key: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))

    def __post_init__(self) -> None:
        put = object.__setattr__
        for which in ("q", "k", "v"):
            put(self, which, checked_vectors(getattr(self, which), f"{which}"))
        if self.v_is_k and self.v is not self.k:
            if self.v.shape != self.k.shape or not np.array_equal(self.v, self.k):
                raise InputError("Head “{name}” says v = k, but its v differs from its k.", name=self.name)
            put(self, "v", self.k)
        if self.q.shape[1] != self.k.shape[1]:
            raise InputError(
                "q has {q} dimensions and k has {k}; both need the same d_k.",
                q=self.q.shape[1],
                k=self.k.shape[1],
            )
        if self.k.shape[0] != self.v.shape[0]:
            raise InputError(
                "k has {k} rows and v has {v}; both need one row per key token.",
                k=self.k.shape[0],
                v=self.v.shape[0],
            )
        if self.source not in get_args(Source):
            raise InputError(
                "A head's source is “{got}”; vectors, positions or projection is wanted.", got=self.source
            )
        self._check_projection()
        put(self, "qk_names", checked_names(self.qk_names, self.d_k, "q and k"))
        put(self, "v_names", checked_names(self.v_names, self.d_v, "v"))
        put(self, "is_default", _checked_marks(self.is_default, len(self.q)))
        of_keys = _checked_marks(self.is_default_key, len(self.k))
        put(self, "is_default_key", of_keys if of_keys.any() else of_keys[:0])

    def _check_projection(self) -> None:
        maps = self.projection
        if (self.source == "projection") != (maps is not None):
            raise InputError(
                "Head “{name}” has the source “{source}”; W_Q, W_K and W_V belong to a head whose source is "
                "projection, and to no other.",
                name=self.name,
                source=self.source,
            )
        if maps is None:
            return
        if self.v_is_k:
            raise InputError(
                "Head “{name}” says v = k, but its v comes from x · W_V; give it one of the two.",
                name=self.name,
            )
        for which, got, wanted in (("q", maps.d_k, self.d_k), ("v", maps.d_v, self.d_v)):
            if got != wanted:
                raise InputError(
                    "W gives {got} dimensions for {which}, which has {wanted}; both need the same number.",
                    got=got,
                    which=which,
                    wanted=wanted,
                )

    @property
    def key_marks(self) -> NDArray[np.bool_]:
        """Which key tokens of a cross attention still have their first k and v, bool (n_key,)."""
        return self.is_default_key if self.is_default_key.size else np.zeros(len(self.k), bool)

    @property
    def d_k(self) -> int:
        """Dimensions of q and k."""
        return int(self.q.shape[1])

    @property
    def d_v(self) -> int:
        """Dimensions of v."""
        return int(self.v.shape[1])

    def names_of(self, which: str) -> tuple[str, ...]:
        """Give the names of the dimensions of ``q``, ``k`` or ``v``, numbers from 0 where none were given."""
        names, count = (self.v_names, self.d_v) if which == "v" else (self.qk_names, self.d_k)
        return names or _numbers(count)

    def equals(self, other: Head) -> bool:
        """Say whether every field is the same, bit for bit."""
        return (
            (self.name, self.v_is_k, self.qk_names, self.v_names, self.source)
            == (other.name, other.v_is_k, other.qk_names, other.v_names, other.source)
            and all(same_array(getattr(self, which), getattr(other, which)) for which in ("q", "k", "v"))
            and same_array(self.is_default, other.is_default)
            and same_array(self.is_default_key, other.is_default_key)
            and same_part(self.projection, other.projection)
        )


def checked_names(names: Sequence[str], count: int, what: str) -> tuple[str, ...]:
    """Give one name per dimension as a tuple, or none.

    Raises
    ------
    InputError
        When there are some, but not one for each.
    """
    names = tuple(str(name) for name in names)
    if names and len(names) != count:
        raise InputError(
            "{got} names were given for the {wanted} dimensions of {what}.",
            got=len(names),
            wanted=count,
            what=what,
        )
    return names


def _checked_marks(given: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Give a mark per token, False throughout where none were given; read-only, itself where it is that."""
    if given.shape == (count,) and given.dtype == bool and not given.flags.writeable:
        return given
    marks = np.array(given if given.size else np.zeros(count), bool)
    if marks.shape != (count,):
        raise InputError("{got} marks were given for {wanted} tokens.", got=marks.size, wanted=count)
    marks.flags.writeable = False
    return marks


def same_array(mine: NDArray[Any], theirs: NDArray[Any]) -> bool:
    """Say whether two arrays are the same, bit for bit."""
    return same_bits(mine, theirs)


def same_part(mine: Any, theirs: Any) -> bool:
    """Say whether two parts that may be None are the same, arrays bit for bit."""
    if mine is None or theirs is None:
        return mine is theirs
    return bool(mine.equals(theirs)) if isinstance(mine, Projection) else same_array(mine, theirs)


@functools.lru_cache(maxsize=16)  # asked for with every edit
def _numbers(count: int) -> tuple[str, ...]:
    """Give the names of dimensions that were given none."""
    return tuple(str(dim) for dim in range(count))
