import pytest
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from attnviz.gui.views.note_view import NoteView


@pytest.fixture
def note(qtbot):
    outer = QWidget()
    qtbot.addWidget(outer)
    note = NoteView()
    QVBoxLayout(outer).addWidget(note)
    outer.show()
    yield note
    outer.close()


def test_a_note_is_shown_until_it_is_put_away(note, qtbot):
    assert not note.isVisible()
    note.set_note("The article **rounds** early.")
    assert note.isVisible()
    with qtbot.waitSignal(note.dismissed):
        note.findChild(QToolButton, "note/close").click()
    assert not note.isVisible()


def test_an_empty_note_takes_no_place(note):
    note.set_note("something")
    note.set_note("")
    assert not note.isVisible()
    assert note.note() == ""
