"""The choice of an engine in a window: what is used, what is remembered, and what is said."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from attnviz.core import edits
from attnviz.engine import fallback, select
from attnviz.engine.base import EngineUnavailable
from attnviz.engine.cuda_errors import DeviceFull, DeviceLost
from attnviz.engine.numpy_engine import NumpyEngine
from attnviz.gui.app import open_window
from attnviz.gui.language import Language
from attnviz.gui.settings import Settings

NAME = "CUDA: a fake"
NO_DRIVER = EngineUnavailable("There is no driver.")


class FakeCuda:
    """Computes as numpy does, under another name; as ready, and as sound, as a test lets it be."""

    name = NAME
    made = 0
    error: Exception | None = None
    fault: Exception | None = None
    gate = threading.Event()

    def __init__(self):
        FakeCuda.made += 1
        self.gate.wait(10)
        if self.error is not None:
            raise self.error
        self._numpy = NumpyEngine(1)

    def compute(self, request, previous=None, progress=None):
        if self.fault is not None:
            raise self.fault
        stages = self._numpy.compute(request, previous, progress)
        return None if stages is None else replace(stages, engine=NAME)

    def close(self):
        self._numpy.close()


@pytest.fixture
def cuda(monkeypatch):
    """A machine on which PyCUDA is installed and a fake engine comes of it."""
    module = ModuleType("attnviz.engine.cuda_engine")
    module.CudaEngine = FakeCuda
    monkeypatch.setitem(sys.modules, "attnviz.engine.cuda_engine", module)
    monkeypatch.setattr(select, "find_spec", lambda name: name)
    monkeypatch.setattr(fallback, "_breakdowns", [])
    for name, value in (("made", 0), ("error", None), ("fault", None), ("gate", threading.Event())):
        monkeypatch.setattr(FakeCuda, name, value)
    FakeCuda.gate.set()
    return FakeCuda


@pytest.fixture
def no_cuda(monkeypatch):
    """A machine without PyCUDA."""
    monkeypatch.setattr(select, "find_spec", lambda name: None)
    monkeypatch.setattr(fallback, "_breakdowns", [])


@pytest.fixture
def open_with(qtbot, settings_file):
    """Opens windows with an engine asked for, or with the one remembered."""
    windows = []

    def opened(wish=None, language="en"):
        spoken = Language()
        spoken.speak(language)
        settings = Settings(settings_file)
        settings.theme = "light"
        windows.append(open_window(settings, spoken, None, wish))
        return windows[-1]

    yield opened
    for window in windows:
        window.abandon()
        window.deleteLater()
    Language().speak("en")


def uses(window, name):
    """Say whether an engine of that name computed what is shown, and the status line says so."""
    stages = window.stages
    return stages is not None and stages.engine.startswith(name) and window.status.engine[0].startswith(name)


def why(window):
    return str(window.status.engine[1])


def checked(window):
    return window.deeds.choice("engine")


@pytest.mark.parametrize("wish", ["auto", "cuda"])
def test_the_first_picture_comes_from_the_cpu_and_then_cuda_takes_over(qtbot, cuda, open_with, wish):
    cuda.gate.clear()
    window = open_with(wish)
    qtbot.waitUntil(lambda: window.stages is not None and cuda.made == 1)
    assert uses(window, "CPU: numpy")
    assert why(window) == "CUDA is being made ready."
    numbers = window.stages.weights.array()
    cuda.gate.set()
    qtbot.waitUntil(lambda: uses(window, NAME))
    assert window.status.engine[1] is None
    assert np.allclose(window.stages.weights.array(), numbers)
    assert checked(window) == wish
    assert cuda.made == 1


def test_while_cuda_is_made_ready_edits_are_answered(qtbot, cuda, open_with):
    cuda.gate.clear()
    window = open_with("auto")
    qtbot.waitUntil(lambda: cuda.made == 1)
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0))
    qtbot.waitUntil(window.live.is_up_to_date)
    assert uses(window, "CPU: numpy")
    cuda.gate.set()
    qtbot.waitUntil(lambda: uses(window, NAME))


def test_where_cuda_cannot_be_used_auto_stays_with_the_cpu_and_says_why_quietly(qtbot, cuda, open_with):
    cuda.error = NO_DRIVER
    window = open_with("auto")
    qtbot.waitUntil(lambda: why(window) == "There is no driver.")
    assert uses(window, "CPU: numpy")
    assert checked(window) == "auto"
    assert window.status.currentMessage() == ""


@pytest.mark.parametrize("has_pycuda", [True, False])
def test_cuda_asked_for_at_the_start_and_not_there_is_said_in_a_message_too(
    qtbot, monkeypatch, cuda, open_with, has_pycuda
):
    cuda.error = NO_DRIVER
    if not has_pycuda:
        monkeypatch.setattr(select, "find_spec", lambda name: None)
    words = "There is no driver." if has_pycuda else "PyCUDA is not installed"
    window = open_with("cuda")
    qtbot.waitUntil(lambda: window.status.currentMessage().startswith(words))
    assert why(window).startswith(words)
    assert uses(window, "CPU: numpy")
    assert cuda.made == has_pycuda


def test_without_pycuda_nothing_is_tried(qtbot, no_cuda, open_with, monkeypatch):
    monkeypatch.setattr(select, "cuda_engine", lambda: pytest.fail("CUDA was tried"))
    window = open_with()
    qtbot.waitUntil(lambda: window.stages is not None and not window.runner.is_busy)
    assert why(window).startswith("PyCUDA is not installed")


def test_the_cpu_asked_for_tries_nothing(qtbot, cuda, open_with):
    window = open_with("cpu")
    qtbot.waitUntil(lambda: window.stages is not None and not window.runner.is_busy)
    assert why(window) == "The CPU was asked for."
    assert cuda.made == 0


def test_what_is_asked_for_at_the_start_is_not_remembered_and_what_is_chosen_is(qtbot, cuda, open_with):
    window = open_with("cpu")
    assert window._settings.engine == "auto"
    window.deeds["engine/cuda"].trigger()
    qtbot.waitUntil(lambda: uses(window, NAME))
    assert window._settings.engine == checked(window) == "cuda"
    window.deeds["engine/cpu"].trigger()
    qtbot.waitUntil(lambda: uses(window, "CPU: numpy"))
    assert window._settings.engine == checked(window) == "cpu"
    assert why(window) == "The CPU was asked for."


def test_changing_the_engine_keeps_the_document_its_undo_and_the_selection(qtbot, cuda, open_with):
    window = open_with("cpu")
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0))
    window.document.select_query(4)
    kept = window.document.inputs, window.document.selection
    for name, start in (("cuda", NAME), ("cpu", "CPU"), ("auto", NAME)):
        window.deeds[f"engine/{name}"].trigger()
        qtbot.waitUntil(lambda start=start: uses(window, start) and not window.runner.is_busy)
        assert (window.document.inputs, window.document.selection) == kept
        assert window.stages.request.query == 4
    window.document.undo()
    qtbot.waitUntil(window.live.is_up_to_date)
    assert window.document.inputs.scale_strength == 1.0
    assert uses(window, NAME)


def test_a_choice_that_cannot_be_used_goes_back_and_is_said(qtbot, cuda, open_with):
    cuda.error = NO_DRIVER
    window = open_with("cpu")
    qtbot.waitUntil(lambda: window.stages is not None)
    window.deeds["engine/cuda"].trigger()
    qtbot.waitUntil(lambda: window.status.currentMessage() == "There is no driver.")
    assert checked(window) == "cpu"
    assert why(window) == "The CPU was asked for."
    assert window._settings.engine == "auto"
    window.deeds["engine/auto"].trigger()  # which is content with the CPU
    qtbot.waitUntil(lambda: why(window) == "There is no driver.")
    assert checked(window) == "auto"


def test_choosing_what_is_used_already_makes_nothing_anew(qtbot, cuda, open_with):
    window = open_with("auto")
    qtbot.waitUntil(lambda: uses(window, NAME))
    window.deeds["engine/cuda"].trigger()
    assert window._settings.engine == checked(window) == "cuda"
    assert cuda.made == 1


def test_a_choice_made_while_cuda_is_made_ready_counts(qtbot, cuda, open_with):
    cuda.gate.clear()
    window = open_with("auto")
    qtbot.waitUntil(lambda: cuda.made == 1)
    window.deeds["engine/cuda"].trigger()
    window.deeds["engine/cpu"].trigger()
    cuda.gate.set()
    qtbot.waitUntil(lambda: why(window) == "The CPU was asked for.")
    assert uses(window, "CPU: numpy")
    assert checked(window) == "cpu"


@pytest.mark.parametrize(
    ("fault", "goes_on_with"), [(DeviceLost("It broke."), "CPU: numpy"), (DeviceFull("It is full."), NAME)]
)
def test_where_the_device_fails_the_picture_stays_and_it_is_said_once(
    qtbot, cuda, open_with, fault, goes_on_with
):
    window = open_with("auto")
    qtbot.waitUntil(lambda: uses(window, NAME) and not window.runner.is_busy)
    said = []
    window.engine_choice.failed.connect(lambda error: said.append(str(error)))
    cuda.fault = fault
    for strength in (2.0, 3.0):
        window.document.apply(lambda inputs, strength=strength: edits.set_scale_strength(inputs, strength))
        qtbot.waitUntil(window.live.is_up_to_date)
        assert uses(window, "CPU: numpy")
        assert why(window) == str(fault)
    qtbot.waitUntil(lambda: said == [f"The CPU has taken over: {fault}"])
    cuda.fault = None
    window.document.undo()
    qtbot.waitUntil(window.live.is_up_to_date)
    assert uses(window, goes_on_with)
    assert len(said) == 1


def test_a_lost_device_is_refused_from_then_on(qtbot, cuda, open_with):
    window = open_with("auto")
    qtbot.waitUntil(lambda: uses(window, NAME) and not window.runner.is_busy)
    cuda.fault = DeviceLost("It broke.")
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, 2.0))
    qtbot.waitUntil(lambda: uses(window, "CPU: numpy") and not window.runner.is_busy)
    window.deeds["engine/cuda"].trigger()
    sentence = "CUDA is off until attnviz is started again: It broke."
    qtbot.waitUntil(lambda: window.status.currentMessage() == sentence)
    assert uses(window, "CPU: numpy")


def notice(window):
    """Open the Engine menu and give what it says below its choices."""
    menu = window.menus.menu("engine")
    menu.aboutToShow.emit()
    (label,) = [a.defaultWidget() for a in menu.actions() if hasattr(a, "defaultWidget")]
    assert isinstance(label, QLabel)
    return label.text()


def test_the_menu_says_what_is_in_use_and_why(qtbot, cuda, open_with, monkeypatch):
    window = open_with("auto")
    qtbot.waitUntil(lambda: uses(window, NAME))
    assert notice(window) == f"In use: {NAME}"
    window.deeds["engine/cpu"].trigger()
    qtbot.waitUntil(lambda: uses(window, "CPU: numpy"))
    in_use = f"In use: {window.status.engine[0]}"
    assert notice(window).splitlines() == [in_use, "The CPU was asked for."]
    monkeypatch.setattr(select, "find_spec", lambda name: None)
    first, second, third = notice(window).splitlines()
    assert (first, second) == (in_use, "The CPU was asked for.")
    assert third.startswith("PyCUDA is not installed")


def test_closing_while_cuda_is_made_ready_leaves_nothing_behind(qtbot, cuda, open_with):
    cuda.gate.clear()
    window = open_with("auto")
    qtbot.waitUntil(lambda: cuda.made == 1)
    opener = threading.Timer(0.05, cuda.gate.set)
    opener.start()
    window.abandon()
    opener.join()
    assert "attnviz-engine" not in {thread.name for thread in threading.enumerate()}
