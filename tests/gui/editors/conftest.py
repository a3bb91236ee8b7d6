"""A small document, and a desk that does with an editor what the window does: apply and refresh."""

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from attnviz.core.errors import AttnvizError
from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection

TOKENS = ("猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった")
NAMES = ("動物", "食べ物", "動作", "機能語")


@pytest.fixture
def inputs() -> Inputs:
    """Ten tokens, a head of four named dimensions with v = k, and one of two dimensions."""
    q = np.zeros((10, 4), np.float32)
    q[6] = [1.0, 1.5, 0.0, -1.0]
    k = np.arange(40, dtype=np.float32).reshape(10, 4) / 10
    meaning = Head("意味", q, k, k, v_is_k=True, qk_names=NAMES, v_names=NAMES)
    other = Head("直前", np.ones((10, 2)), np.ones((10, 2)), np.ones((10, 3)))
    return Inputs("猫が魚を食べた。それは新鮮だった", TOKENS, (meaning, other))


class Desk:
    """Applies what an editor asks for and shows it the result."""

    def __init__(self, qtbot, inputs: Inputs) -> None:
        self._qtbot = qtbot
        self.inputs = inputs
        self.selection = Selection(0, 6, 2)
        self.gestures: list[str] = []
        self.refusals: list[str] = []
        self.editor: QWidget | None = None
        self.is_deaf = False

    def put(self, kind, width: int = 900, height: int = 400):
        """Show an editor of a kind on this desk."""
        editor = kind()
        self._qtbot.addWidget(editor)
        editor.edit_asked.connect(self._apply)
        editor.query_chosen.connect(lambda q: self.choose(Selection(self.selection.head, q, 2)))
        editor.key_chosen.connect(
            lambda k: self.choose(Selection(self.selection.head, self.selection.query, k))
        )
        editor.head_chosen.connect(lambda h: self.choose(Selection(h, self.selection.query, 2)))
        editor.refused.connect(lambda error: self.refusals.append(str(error)))
        self.editor = editor
        self.refresh()
        editor.resize(width, height)
        editor.show()
        self._qtbot.waitExposed(editor)
        editor.activateWindow()
        return editor

    def set(self, inputs: Inputs) -> None:
        """Change the document from elsewhere."""
        self.inputs = inputs
        self.choose(self.selection)

    def choose(self, selection: Selection) -> None:
        self.selection = selection.clamped(self.inputs)
        self.refresh()

    def refresh(self) -> None:
        self.editor.refresh(self.inputs, self.selection)

    def _apply(self, edit, gesture: str) -> None:
        self.gestures.append(gesture)
        if self.is_deaf:
            return
        try:
            self.inputs = edit(self.inputs)
        except AttnvizError as error:
            self.refusals.append(str(error))
        else:
            self.choose(self.selection)

    def find(self, kind, name: str):
        found = self.editor.findChild(kind, name)
        assert found is not None, name
        return found


@pytest.fixture
def desk(qtbot, inputs) -> Desk:
    return Desk(qtbot, inputs)
