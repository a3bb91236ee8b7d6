"""What the line at the bottom says."""

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel, QWidget

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.gui.status_line import StatusLine


@pytest.mark.parametrize(
    ("tokens", "heads", "said"),
    [(1, 1, "1 token × 1 head, d_k 2"), (3, 2, "3 tokens × 2 heads, d_k 2")],
)
def test_the_size_is_said_in_the_right_number(qtbot, tokens, heads, said):
    line = StatusLine()
    qtbot.addWidget(line)
    vectors = np.ones((tokens, 2), np.float32)
    inputs = Inputs("", ("t",) * tokens, (Head("", vectors, vectors, vectors),) * heads)
    line.show_size(inputs, Selection())
    assert any(said in label.text() for label in line.findChildren(QLabel))


def test_the_engine_is_named_with_the_reason_and_its_values(qtbot):
    line = StatusLine()
    qtbot.addWidget(line)
    label = line.findChild(QWidget, "status/engine")
    line.set_engine("CUDA: NVIDIA H200", None)
    assert label.toolTip() == "CUDA: NVIDIA H200"
    why = AttnvizError("The GPU reported an error ({reason}).", reason="cuInit failed")
    line.set_engine("CPU: numpy, 1 thread", why)
    assert label.toolTip() == "CPU: numpy, 1 thread (The GPU reported an error (cuInit failed).)"
    assert line.engine == ("CPU: numpy, 1 thread", why)
