"""Dialogs: calm, and gone when they have been answered."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QDialog, QPushButton


@pytest.mark.parametrize(
    "action", ["open", "save_as", "import_arrays", "export_png", "export_table", "keys", "about"]
)
def test_a_dialog_has_words_on_its_buttons_and_goes_when_answered(window, action):
    window.deeds[action].trigger()
    dialog = window.findChild(QDialog)
    buttons = [button for button in dialog.findChildren(QPushButton) if button.isVisible()]
    assert buttons
    assert all(button.text() and button.icon().isNull() for button in buttons)
    dialog.reject()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert window.findChild(QDialog) is None


def test_the_question_about_changes_has_words_on_its_buttons(window):
    window.parts.heads.add()
    window.close()
    question = window.findChild(QDialog, "unsaved")
    assert all(button.icon().isNull() for button in question.findChildren(QPushButton))
    question.reject()
