"""The lines of the import dialog: what a file holds, what its names say, what is chosen of it. No widget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attnviz.core.errors import AttnvizError
from attnviz.core.import_edits import How
from attnviz.core.import_joined import PARTS, is_turned
from attnviz.core.import_parts import JOINED, OF_HEADS, ROLES, ROWS, Part
from attnviz.core.inputs import Inputs
from attnviz.core.projections import BIASES, WEIGHTS
from attnviz.io.array_files import ArrayFile, FileArray

MAX_ENTRIES = 64
"""Arrays under names that say nothing are told beyond that many, and not offered."""
_USUAL_WIDTH = 64
ALL, SHARED = -1, -2
"""Choices of a head: all of them, on the first axis or by name; all of them, side by side in columns."""


@dataclass(frozen=True)
class Entry:
    """An array, or the arrays of several heads that are named alike, such as ``q_0`` and ``q_1``.

    Attributes
    ----------
    name, shape
        As they are shown.
    arrays
        At least one.
    role, is_transposed
        What the name says; an empty role where it says nothing.
    head
        The head that the name says, or ALL.
    why_not
        Why it cannot be imported; None where it can.
    layer
        The layer of a model that the name says, such as ``transformer.h.3``; empty where it says none.
    """

    name: str
    shape: tuple[int, ...]
    arrays: tuple[FileArray, ...]
    role: str
    is_transposed: bool
    head: int | None
    why_not: AttnvizError | None
    layer: str = ""

    @property
    def is_group(self) -> bool:
        """Whether these are arrays of several heads."""
        return len(self.arrays) > 1

    def axes(self, role: str) -> int:
        """Give how many axes there are, without leading ones of length 1 that are too many for a role."""
        axes, shape = len(self.shape), self.shape
        most = (1 if role in ROWS else 2) + (1 if role in OF_HEADS else 0)
        while axes > most and shape and shape[0] == 1:
            axes, shape = axes - 1, shape[1:]
        return axes

    def is_stack(self, role: str) -> bool:
        """Whether its first axis is that of the heads."""
        if self.is_group or role not in OF_HEADS or role in JOINED:
            return self.is_group
        return self.axes(role) == (2 if role in BIASES else 3)

    def heads(self, role: str) -> int:
        """Give the number of heads it is of, as a stack or a group."""
        return len(self.arrays) if self.is_group else self.shape[-2 if role in BIASES else -3]


@dataclass(frozen=True)
class Choice:
    """What one entry becomes: a role, or an empty text for nothing; a head, ALL or SHARED."""

    role: str
    head: int
    is_transposed: bool


def entries_of(file: ArrayFile) -> tuple[list[Entry], list[str], int]:
    """Give the entries, the names of what is computed and so not offered, and how many are left out."""
    groups: dict[object, list[FileArray]] = {}
    computed: list[str] = []
    for array in file.arrays:
        meaning = array.meaning
        if meaning.is_computed:
            computed.append(array.name)
        elif meaning.head is not None and array.array is not None:
            groups.setdefault((meaning.role, meaning.is_transposed), []).append(array)
        else:
            groups.setdefault(id(array), []).append(array)
    entries = _like_what_is_joined([_entry(tuple(arrays)) for arrays in groups.values()])
    known = [entry for entry in entries if entry.role in ROLES]
    others = [entry for entry in entries if entry.role not in ROLES]
    room = max(0, MAX_ENTRIES - len(known))
    return [*known, *others[:room]], computed, len(others[room:])


def layers_of(entries: Sequence[Entry]) -> list[str]:
    """Give the layers of a model that the names say, where there are several to choose from."""
    found = dict.fromkeys(entry.layer for entry in entries if entry.role in ROLES and entry.layer)
    return list(found) if len(found) > 1 else []


def first_choice(entry: Entry, others: Sequence[Entry], selected: int, layer: str = "") -> Choice:
    """Give what is chosen before a person chooses: what the name says, of the selected head or of all.

    ``layer`` is the layer of a model that is wanted where there are several: arrays of others are left out.
    """
    role = entry.role if entry.why_not is None and entry.role in ROLES else ""
    if layer and entry.layer not in ("", layer):
        role = ""
    if role not in OF_HEADS or entry.is_stack(role):
        return Choice(role, ALL, entry.is_transposed)
    if entry.head is not None:
        return Choice(role, entry.head, entry.is_transposed)
    heads = heads_of(others)
    is_shared = heads > 1 and entry.shape[-1:] and entry.shape[-1] % heads == 0
    is_shared = is_shared or any(other.role in JOINED for other in others)
    return Choice(role, SHARED if is_shared else selected, entry.is_transposed)


def usual_shares(entries: Sequence[Entry], n_heads: int) -> int:
    """Give how many heads share columns before a person says it.

    As many as stacked arrays have; else of a model's joined matrices heads of 64, as most have, or as many
    as the document has.
    """
    widths = [max(entry.shape) // PARTS for entry in entries if entry.role in JOINED and entry.shape]
    if heads_of(entries) or not widths:
        return heads_of(entries) or n_heads
    if widths[0] >= 2 * _USUAL_WIDTH and widths[0] % _USUAL_WIDTH == 0:
        return widths[0] // _USUAL_WIDTH
    return n_heads if widths[0] % n_heads == 0 else 1


def heads_of(entries: Sequence[Entry]) -> int:
    """Give the number of heads that stacked arrays agree on; 0 where none says it."""
    counts = [
        entry.heads(entry.role) for entry in entries if entry.role in OF_HEADS and entry.is_stack(entry.role)
    ]
    return max(counts, default=0)


def first_how(entries: Sequence[Entry], inputs: Inputs) -> How:
    """Give how heads are taken before a person chooses: in place of as many, else in place of all."""
    roles = {entry.role for entry in entries if entry.why_not is None}
    if not roles.isdisjoint(("qkv", "w_qkv")):  # of how many heads they are is still to be said
        return "replace"
    is_complete = {"q", "k"} <= roles or set(WEIGHTS) <= roles
    heads = (
        heads_of(entries)
        or max((entry.head or 0 for entry in entries if entry.role in OF_HEADS), default=0) + 1
    )
    return "replace" if is_complete and heads != inputs.n_heads else "change"


def parts_of(entries: Sequence[Entry], choices: Sequence[Choice], shares: int, how: How) -> list[Part]:
    """Give the parts that are chosen; in new heads the selected head of a lone table is head 0."""
    parts = []
    for entry, choice in zip(entries, choices, strict=True):
        if not choice.role:
            continue
        for array in entry.arrays:
            assert array.array is not None
            head = array.meaning.head if entry.is_group else choice.head if choice.head >= 0 else None
            shared = shares if choice.head == SHARED else 0
            is_of_heads = choice.role in OF_HEADS
            parts.append(
                Part(
                    array.name,
                    choice.role,
                    array.array,
                    head if is_of_heads else None,
                    shared if is_of_heads else 0,
                    choice.is_transposed,
                )
            )
    return parts


def _like_what_is_joined(entries: list[Entry]) -> list[Entry]:
    """Let the matrices beside joined ones be turned as those are, where their name alone does not say it."""
    turned = {entry.layer: entry.is_transposed for entry in entries if entry.role == "w_qkv"}
    return [
        replace(entry, is_transposed=turned.get(entry.layer, entry.is_transposed))
        if entry.arrays[0].meaning.is_like_joined
        else entry
        for entry in entries
    ]


def _entry(arrays: tuple[FileArray, ...]) -> Entry:
    first = arrays[0]
    meaning = first.meaning
    name = first.name if len(arrays) == 1 else f"{first.name} … {arrays[-1].name}"
    head = meaning.head if len(arrays) == 1 else ALL
    turned = is_turned(meaning.role, first.shape, meaning.is_transposed)
    layer = meaning.layer if len(arrays) == 1 else ""
    return Entry(name, first.shape, arrays, meaning.role, turned, head, first.why_not, layer)
