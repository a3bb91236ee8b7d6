"""What picture is wished for. No dialog, no drawing."""

from __future__ import annotations

from dataclasses import dataclass

PANELS = ("stages", "scores", "scaled", "masked", "weights", "window")


@dataclass(frozen=True)
class PictureWish:
    """A picture to draw: one of PANELS, (width, height) in px, device px per px, ``light`` or ``dark``."""

    panel: str
    size: tuple[int, int]
    scale: float
    theme: str
