"""The runner: the newest wins, nothing starves, nothing kills the worker, nothing is left behind."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from PySide6.QtCore import QTimer

from attnviz.core.errors import AttnvizError
from attnviz.core.request import Request
from attnviz.core.stages import Picture, QueryRow, Stages
from attnviz.engine.base import EngineUnavailable
from attnviz.gui.runner import Runner


def answer(request: Request, engine: str = "", note: AttnvizError | None = None) -> Stages:
    n = request.inputs.n_tokens
    square, line = np.zeros((n, n), np.float32), np.zeros(n, np.float32)
    picture = Picture((square,), n)
    row = QueryRow(request.query, line, line, line, line, np.ones(n, bool), np.zeros(2, np.float32))
    return Stages(
        request, picture, picture, picture, picture, row, line, line, engine=engine, engine_note=note
    )


class FakeEngine:
    """Takes its time, in blocks; notes what it was asked and in which thread."""

    name = "fake"

    def __init__(self, seconds: float = 0.0, blocks: int = 1) -> None:
        self.seconds, self.blocks = seconds, blocks
        self.asked: list[Request] = []
        self.previous: list[Stages | None] = []
        self.finished: list[Request] = []
        self.threads = {threading.current_thread().name}
        self.running = threading.Event()
        self.gate: threading.Event | None = None
        self.says: tuple[str, AttnvizError | None] = ("", None)
        self.error: Exception | None = None
        self.is_closed = False

    def compute(self, request, previous=None, progress=None):
        self.asked.append(request)
        self.previous.append(previous)
        self.threads.add(threading.current_thread().name)
        self.running.set()
        if self.error is not None:
            raise self.error
        for block in range(self.blocks):
            if self.gate is not None:
                self.gate.wait(10)
            time.sleep(self.seconds / self.blocks)  # the work itself
            if progress is not None and not progress((block + 1) / (self.blocks + 1), None):
                return None
        self.finished.append(request)
        return answer(request, *self.says)

    def close(self) -> None:
        self.threads.add(threading.current_thread().name)
        self.is_closed = True


class Made:
    """Makes the engine in the worker and shows it to the test."""

    def __init__(self, **plan) -> None:
        self.plan = plan
        self.engine: FakeEngine

    def __call__(self):
        self.engine = FakeEngine(**self.plan)
        return self.engine, None


@pytest.fixture
def start(qtbot):
    runners = []

    def started(**plan):
        made = Made(**plan)
        runner = Runner(made)
        runners.append(runner)
        with qtbot.waitSignal(runner.engine_changed):
            pass
        return runner, made.engine

    yield started
    for runner in runners:
        runner.close()
    assert "attnviz-engine" not in {thread.name for thread in threading.enumerate()}


def requests(inputs, count: int) -> list[Request]:
    return [Request.whole(inputs, query=number % inputs.n_tokens) for number in range(count)]


def test_an_answer_comes_back_in_the_thread_that_asked(start, qtbot, small_inputs):
    runner, engine = start()
    request, threads = Request.whole(small_inputs), []
    for signal in (runner.stages_ready, runner.engine_changed, runner.busy_changed):
        signal.connect(lambda *arguments: threads.append(threading.current_thread()))
    with qtbot.waitSignal(runner.stages_ready) as ready:
        runner.submit(request)
    assert ready.args[0].request is request
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert set(threads) == {threading.main_thread()}
    runner.close()
    assert engine.is_closed
    assert engine.threads == {"attnviz-engine"}


def test_400_submits_at_1_ms_show_frames_all_the_way_and_end_on_the_last(start, qtbot, small_inputs):
    runner, engine = start(seconds=0.02)
    waiting = requests(small_inputs, 400)
    last, shown = waiting[-1], []
    runner.stages_ready.connect(lambda stages: shown.append(stages.request))
    timer = QTimer()
    timer.timeout.connect(lambda: runner.submit(waiting.pop(0)) if waiting else timer.stop())
    timer.start(1)
    qtbot.waitUntil(lambda: not waiting and not runner.is_busy, timeout=30_000)
    assert shown[-1] is last
    assert len(shown) >= 10
    assert len(shown) <= len(engine.asked) < 400


def test_an_answer_that_comes_soon_can_be_waited_for(start, qtbot, small_inputs):
    runner, engine = start(seconds=0.02)
    shown = []
    runner.stages_ready.connect(lambda stages: shown.append(stages.request))
    request = Request.whole(small_inputs)
    runner.submit(request)
    runner.wait_briefly(10)
    assert shown == [request]
    engine.gate = threading.Event()
    runner.submit(request)
    runner.wait_briefly(0.01)
    assert shown == [request]
    engine.gate.set()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert shown == [request, request]
    runner.wait_briefly(10)  # nothing is to come, so there is nothing to wait for


def test_of_what_waits_only_the_newest_is_computed(start, qtbot, small_inputs):
    runner, engine = start()
    engine.gate = threading.Event()
    first, *others = requests(small_inputs, 20)
    runner.submit(first)
    qtbot.waitUntil(engine.running.is_set)
    for request in others:
        runner.submit(request)
    engine.gate.set()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert engine.asked == [first, others[-1]]


def test_an_edit_stops_less_urgent_work_and_drops_what_waits_there(start, qtbot, small_inputs):
    runner, engine = start(seconds=10, blocks=1000)
    refine, extras, edit = requests(small_inputs, 3)
    runner.submit(refine, "refine")
    qtbot.waitUntil(engine.running.is_set)
    runner.submit(extras, "extras")
    engine.seconds = 0.0
    runner.submit(edit, "edit")
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert engine.finished == [edit]


def test_never_are_two_long_edits_in_a_row_stopped_for_newer_ones(start, qtbot, small_inputs):
    runner, engine = start(seconds=0.5, blocks=100)
    stream = requests(small_inputs, 1000)
    timer = QTimer()
    timer.timeout.connect(lambda: runner.submit(stream.pop()))
    timer.start(5)
    qtbot.waitUntil(lambda: len(engine.finished) >= 2, timeout=20_000)
    timer.stop()
    assert len(engine.asked) <= 2 * (len(engine.finished) + 1)


def test_the_answer_before_is_handed_to_the_next_computation(start, qtbot, small_inputs):
    runner, engine = start()
    for request in requests(small_inputs, 2):
        with qtbot.waitSignal(runner.stages_ready) as ready:
            runner.submit(request)
    runner.submit(request)
    qtbot.waitUntil(lambda: len(engine.previous) == 3)
    assert engine.previous[0] is None
    assert engine.previous[2] is ready.args[0]


def test_an_overview_has_a_signal_of_its_own_and_is_never_what_the_next_is_compared_with(
    start, qtbot, small_inputs
):
    runner, engine = start()
    got, overviews = [], []
    runner.stages_ready.connect(lambda stages: got.append(stages.request))
    runner.overview_ready.connect(lambda stages: overviews.append(stages.request))
    requests = [Request.whole(small_inputs, query=query) for query in range(3)]
    for request, lane in zip(requests, ("view", "overview", "refine"), strict=True):
        with qtbot.waitSignal(runner.busy_changed, check_params_cb=lambda is_busy: not is_busy):
            runner.submit(request, lane)
    assert got == [requests[0], requests[2]]
    assert overviews == [requests[1]]
    assert [stages and stages.request for stages in engine.previous] == [None, requests[0], requests[0]]


def test_an_overview_goes_before_refinement_and_gives_way_to_a_pan(start, qtbot, small_inputs):
    runner, engine = start(blocks=4)
    engine.gate = threading.Event()
    requests = {name: Request.whole(small_inputs, query=at) for at, name in enumerate(("refine", "view"))}
    overview = Request.whole(small_inputs, query=3)
    runner.submit(requests["refine"], "refine")
    qtbot.waitUntil(engine.running.is_set)
    runner.submit(overview, "overview")
    runner.submit(requests["view"], "view")
    engine.gate.set()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert engine.finished == [requests["view"]]
    runner.submit(overview, "overview")
    runner.submit(requests["refine"], "refine")
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert engine.finished[1:] == [overview, requests["refine"]]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("the device is gone."), "The computation failed: the device is gone."),
        (KeyError(), "The computation failed: KeyError."),
        (MemoryError(), "There is not enough memory to compute this; make the document smaller."),
        (AttnvizError("Said as it is."), "Said as it is."),
    ],
)
def test_an_error_is_said_and_the_next_request_is_answered(start, qtbot, small_inputs, error, words):
    runner, engine = start()
    engine.error = error
    with qtbot.waitSignal(runner.failed) as failed:
        runner.submit(Request.whole(small_inputs))
    assert isinstance(failed.args[0], AttnvizError)
    assert str(failed.args[0]) == words
    engine.error = None
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(Request.whole(small_inputs))


def test_cancelling_stops_what_runs_and_forgets_what_waits(start, qtbot, small_inputs):
    runner, engine = start(seconds=10, blocks=1000)
    for request in requests(small_inputs, 2):
        runner.submit(request)
    qtbot.waitUntil(engine.running.is_set)
    with qtbot.waitSignal(runner.cancelled):
        runner.cancel()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert engine.finished == []
    engine.seconds = 0.0
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(request)


def test_what_is_cancelled_before_it_begins_leaves_nobody_busy(qtbot, small_inputs):
    is_wanted = threading.Event()

    def make():
        is_wanted.wait(10)
        return FakeEngine(), None

    runner = Runner(make)
    runner.submit(Request.whole(small_inputs))
    with qtbot.waitSignal(runner.cancelled):
        runner.cancel()
    qtbot.waitUntil(lambda: not runner.is_busy)
    is_wanted.set()
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(Request.whole(small_inputs))
    runner.close()


def test_progress_comes_from_long_work_only(start, qtbot, small_inputs):
    runner, engine = start(seconds=0.3, blocks=30)
    fractions = []
    runner.progress.connect(fractions.append)
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(Request.whole(small_inputs))
    assert fractions
    assert fractions == sorted(fractions)
    engine.seconds = 0.0
    fractions.clear()
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(Request.whole(small_inputs))
    assert fractions == []


def test_progress_is_told_now_and_then_however_often_an_engine_asks(start, qtbot, small_inputs, monkeypatch):
    monkeypatch.setattr("attnviz.gui.runner.TOLD_EVERY", 1e9)
    monkeypatch.setattr("attnviz.gui.runner.SHORT", 0.0)
    runner, _ = start(seconds=0.02, blocks=100)
    fractions = []
    runner.progress.connect(fractions.append)
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(Request.whole(small_inputs))
    assert len(fractions) == 1


def test_closing_while_busy_stops_the_work_and_leaves_no_thread(start, qtbot, small_inputs):
    runner, engine = start(seconds=60, blocks=10_000)
    runner.submit(Request.whole(small_inputs))
    qtbot.waitUntil(engine.running.is_set)
    with qtbot.assertNotEmitted(runner.stages_ready, wait=0):
        runner.close()
        runner.close()
        runner.submit(Request.whole(small_inputs))
    assert engine.is_closed


def test_an_engine_that_cannot_be_used_leaves_the_present_one(start, qtbot, small_inputs):
    runner, engine = start()

    def no_engine():
        raise EngineUnavailable("There is no GPU here.")

    with qtbot.waitSignal(runner.engine_refused) as refused, qtbot.assertNotEmitted(runner.failed):
        runner.use_engine(no_engine)
    assert str(refused.args[0]) == "There is no GPU here."
    assert refused.args[0].__traceback__ is None
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(Request.whole(small_inputs))
    assert engine.finished
    assert not engine.is_closed


def test_changing_the_engine_closes_the_old_one_and_names_the_new(start, qtbot, small_inputs):
    runner, engine = start()
    made, why, told = Made(), AttnvizError("No GPU was found."), []
    with qtbot.waitSignal(runner.engine_changed) as changed:
        runner.use_engine(lambda: (made()[0], why), lambda: told.append(threading.current_thread()))
    assert changed.args == ["fake", why]
    qtbot.waitUntil(lambda: engine.is_closed)
    qtbot.waitUntil(lambda: told == [threading.main_thread()])
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(Request.whole(small_inputs))
    assert made.engine.finished
    assert made.engine.previous == [None]


def test_without_any_engine_requests_are_dropped_and_the_reason_is_said(qtbot, small_inputs):
    def no_engine():
        raise EngineUnavailable("There is no GPU here.")

    runner = Runner(no_engine)
    runner.submit(Request.whole(small_inputs))
    with qtbot.waitSignal(runner.engine_refused):
        pass
    qtbot.waitUntil(lambda: not runner.is_busy)
    runner.close()


class Slow:
    """Makes an engine only when it is let."""

    def __init__(self, name: str = "slow", error: Exception | None = None) -> None:
        self.begun, self.gate = threading.Event(), threading.Event()
        self.name, self.error = name, error
        self.engine: FakeEngine | None = None

    def __call__(self):
        self.begun.set()
        self.gate.wait(10)
        if self.error is not None:
            raise self.error
        self.engine = FakeEngine()
        self.engine.name = self.name
        return self.engine, None


def test_the_present_engine_answers_while_another_is_made(start, qtbot, small_inputs):
    runner, engine = start()
    slow = Slow()
    runner.use_engine(slow)
    qtbot.waitUntil(slow.begun.is_set)
    first, second = requests(small_inputs, 2)
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(first)
    with qtbot.waitSignal(runner.engine_changed):
        slow.gate.set()
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(second)
    assert (engine.finished, slow.engine.finished) == ([first], [second])


def test_another_engine_takes_over_after_the_answer_in_progress(start, qtbot, small_inputs):
    runner, engine = start()
    engine.gate = threading.Event()
    slow = Slow()
    slow.gate.set()
    first, second = requests(small_inputs, 2)
    shown = []
    runner.stages_ready.connect(lambda stages: shown.append(stages.request))
    runner.submit(first)
    qtbot.waitUntil(engine.running.is_set)
    runner.use_engine(slow)
    runner.submit(second)
    qtbot.waitUntil(lambda: slow.engine is not None)
    assert slow.engine.asked == []
    engine.gate.set()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert (engine.finished, slow.engine.finished) == ([first], [second])
    assert shown[-1] is second
    qtbot.waitUntil(lambda: engine.is_closed)


def test_of_engines_asked_for_in_a_row_the_last_is_used(start, qtbot, small_inputs):
    runner, engine = start()
    first, last = Slow("first"), Slow("last")
    runner.use_engine(first)
    qtbot.waitUntil(first.begun.is_set)
    names = []
    runner.engine_changed.connect(lambda name, why: names.append(name))
    runner.use_engine(last)
    last.gate.set()
    first.gate.set()
    qtbot.waitUntil(lambda: names != [] and first.engine.is_closed and engine.is_closed)
    assert names == ["last"]
    assert not last.engine.is_closed


def test_an_engine_nobody_wants_any_more_fails_unheard(start, qtbot, small_inputs):
    runner, _ = start()
    first, last = Slow("first", EngineUnavailable("There is no GPU here.")), Slow("last")
    runner.use_engine(first)
    qtbot.waitUntil(first.begun.is_set)
    last.gate.set()
    with qtbot.assertNotEmitted(runner.engine_refused), qtbot.waitSignal(runner.engine_changed) as changed:
        runner.use_engine(last)
        first.gate.set()
    assert changed.args[0] == "last"


def test_closing_while_an_engine_is_made_closes_both(start, qtbot):
    runner, engine = start()
    slow = Slow()
    runner.use_engine(slow)
    qtbot.waitUntil(slow.begun.is_set)
    closer = threading.Timer(0.05, slow.gate.set)
    closer.start()
    runner.close()
    closer.join()
    assert engine.is_closed
    assert slow.engine.is_closed


def test_an_answer_that_another_engine_computed_says_so_once(start, qtbot, small_inputs):
    runner, engine = start()
    changes = []
    runner.engine_changed.connect(lambda name, why: changes.append((name, why)))
    full = AttnvizError("The GPU is full.")
    for engine.says in (
        ("fake", None),
        ("CPU", full),
        ("CPU", AttnvizError("The GPU is full.")),
        ("fake", None),
    ):
        with qtbot.waitSignal(runner.stages_ready):
            runner.submit(Request.whole(small_inputs))
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert changes == [("CPU", full), ("fake", None)]


def test_an_errand_is_done_in_the_worker_after_what_waits(start, qtbot, small_inputs):
    runner, engine = start()
    places = []

    def errand(engine, progress):
        places.append((threading.current_thread().name, list(engine.finished)))
        return progress(0.5, None)

    request = Request.whole(small_inputs)
    engine.gate = threading.Event()
    runner.submit(request)
    runner.run_errand(errand, lambda: places.append(threading.current_thread()))
    engine.gate.set()
    qtbot.waitUntil(lambda: len(places) == 2)
    assert places == [("attnviz-engine", [request]), threading.main_thread()]


def test_an_errand_that_fails_says_why_and_is_not_followed_up(start, qtbot, small_inputs):
    runner, _ = start()
    done = []

    def errand(engine, progress):
        raise AttnvizError("The disk is full.")

    with qtbot.waitSignal(runner.failed) as failed:
        runner.run_errand(errand, lambda: done.append(True))
    assert str(failed.args[0]) == "The disk is full."
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert done == []


def test_an_errand_can_be_cancelled(start, qtbot):
    runner, _ = start()
    begun, done = threading.Event(), []

    def errand(engine, progress):
        while progress(0.1, None):
            begun.set()
        return False

    runner.run_errand(errand, lambda: done.append(True))
    qtbot.waitUntil(begun.is_set)
    with qtbot.waitSignal(runner.cancelled):
        runner.cancel()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert done == []


def test_an_errand_that_gives_way_is_stopped_for_an_edit_and_begun_again(start, qtbot, small_inputs):
    runner, _ = start()
    begun, told = [], []

    def errand(own, progress):
        begun.append(list(own.finished))
        if len(begun) > 1:
            return True
        while progress(0.1, None):
            pass
        return False

    runner.run_errand(errand, lambda: told.append(True), gives_way=True)
    qtbot.waitUntil(lambda: bool(begun))
    request = Request.whole(small_inputs)
    with qtbot.waitSignal(runner.stages_ready):
        runner.submit(request)
    qtbot.waitUntil(lambda: bool(told) and not runner.is_busy)
    assert begun == [[], [request]]


def test_an_errand_that_gave_way_is_forgotten_with_what_waits(start, qtbot, small_inputs):
    runner, engine = start()
    begun, told = [], []

    def errand(own, progress):
        begun.append(True)
        while progress(0.1, None):
            pass
        return False

    runner.run_errand(errand, lambda: told.append(True), gives_way=True)
    qtbot.waitUntil(lambda: bool(begun))
    engine.gate = threading.Event()
    runner.submit(Request.whole(small_inputs))
    qtbot.waitUntil(engine.running.is_set)
    runner.cancel()
    engine.gate.set()
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert (len(begun), told) == (1, [])


def test_an_errand_that_fails_while_something_waits_is_not_begun_again(start, qtbot, small_inputs):
    runner, _ = start()
    begun = []

    def errand(own, progress):
        begun.append(True)
        while progress(0.1, None):
            pass
        raise AttnvizError("The disk is full.")

    with qtbot.waitSignal(runner.failed):
        runner.run_errand(errand, lambda: None, gives_way=True)
        qtbot.waitUntil(lambda: bool(begun))
        runner.submit(Request.whole(small_inputs))
    qtbot.waitUntil(lambda: not runner.is_busy)
    assert len(begun) == 1
