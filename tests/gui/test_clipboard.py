"""The clipboard: what is left on it when the program ends."""

from __future__ import annotations

import subprocess
import sys

_COPY_AND_END = """
import numpy as np
from PySide6.QtWidgets import QApplication
from attnviz.core.request import Request
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.clipboard import copy_weights
from attnviz.io.presets import load_preset

app = QApplication([])
copy_weights(NumpyEngine(1).compute(Request.whole(load_preset("neko", "ja").inputs, 0, 6)))
print(app.clipboard().text().count("\\n"))
"""


def test_the_process_ends_in_order_with_something_copied():
    ended = subprocess.run([sys.executable, "-c", _COPY_AND_END], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "10\n", "")
