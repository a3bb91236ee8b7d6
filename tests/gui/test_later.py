"""What waits until the window can be seen, and the pages of the tabs that do."""

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from attnviz.core.request import Request
from attnviz.core.selection import Selection
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui import later
from attnviz.gui.app import create_application
from attnviz.gui.appearance import Appearance
from attnviz.gui.later import Later
from attnviz.gui.tab_pages import LEAST, PAGES
from attnviz.gui.theme import DARK, LIGHT
from attnviz.gui.window_face import LEAST as LEAST_WINDOW
from attnviz.gui.window_face import WindowFace


@pytest.fixture
def owner(qapp):
    """What the work belongs to."""
    return QObject()


@pytest.fixture
def face(qtbot, small_inputs):
    """The outside of a window as low as it can be, of whose tabs only the page in front has been made."""
    create_application()
    appearance = Appearance()
    appearance.choose("light")
    face = WindowFace()
    qtbot.addWidget(face)
    face.set_theme(LIGHT)
    engine = NumpyEngine(1)
    stages = engine.compute(Request.whole(small_inputs))
    engine.close()
    face.refresh(small_inputs, Selection())
    face.draw(stages, 0)
    face.show()
    for size in ((1100, 700), LEAST_WINDOW):  # headings are laid out once more when all fonts are known
        face.resize(*size)
        face.parts.share_out(*size)
        settle()
    return face


def settle():
    for _ in range(3):  # a layout asks for another
        QApplication.processEvents()


def places(face) -> dict[str, tuple]:
    """Give where every named widget that can be seen stands."""
    return {
        widget.objectName(): (
            *widget.mapTo(face, widget.rect().topLeft()).toTuple(),
            *widget.size().toTuple(),
        )
        for widget in face.findChildren(QWidget)
        if widget.isVisible() and widget.objectName()
    }


def test_nothing_is_done_before_the_window_can_be_seen(qtbot, owner):
    done = []
    work = Later(owner)
    work.add(lambda: done.append("first"))
    work.add(lambda: done.append("second"))
    QApplication.processEvents()
    assert (done, work.is_done) == ([], False)
    work.begin()
    qtbot.waitUntil(lambda: work.is_done)
    assert done == ["first", "second"]


def test_what_a_person_does_comes_between_two_pieces(qtbot, owner):
    done = []
    work = Later(owner)
    work.add(lambda: QTimer.singleShot(0, owner, lambda: done.append("a key")))
    work.add(lambda: done.append("second"))
    work.begin()
    qtbot.waitUntil(lambda: len(done) == 2)
    assert done == ["a key", "second"]


def test_work_that_comes_after_the_beginning_is_done_too(qtbot, owner):
    done = []
    work = Later(owner)
    work.begin()
    work.add(lambda: done.append("late"))
    qtbot.waitUntil(lambda: done == ["late"])


def test_where_the_window_cannot_be_painted_it_is_done_all_the_same(qtbot, owner, monkeypatch):
    monkeypatch.setattr(later, "LATEST_MS", 1)
    done = []
    Later(owner).add(lambda: done.append("first"))
    qtbot.waitUntil(lambda: done == ["first"])


def test_what_fails_keeps_nothing_else_from_being_done(qtbot, owner):
    done = []
    work = Later(owner)
    work.add(lambda: 1 / 0)
    work.add(lambda: done.append("second"))
    with qtbot.captureExceptions() as failures:
        work.begin()
        qtbot.waitUntil(lambda: work.is_done and bool(done))
    assert done == ["second"]
    assert [kind for kind, *_ in failures] == [ZeroDivisionError]


def test_what_was_dropped_is_not_done(qtbot, owner):
    done = []
    work = Later(owner)
    work.add(lambda: done.append("first"))
    work.begin()
    work.drop()
    QTimer.singleShot(0, owner, lambda: done.append("afterwards"))
    qtbot.waitUntil(lambda: "afterwards" in done)
    assert done == ["afterwards"]


def test_only_the_page_in_front_is_made_at_first(face):
    assert face.parts.tabs.lacking() == [name for name in PAGES if name != "arithmetic"]
    assert [page.objectName() for page in face.parts.pages()] == list(PAGES)
    assert not face.is_complete


@pytest.mark.parametrize("name", [name for name in PAGES if name != "arithmetic"])
def test_a_page_is_made_when_its_tab_is_chosen(face, name):
    tabs, heard = face.parts.tabs, []
    face.parts.tab_changed.connect(lambda: heard.append(tabs.lacking()))
    before = [tabs.tabText(index) for index in range(tabs.count())]
    tabs.setCurrentIndex(list(PAGES).index(name))
    assert name not in tabs.lacking()
    assert heard == [tabs.lacking()]  # told once, and not before it was there
    assert tabs.currentWidget() is getattr(face.parts, PAGES[name])
    assert tabs.currentWidget().objectName() == name
    assert [tabs.tabText(index) for index in range(tabs.count())] == before
    parts = (*face.parts.editors, *face.parts.views)
    assert any(part is tabs.currentWidget() or tabs.currentWidget().isAncestorOf(part) for part in parts)


def test_asking_for_a_page_makes_it_and_leaves_the_one_in_front(face):
    made = []
    face.parts.page_made.connect(made.append)
    assert face.parts.vectors is face.parts.vectors
    assert made == [face.parts.vectors]
    assert face.parts.tabs.currentWidget() is face.parts.arithmetic


def test_nothing_moves_when_the_pages_behind_are_made(face):
    before = places(face)
    for name in face.parts.tabs.lacking():
        face.parts.tabs.make(name)
    settle()
    assert places(face) == before
    assert max(page.minimumSizeHint().height() for page in face.parts.pages()) <= LEAST


def test_a_page_that_is_made_late_has_the_look_of_one_made_before(qtbot, small_inputs):
    pictures = []
    for is_made_before in (True, False):
        face = WindowFace()
        qtbot.addWidget(face)
        if is_made_before:
            face.parts.tabs.make("vectors")
        face.set_theme(DARK)
        face.resize(*LEAST_WINDOW)
        face.refresh(small_inputs, Selection())
        face.show()
        face.parts.show_tab(face.parts.vectors)
        settle()
        pictures.append(face.parts.vectors.grab().toImage())
    assert pictures[0] == pictures[1]


def test_a_page_that_is_made_late_shows_what_was_chosen_before(face):
    face.show_option("summary", "entropy")
    assert face.parts.all_heads.beside.currentData() == "entropy"


def test_menus_of_presets_and_lessons_are_filled_before_they_open(qtbot):
    face = WindowFace(presets=lambda: [("neko", "猫")], lessons=lambda: [("one", "First")])
    qtbot.addWidget(face)
    assert not face.menus.has_titles
    face.menus.menu("lessons").aboutToShow.emit()
    assert [action.text() for action in face.menus.menu("presets").actions()] == ["猫"]
    texts = [action.text() for action in face.menus.menu("lessons").actions()]
    assert texts[0] == "First"
    assert len(texts) == 3  # a line, and the way to a lesson of one's own
    face.menus.menu("presets").aboutToShow.emit()
    assert len(face.menus.menu("lessons").actions()) == 3
