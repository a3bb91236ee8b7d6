"""Hands: what a person does with the window, by mouse, keyboard and input method.

Mouse and keys go to the window of the system, as they do from a real mouse and keyboard; Qt finds the control
that lies there or has the focus. Nothing here touches the document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QCursor,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QWheelEvent,
    QWindow,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPushButton,
    QTableView,
    QWidget,
)

from attnviz.gui.main_window import MainWindow

Kind = TypeVar("Kind", bound=QWidget)
LEFT = Qt.MouseButton.LeftButton
PLAIN = Qt.KeyboardModifier.NoModifier
PATIENCE_MS = 30_000
"""How long a condition may take on a busy machine; waiting ends as soon as it holds."""


class Hands:
    """Two hands before one window."""

    def __init__(self, qtbot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window
        self._is_pressing = False

    # --- waiting

    def until(self, holds: Callable[[], object]) -> None:
        """Wait until something holds."""
        self.qtbot.waitUntil(lambda: bool(holds()), timeout=PATIENCE_MS)

    def settle(self) -> None:
        """Wait until the screen shows the document as it is now."""
        window = self.window
        self.until(lambda: not window.background.is_busy)
        self.until(lambda: window.live.is_up_to_date() and not window.runner.is_busy)
        QCoreApplication.processEvents()

    def face(self) -> QWidget:
        """Give what has the person's attention: the dialog in front, or the window."""
        return QApplication.activeModalWidget() or self.window

    def attend(self) -> None:
        """Have the keyboard in the window, or in the dialog before it."""
        face = self.face()
        face.activateWindow()
        self.until(face.isActiveWindow)

    # --- mouse

    def control(self, name: str, kind: type[Kind] = QWidget) -> Kind:
        """Find a control that can be seen, by its name."""
        found = [widget for widget in self.face().findChildren(kind, name) if widget.isVisible()]
        assert found, f"no {name} can be seen"
        return found[0]

    def click(
        self, what: str | QWidget, at: QPoint | None = None, modifiers: Qt.KeyboardModifier = PLAIN
    ) -> None:
        """Click on a control, in its middle or at a place in it."""
        QTest.mouseClick(*self._aim(what, at, modifiers))

    def double_click(self, what: str | QWidget, at: QPoint | None = None) -> None:
        """Double-click on a control."""
        window, button, modifiers, place = self._aim(what, at)
        QTest.mouseClick(window, button, modifiers, place)
        QTest.mouseDClick(window, button, modifiers, place)

    def press(self, what: str | QWidget, at: QPoint | None = None) -> None:
        """Press the left button and hold it."""
        QTest.mousePress(*self._aim(what, at))
        self._is_pressing = True

    def move(self, what: str | QWidget, at: QPoint | None = None) -> None:
        """Move the pointer to a place, with the button as it is."""
        window, _, _, place = self._aim(what, at)
        # The system's pointer goes along, except with a button held, which the system knows nothing of, and
        # where the screen of a small X server ends.
        to = window.mapToGlobal(place)
        if not self._is_pressing and window.screen().geometry().contains(to):
            QCursor.setPos(to)
            QCoreApplication.processEvents()
        QTest.mouseMove(window, place)

    def release(self, what: str | QWidget, at: QPoint | None = None) -> None:
        """Let the left button go."""
        QTest.mouseRelease(*self._aim(what, at))
        self._is_pressing = False

    def drag(self, what: str | QWidget, *places: QPoint) -> None:
        """Press at the first place, move over the others, let go at the last."""
        self.press(what, places[0])
        for place in places[1:]:
            self.move(what, place)
        self.release(what, places[-1])

    def wheel(self, what: str | QWidget, at: QPoint, steps: int) -> None:
        """Turn the wheel by notches, away from the person where positive."""
        widget = self.control(what) if isinstance(what, str) else what
        none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
        turn = QPoint(0, 120 * steps)
        event = QWheelEvent(QPointF(at), widget.mapToGlobal(QPointF(at)), QPoint(), turn, *none, False)
        QApplication.sendEvent(widget, event)

    def drop_file(self, path: Path) -> str:
        """Drag a file over the window and let it go; gives what the window says during the drag."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        handle, place = self.window.windowHandle(), QPoint(300, 300)
        drag = QDragEnterEvent(place, Qt.DropAction.CopyAction, data, LEFT, PLAIN)
        QApplication.sendEvent(handle, drag)
        hint = self.control("drop_hint").accessibleName()
        QApplication.sendEvent(
            handle, QDropEvent(QPointF(place), Qt.DropAction.CopyAction, data, LEFT, PLAIN)
        )
        return hint

    def open_tab(self, name: str) -> None:
        """Bring a tab to the front, by the object name of its page."""
        tabs = self.window.parts.tabs
        index = next(index for index in range(tabs.count()) if tabs.widget(index).objectName() == name)
        self.click(tabs.tabBar(), tabs.tabBar().tabRect(index).center())

    def choose(self, *names: str) -> None:
        """Choose from the menu bar: the names of menus, such as ``view`` and ``theme``, and of an action."""
        self.choose_in_menus(names[:-1], lambda action: action.objectName() == f"action/{names[-1]}")

    def choose_in_menus(self, names: Sequence[str], is_it: Callable[[QAction], bool]) -> None:
        """Open one menu of the menu bar after the other, and click on an action of the last."""
        bar = self.window.menus
        menus = [bar.menu(name) for name in names]
        self.click(bar, bar.actionGeometry(menus[0].menuAction()).center())
        for menu in menus[1:]:
            self._click_in_popup(lambda action, menu=menu: action is menu.menuAction())
        self._click_in_popup(is_it)

    def choose_in_popup(self, name: str) -> None:
        """Choose from the menu that has just popped up."""
        self._click_in_popup(lambda action: action.objectName() == name)

    def pick(self, name: str, entry: str) -> None:
        """Pick an entry of a list that drops down, by its data, with the keyboard as many do."""
        box = self.control(name, QComboBox)
        steps = box.findData(entry) - box.currentIndex()
        self.click(box)
        self.until(box.view().isVisible)
        for _ in range(abs(steps)):
            QTest.keyClick(box.view(), Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
        QTest.keyClick(box.view(), Qt.Key.Key_Return)
        self.until(lambda: not box.view().isVisible())

    # --- keyboard

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        """Press a key in whatever has the keyboard."""
        self.attend()
        QTest.keyClick(self.face().windowHandle(), key, modifiers)

    def press_in_popup(self, key: Qt.Key) -> None:
        """Press a key while a menu is open."""
        QTest.keyClick(QApplication.activePopupWidget(), key)

    def tab_to(self, name: str) -> None:
        """Press Tab until a control has the keyboard."""
        for _ in range(120):
            self.key(Qt.Key.Key_Tab)
            if self.focus().objectName() == name:
                return
        raise AssertionError(f"Tab does not reach {name}")

    def shortcut(self, keys: str) -> None:
        """Press keys together, such as ``Ctrl+Shift+Z``."""
        *names, last = keys.split("+")
        modifiers = PLAIN
        for name in names:
            modifiers |= getattr(Qt.KeyboardModifier, {"Ctrl": "Control"}.get(name, name) + "Modifier")
        self.key(getattr(Qt.Key, f"Key_{last}"), modifiers)

    def type(self, text: str) -> None:
        """Type ASCII into whatever has the keyboard (QTest ends the process at anything else)."""
        assert text.isascii()
        self.attend()
        for sign in text:  # the first may open a field that the others go to
            QTest.keyClicks(self.focus(), sign)

    def focus(self) -> QWidget:
        """Give the control that has the keyboard."""
        widget = QApplication.focusWidget()
        assert widget is not None, "nothing has the keyboard"
        return widget

    def compose(self, reading: str) -> None:
        """Have an input method hold text that is not decided yet, as while typing Japanese."""
        QCoreApplication.sendEvent(self.focus(), QInputMethodEvent(reading, []))

    def commit(self, text: str) -> None:
        """Decide on a text in the input method."""
        event = QInputMethodEvent()
        event.setCommitString(text)
        QCoreApplication.sendEvent(self.focus(), event)

    def write_sentence(self, text: str) -> None:
        """Replace the sentence by another in one go and press Enter."""
        self.shortcut("Ctrl+L")
        self.commit(text)
        self.key(Qt.Key.Key_Return)
        self.settle()

    def enter_number(self, name: str, text: str) -> None:
        """Type into a field for a number and press Enter."""
        self.click(name)
        self.until(lambda: self.focus().objectName() == name)
        self.shortcut("Ctrl+A")
        self.type(text)
        self.key(Qt.Key.Key_Return)
        self.settle()

    def click_cell(self, table: str, row: int, column: int) -> None:
        """Click on a cell of a table, scrolled to where needed."""
        view = self.control(table, QTableView)
        index = view.model().index(row, column)
        view.scrollTo(index)
        self.click(view.viewport(), view.visualRect(index).center())

    def enter_cell(self, table: str, row: int, column: int, text: str) -> None:
        """Type into a cell of a table and press Enter."""
        self.click_cell(table, row, column)
        self.type(text)
        self.key(Qt.Key.Key_Return)
        self.settle()

    # --- dialogs

    def choose_file(self, path: Path) -> None:
        """Type a path into the file dialog that is open and press Enter."""
        self.until(lambda: isinstance(self.face(), QFileDialog))
        name = self.control("fileNameEdit", QLineEdit)
        self.click(name)
        name.selectAll()
        self.type(str(path))
        self.key(Qt.Key.Key_Return)
        self.until(lambda: not isinstance(self.face(), QFileDialog))

    def answer(self, button: QMessageBox.StandardButton) -> None:
        """Answer the question that is asked."""
        self.until(lambda: isinstance(self.face(), QMessageBox))
        box = self.face()
        assert isinstance(box, QMessageBox)
        self.click(box.button(button))
        self.until(lambda: not isinstance(self.face(), QMessageBox))

    def press_button(self, name: str) -> None:
        """Click on a button of a dialog."""
        self.click(self.control(name, QPushButton))

    def _aim(
        self, what: str | QWidget, at: QPoint | None = None, modifiers: Qt.KeyboardModifier = PLAIN
    ) -> tuple[QWindow, Qt.MouseButton, Qt.KeyboardModifier, QPoint]:
        widget = self.control(what) if isinstance(what, str) else what
        if widget.window() is self.face() and QApplication.activePopupWidget() is None:
            self.attend()  # a click brings a window to the front
        place = widget.mapTo(widget.window(), widget.rect().center() if at is None else at)
        return widget.window().windowHandle(), LEFT, modifiers, place

    def _click_in_popup(self, is_it: Callable[[QAction], bool]) -> None:
        self.until(lambda: self._action_in_popup(is_it) is not None)
        menu, action = QApplication.activePopupWidget(), self._action_in_popup(is_it)
        self.click(menu, menu.actionGeometry(action).center())

    def _action_in_popup(self, is_it: Callable[[QAction], bool]) -> QAction | None:
        menu = QApplication.activePopupWidget()
        return next(filter(is_it, menu.actions()), None) if isinstance(menu, QMenu) else None


def clipboard() -> str:
    """Give the text on the clipboard."""
    return QGuiApplication.clipboard().text()
