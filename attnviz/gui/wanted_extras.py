"""What the views in front show beside the stages, and when it is worth asking for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from attnviz.core.inputs import Head, Inputs
from attnviz.core.request import OUTPUT, SUMMARIES, THUMBNAILS
from attnviz.core.stages import Stages
from attnviz.core.summaries import WINDOW
from attnviz.gui.window_layout import WindowLayout

CHEAP_CELLS = 2_000_000
"""Cells of all heads that change up to which an edit computes what is wanted of all heads at once."""
LONGEST = 0.25
"""Seconds that what is shown of all heads may lag behind while one edit follows the other."""


class WantedExtras:
    """Decides which extras go with a request.

    Parameters
    ----------
    parts
        Where the views are.
    clock
        Gives seconds.

    Attributes
    ----------
    window
        The width of the window of the summaries.
    """

    def __init__(self, parts: WindowLayout, clock: Callable[[], float] = time.monotonic) -> None:
        self._parts, self._clock = parts, clock
        self._behind_since: float | None = None
        self.window = WINDOW

    def wanted(self) -> frozenset[str]:
        """Give all that the views in front show."""
        parts, extras = self._parts, set()
        if parts.is_in_front("heads_to_output"):
            extras |= {OUTPUT, THUMBNAILS}
        if parts.is_in_front("all_heads"):
            extras.add(THUMBNAILS)
        if not parts.marginals.isHidden():
            extras.add(SUMMARIES)
        return frozenset(extras)

    def with_edit(self, inputs: Inputs, shown: Stages | None) -> frozenset[str]:
        """Give what is to be computed at once with the stages: what costs little, and what lags too long.

        While edits come one after the other, extras of all heads would else never be there: each edit stops
        what was begun for the one before.
        """
        wanted = self.wanted()
        of_all = wanted & {OUTPUT, THUMBNAILS}
        if not of_all or self._is_cheap(inputs, shown):
            return wanted
        now = self._clock()
        if self._behind_since is None:
            self._behind_since = now
        return wanted if now - self._behind_since > LONGEST else wanted - of_all

    def missing(self, stages: Stages) -> frozenset[str]:
        """Give what is wanted and not in an answer; empty where all is there."""
        inputs, wanted = stages.request.inputs, self.wanted()
        missing = set()
        if OUTPUT in wanted and stages.output is None:
            missing |= {OUTPUT, THUMBNAILS}
        other_window = stages.request.window != self.window
        if THUMBNAILS in wanted and (len(stages.thumbnails) < inputs.n_heads or other_window):
            missing.add(THUMBNAILS)
        if SUMMARIES in wanted and (stages.request.region.head not in stages.summaries or other_window):
            missing.add(SUMMARIES)
        # What is there already is asked for again, and not computed again.
        return wanted if missing else frozenset()

    def took(self, stages: Stages) -> None:
        """Know that an answer is shown."""
        if not stages.is_partial and not self.missing(stages):
            self._behind_since = None

    def _is_cheap(self, inputs: Inputs, shown: Stages | None) -> bool:
        cells = inputs.n_query * inputs.n_key
        if inputs.n_heads * cells <= CHEAP_CELLS:
            return True
        if shown is None or len(shown.thumbnails) < inputs.n_heads or shown.request.window != self.window:
            return False
        return _n_changed(shown.request.inputs, inputs) * cells <= CHEAP_CELLS


def _n_changed(old: Inputs, new: Inputs) -> int:
    """Give how many heads may have other weights or outputs."""
    if (old.n_heads, old.n_query, old.n_key) != (new.n_heads, new.n_query, new.n_key):
        return new.n_heads
    if old.mask is not new.mask or old.mask_fill != new.mask_fill or old.scale_strength != new.scale_strength:
        return new.n_heads
    return sum(not _is_same(mine, theirs) for mine, theirs in zip(old.heads, new.heads, strict=True))


def _is_same(old: Head, new: Head) -> bool:
    return old is new or (old.q is new.q and old.k is new.k and old.v is new.v)
