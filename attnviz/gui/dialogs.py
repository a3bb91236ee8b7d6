"""How every dialog of the window is shown: it blocks nothing, and it is gone when it has been answered."""

from __future__ import annotations

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QPushButton


def open_dialog(dialog: QDialog) -> None:
    """Show a dialog over its window and return at once; its buttons say what they do in words alone."""
    for button in dialog.findChildren(QPushButton):
        button.setIcon(QIcon())  # Qt's own pictures are in colours that mean nothing here
    dialog.finished.connect(dialog.deleteLater)
    dialog.open()
