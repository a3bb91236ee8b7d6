"""Lessons of a person's own, written into files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from attnviz.io.lessons import SUFFIX


def small() -> dict[str, Any]:
    """A lesson as a teacher would write it."""
    return {
        "format": "attnviz-lesson",
        "version": 1,
        "id": "mine",
        "title": "Mine",
        "preset": "neko",
        "steps": [
            {
                "do": {"ja": "強さを 2 に。", "en": "Set it to 2."},
                "see": "魚",
                "edits": [{"edit": "set_scale_strength", "value": 2}],
                "expects": [{"what": "weights", "query": "それ", "key": 2, "at_most": 0.5}],
            }
        ],
    }


def written(folder: Path, data: Any) -> Path:
    """Write a lesson's data, or any text, into a file of a folder."""
    path = folder / f"mine{SUFFIX}"
    path.write_text(data if isinstance(data, str) else json.dumps(data, ensure_ascii=False), "utf-8")
    return path
