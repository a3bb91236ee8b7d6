"""What picture is wished for, from the command line or a dialog. No dialog, no drawing."""

from __future__ import annotations

from dataclasses import dataclass

PANELS = ("stages", "scores", "scaled", "masked", "weights", "window")
MAX_SIDE = 16_384
"""Pixels; the least is 1."""
MIN_SCALE, MAX_SCALE = 1.0, 4.0


@dataclass(frozen=True)
class PictureWish:
    """A picture to draw: one of PANELS, (width, height) in px, device px per px, ``light`` or ``dark``.

    A picture that carries its document opens as one again.
    """

    panel: str
    size: tuple[int, int]
    scale: float
    theme: str
    carries_document: bool = True


def usual_size(panel: str, scale: float = 1.0) -> tuple[int, int]:
    """Give (width, height) in px that suit a panel; the same layout at every scale."""
    width, height = {"stages": (1200, 1000), "window": (1360, 860)}.get(panel, (720, 640))
    return round(width * scale), round(height * scale)
