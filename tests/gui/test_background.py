"""Work beside the window: answered in the window's thread, in order, and stopped when nobody wants it."""

from __future__ import annotations

import threading

import pytest

from attnviz.core.errors import AttnvizError
from attnviz.gui.background import Background
from attnviz.io.errors import FileError
from attnviz.io.reading import Stopped


@pytest.fixture
def background(qtbot):
    made = Background()
    yield made
    made.close()
    made.deleteLater()


def is_done(qtbot, background):
    qtbot.waitUntil(lambda: not background.is_busy)


def test_work_is_done_in_another_thread_and_answered_in_this_one(qtbot, background):
    threads = []
    background.do(lambda watch: threading.current_thread(), threads.append)
    background.do(lambda watch: None, lambda none: threads.append(threading.current_thread()))
    assert background.is_busy
    is_done(qtbot, background)
    assert threads[0] is not threading.current_thread()
    assert threads[1] is threading.current_thread()


def test_everything_is_answered_in_the_order_it_was_asked_for(qtbot, background):
    answers = []
    for number in range(20):
        background.do(lambda watch, number=number: number, answers.append)
    is_done(qtbot, background)
    assert answers == list(range(20))


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (FileError("It is empty."), "It is empty."),
        (MemoryError(), "There is not enough memory for this."),
        (KeyError("odd"), "This could not be done: 'odd'."),
    ],
)
def test_what_fails_is_said_and_the_next_work_is_done(qtbot, background, error, says):
    answers, said = [], []
    background.failed.connect(said.append)

    def fail(watch):
        raise error

    background.do(fail, answers.append, lambda: answers.append("otherwise"))
    background.do(lambda watch: 2, answers.append, lambda: answers.append("never"))
    is_done(qtbot, background)
    assert answers == ["otherwise", 2]
    assert [str(error) for error in said] == [says]
    assert isinstance(said[0], AttnvizError)
    assert said[0].__traceback__ is None


def steady(begun: threading.Event):
    """Work that would go on for ever."""

    def work(watch):
        begun.set()
        while watch(0.5):
            pass
        raise Stopped

    return work


def test_cancelling_stops_what_is_under_way_and_forgets_what_waits(qtbot, background):
    begun, answers, fractions = threading.Event(), [], []
    background.progress.connect(fractions.append)
    background.do(steady(begun), answers.append, lambda: answers.append("stopped"))
    background.do(lambda watch: 2, answers.append, lambda: answers.append("forgotten"))
    assert begun.wait(30)
    with qtbot.waitSignal(background.cancelled):
        background.cancel()
    is_done(qtbot, background)
    assert sorted(answers) == ["forgotten", "stopped"]
    assert set(fractions) == {0.5}


def test_what_stops_by_itself_is_not_told_as_cancelled(qtbot, background):
    said = []
    background.cancelled.connect(lambda: said.append("cancelled"))
    background.failed.connect(said.append)

    def stop(watch):
        raise Stopped

    background.do(stop, said.append)
    is_done(qtbot, background)
    assert said == []


def test_closing_stops_the_work_and_nothing_is_answered_any_more(qtbot):
    background, begun, answers = Background(), threading.Event(), []
    background.do(steady(begun), answers.append)
    assert begun.wait(30)
    background.close()
    background.close()
    background.do(lambda watch: 2, answers.append)
    qtbot.wait(0)
    assert answers == []
    background.deleteLater()
