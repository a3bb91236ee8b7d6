"""What is being looked at: one head, one query, one key. Not part of undo."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attnviz.core.inputs import Inputs


@dataclass(frozen=True)
class Selection:
    """Indices from 0 of the active head, the selected query and the selected key."""

    head: int = 0
    query: int = 0
    key: int = 0

    def clamped(self, inputs: Inputs) -> Selection:
        """Give the nearest selection that exists in ``inputs``."""
        return Selection(
            head=min(max(self.head, 0), inputs.n_heads - 1),
            query=min(max(self.query, 0), inputs.n_query - 1),
            key=min(max(self.key, 0), inputs.n_key - 1),
        )

    def at(self, query: int, key: int) -> Selection:
        """Give this selection moved to another cell of the same head."""
        return replace(self, query=query, key=key)
