"""Which query stands at which key, in words, and where a document has to say it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from attnviz.core.inputs import Inputs
from attnviz.core.masks import CausalMask
from attnviz.core.padding_mask import PaddingMask
from attnviz.core.position_masks import PrefixMask, SinkMask, SlidingWindowMask


def is_aligned(inputs: Inputs) -> bool:
    """Say whether it matters for the mask which query stands at which key."""
    mask = inputs.mask
    by_position = isinstance(mask, CausalMask | SlidingWindowMask | SinkMask | PrefixMask)
    return inputs.is_cross and (by_position or (isinstance(mask, PaddingMask) and mask.hides_future))


def short_words() -> dict[str, str]:
    """Give a word or two for each alignment."""
    return {
        "first": QCoreApplication.translate("Alignment", "starts aligned"),
        "last": QCoreApplication.translate("Alignment", "ends aligned"),
    }


def sentences() -> dict[str, str]:
    """Give the sentence that says each alignment."""
    return {
        "first": QCoreApplication.translate("Alignment", "Query 0 stands at key 0."),
        "last": QCoreApplication.translate("Alignment", "The last query stands at the last key."),
    }
