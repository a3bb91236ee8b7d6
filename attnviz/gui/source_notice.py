"""Says what an edit has done beside what was asked for.

Where it changed where a head's vectors come from, x · W or themselves, and where keys were lost with it.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Signal

from attnviz.core.inputs import Head, Inputs
from attnviz.core.numbers import shorten
from attnviz.gui.number_texts import trimmed

_SAME = 1e-6
"""How far, as a share of the largest number, vectors may move and still count as the same."""


class SourceNotice(QObject):
    """Compares the documents before and after an edit.

    Signals
    -------
    told(str)
        A sentence; it is said again with every further edit of the same gesture, so that a drag does not wipe
        away what its first step has said.
    """

    told = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gesture, self._sentence = "", ""

    def compare(self, before: Inputs, after: Inputs, gesture: str) -> None:
        """Say what became of the heads' sources, and of keys that no token stands for any more."""
        sentence = _said(before, after)
        if sentence:
            self._gesture, self._sentence = gesture, sentence
        elif not gesture or gesture != self._gesture:
            self._gesture, self._sentence = "", ""
        if self._sentence and after is not before:
            self.told.emit(self._sentence)


def _said(before: Inputs, after: Inputs) -> str:
    return " ".join(sentence for sentence in (_lost_keys(before, after), _sources(before, after)) if sentence)


def _lost_keys(before: Inputs, after: Inputs) -> str:
    """Tell of keys that went since the tokens, of which there are fewer, are the keys again."""
    lost = before.n_key - after.n_key
    if not before.is_cross or after.is_cross or lost <= 0:
        return ""
    if lost == 1:
        sentence = QCoreApplication.translate(
            "SourceNotice", "The last key was cut, for there are only {tokens} tokens; undo brings it back."
        )
    else:
        sentence = QCoreApplication.translate(
            "SourceNotice",
            "The last {lost} keys were cut, for there are only {tokens} tokens; undo brings them back.",
        )
    return sentence.format(lost=f"{lost:,}", tokens=f"{after.n_key:,}")


def _sources(before: Inputs, after: Inputs) -> str:
    if before.n_heads != after.n_heads:
        return ""
    pairs = [
        (old, new)
        for old, new in zip(before.heads, after.heads, strict=True)
        if (old.projection is None) != (new.projection is None)
    ]
    if len(pairs) != 1:  # heads that changed places
        return ""
    old, new = pairs[0]
    if new.projection is None:
        sentence = QCoreApplication.translate(
            "SourceNotice",
            "Head “{name}” is one of vectors now: q, k and v no longer follow x · W; undo brings that back.",
        )
        return sentence.format(name=shorten(new.name))
    moved = _largest_change(old, new)
    if moved is None:
        sentence = QCoreApplication.translate(
            "SourceNotice", "q, k and v of head “{name}” come from x · W now; no number has changed."
        )
        return sentence.format(name=shorten(new.name))
    sentence = QCoreApplication.translate(
        "SourceNotice",
        "q, k and v of head “{name}” come from x · W now, as near to what they were as x allows: "
        "numbers moved by up to {change}.",
    )
    return sentence.format(name=shorten(new.name), change=trimmed(moved))


def _largest_change(old: Head, new: Head) -> float | None:
    """Give how far the farthest number moved, None where all stayed where they were."""
    before, after = ([np.asarray(getattr(head, which)) for which in "qkv"] for head in (old, new))
    moved = max(float(np.abs(now - was).max()) for was, now in zip(before, after, strict=True))
    size = max(float(np.abs(was).max()) for was in before)
    return moved if moved > _SAME * max(1.0, size) else None
