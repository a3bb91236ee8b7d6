"""What the code window says about the mask: its rule as a condition on i and j, and its kind in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from attnviz.core.inputs import Inputs
from attnviz.core.masks import CausalMask, NoMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask
from attnviz.core.stage_lines import MOST_LISTED


def rule(inputs: Inputs) -> str:
    """Give when query i may attend to key j; nothing where it always may."""
    mask, at = inputs.mask, stand(inputs)
    if isinstance(mask, CausalMask):
        return f"j ≤ {at}"
    if isinstance(mask, NoMask):
        return ""
    if isinstance(mask, SlidingWindowMask):
        return f"{at} − {mask.width} < j ≤ {at}"
    if isinstance(mask, SinkMask):
        words = QCoreApplication.translate("CodeWords", "j ≤ {i} and (j < {sinks} or {i} − {width} < j)")
        return words.format(i=at, sinks=mask.sinks, width=mask.width)
    if isinstance(mask, PrefixMask):
        words = QCoreApplication.translate("CodeWords", "j < {length} or j ≤ {i}")
        return words.format(length=mask.length, i=at)
    if isinstance(mask, PaddingMask) and len(mask.tokens) <= MOST_LISTED:
        return _padding(mask, at)
    return "allowed[i, j]"


def stand(inputs: Inputs) -> str:
    """Give the key at which query i stands: ``i``, or ``i + 2`` where queries stand farther on."""
    offset = inputs.mask.offset(inputs.n_query, inputs.n_key)
    if offset == 0:
        return "i"
    return f"i + {offset}" if offset > 0 else f"i − {-offset}"


def kind(inputs: Inputs) -> str:
    """Say in words what is hidden."""
    mask, itself = inputs.mask, QCoreApplication.translate("CodeWords", "itself")
    if inputs.is_cross:
        itself = QCoreApplication.translate("CodeWords", "where it stands")
    if isinstance(mask, CausalMask):
        words = QCoreApplication.translate("CodeWords", "causal: a query sees keys up to {itself}")
        return words.format(itself=itself)
    if isinstance(mask, NoMask):
        return QCoreApplication.translate("CodeWords", "none: every query sees every key")
    if isinstance(mask, SlidingWindowMask):
        words = QCoreApplication.translate(
            "CodeWords", "window: a query sees the last {width} keys up to {itself}"
        )
        return words.format(width=mask.width, itself=itself)
    if isinstance(mask, SinkMask):
        words = QCoreApplication.translate(
            "CodeWords", "sinks: a query sees the first {sinks} keys and the last {width} up to {itself}"
        )
        return words.format(sinks=mask.sinks, width=mask.width, itself=itself)
    if isinstance(mask, PrefixMask):
        words = QCoreApplication.translate(
            "CodeWords", "prefix: all see the first {length} keys, then causal"
        )
        return words.format(length=mask.length)
    if isinstance(mask, PaddingMask):
        return (
            QCoreApplication.translate("CodeWords", "padding: no query sees the chosen keys, nor the future")
            if mask.hides_future
            else QCoreApplication.translate("CodeWords", "padding: no query sees the chosen keys")
        )
    return QCoreApplication.translate("CodeWords", "custom: the document’s own cells")


def _padding(mask: PaddingMask, at: str) -> str:
    tokens = ", ".join(map(str, mask.tokens))
    if not tokens:
        return f"j ≤ {at}" if mask.hides_future else ""
    if mask.hides_future:
        words = QCoreApplication.translate("CodeWords", "j ≤ {i} and j none of {tokens}")
        return words.format(i=at, tokens=tokens)
    return QCoreApplication.translate("CodeWords", "j none of {tokens}").format(tokens=tokens)
