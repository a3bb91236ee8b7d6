"""Weights of small trained models and numbers that others computed with them; none of it is kept here."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def trained(name: str) -> Path:
    """Give the folder of a model; a test that asks for one that is not there is skipped."""
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there; this test reads trained weights from it")
    return folder


def tensors_of(path: Path) -> dict[str, np.ndarray]:
    """Read a file of safetensors, float32 alone."""
    content = path.read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    header.pop("__metadata__", None)
    assert {entry["dtype"] for entry in header.values()} <= {"F32"}
    return {
        name: np.frombuffer(
            content[begin + entry["data_offsets"][0] : begin + entry["data_offsets"][1]], "<f4"
        )
        .reshape(entry["shape"])
        .copy()
        for name, entry in header.items()
    }


def published_partials(folder: Path) -> dict[str, np.ndarray]:
    """Read what the makers of gpt-nano-sort computed in its first layer with torch."""
    found = json.loads((folder / "gpt-nano-sort-t0-partials.json").read_text("utf-8"))
    return {
        name: np.frombuffer(base64.b64decode(value["data"]), "<f4").reshape(value["shape"])
        for name, value in found.items()
        if isinstance(value, dict) and "data" in value
    }
