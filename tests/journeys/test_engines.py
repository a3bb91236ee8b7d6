"""A person works with CUDA and without it: the same numbers, and a line that says which it is."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel, QWidget

from attnviz.engine import fallback, select

ROOT = Path(__file__).resolve().parents[2]
EMULATOR = "CUDA: CUDA emulator 0 (CPU, tests only)"
SORE = ["18.8%", "1.5%", "65.7%", "1.5%", "6.1%", "2.5%", "3.7%", "—", "—", "—"]
"""What それ attends to, as published."""


def engine_line(person) -> str:
    """Read what computes, in the status line, whole as on hover; a message may stand before it."""
    return person.window.findChild(QWidget, "status/engine").toolTip()


def is_computed_by(person, name: str) -> bool:
    """Say whether the screen shows an answer of this engine, and says so."""
    return person.window.stages.engine.startswith(name) and engine_line(person).startswith(name)


def choose_engine(person, name: str, becomes: str) -> None:
    person.choose("view", "engine", f"engine/{name}")
    person.until(lambda: is_computed_by(person, becomes))
    person.settle()


def weights(person) -> np.ndarray:
    return person.window.stages.weights.array()


class TestWithoutCuda:
    """On a machine that has no PyCUDA."""

    @pytest.fixture(autouse=True)
    def no_pycuda(self, monkeypatch):
        monkeypatch.setattr(select, "find_spec", lambda name: None)
        monkeypatch.setattr(fallback, "_breakdowns", [])

    @pytest.mark.parametrize("engine", ["auto", "cuda", "cpu"])
    def test_the_numbers_are_the_published_ones_whatever_is_asked_for(self, sit_down, engine):
        person = sit_down(engine=engine)
        assert person.bars() == SORE
        assert is_computed_by(person, "CPU: numpy")

    def test_the_status_line_says_why(self, sit_down):
        assert "(PyCUDA is not installed; docs/cuda-install.md says how" in engine_line(sit_down())

    def test_who_asks_for_cuda_is_told_in_a_message_too(self, sit_down):
        person = sit_down(engine="cuda")
        person.until(lambda: person.window.status.currentMessage().startswith("PyCUDA is not installed"))
        assert "(PyCUDA is not installed" in engine_line(person)

    def test_choosing_cuda_in_the_menu_is_refused_and_the_menu_goes_back(self, person):
        person.choose("view", "engine", "engine/cuda")
        person.until(lambda: person.window.status.currentMessage().startswith("PyCUDA is not installed"))
        assert person.window.deeds["engine/auto"].isChecked()
        assert person.bars() == SORE

    def test_the_menu_says_what_is_in_use_and_why(self, person):
        menu = person.window.menus.menu("engine")
        menu.aboutToShow.emit()
        said = menu.findChild(QLabel, "engine_notice").text()
        assert said.splitlines()[0].startswith("In use: CPU: numpy")
        assert said.splitlines()[1].startswith("PyCUDA is not installed")


@pytest.mark.emulated
class TestOnTheEmulatedDevice:
    """PyCUDA, the kernels and the whole window, over the emulated driver."""

    def test_the_status_line_names_the_device_and_the_numbers_are_the_published_ones(self, sit_down):
        person = sit_down(engine="auto")
        person.until(lambda: is_computed_by(person, EMULATOR))
        assert engine_line(person) == EMULATOR
        assert person.bars() == SORE
        assert person.panel("weights").is_hatched(6, 7)

    def test_edits_undo_another_head_and_the_mask_reach_the_screen(self, sit_down):
        person = sit_down(engine="cuda")
        person.until(lambda: is_computed_by(person, EMULATOR))
        person.enter_number("q/0/1/number", "0")
        person.settle()
        assert person.bars() != SORE
        person.shortcut("Ctrl+Z")
        person.settle()
        assert person.bars() == SORE
        person.click("head/1")
        person.settle()
        assert person.window.stages.request.region.head == 1
        person.click("head/0")
        person.click("mask")
        person.settle()
        assert "—" not in person.bars()
        person.click("token/0")
        person.settle()
        assert len(person.cells("weights", 0)) == 10
        assert person.window.stages.engine == EMULATOR

    def test_changing_the_engine_live_keeps_everything_and_the_numbers(self, sit_down):
        person = sit_down(engine="auto")
        person.until(lambda: is_computed_by(person, EMULATOR))
        person.enter_number("q/0/1/number", "-1.5")
        person.click("token/4")
        person.settle()
        document, shown, numbers = person.window.document.inputs, person.bars(), weights(person)
        for name, becomes in (
            ("cpu", "CPU: numpy"),
            ("cuda", EMULATOR),
            ("cpu", "CPU: numpy"),
            ("auto", EMULATOR),
        ):
            choose_engine(person, name, becomes)
            assert person.window.document.inputs is document
            assert person.window.document.selection.query == 4
            assert person.bars() == shown
            assert np.allclose(weights(person), numbers, rtol=1e-5, atol=1e-7)
        person.shortcut("Ctrl+Z")
        person.click("token/6")
        person.settle()
        assert person.bars() == SORE


START = """
import os, shutil, sys, time
from PySide6.QtWidgets import QApplication
from attnviz.core import edits
from attnviz.core.selection import Selection
from attnviz.gui.app import create_application, open_window
from attnviz.gui.language import Language
from attnviz.gui.settings import Settings
from tests.engine.documents import document

app = create_application()
language = Language()
language.speak("en")

def until(holds):
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, (status(), window.status.currentMessage())
        app.processEvents()
        time.sleep(0.002)

def status():
    name, why = window.status.engine
    return f"{name} | {why}"

def strength(value):
    window.document.apply(lambda inputs: edits.set_scale_strength(inputs, value))
    until(lambda: window.live.is_up_to_date() and not window.runner.is_busy)

def shown():
    return [window.parts.weights.shown_percent(key) for key in range(7)]

def open_and_wait(wish):
    global window
    window = open_window(Settings(), language, None, wish)
    until(lambda: window.stages is not None and window.engine_choice.is_settled and not window.runner.is_busy)
    until(lambda: window.stages.engine == window.status.engine[0])

def end():
    window.abandon()
    window.deleteLater()
    app.processEvents()
"""
FULL = "The GPU has too little free memory for this document"
LOST = "A computation on the GPU touched memory that is not its own"


def session(code: str, **settings: str) -> list[str]:
    """Let a process of its own work with a window and end without a complaint; give what it printed."""
    found = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", START + textwrap.dedent(code) + "\nend()\n"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": found, **settings},
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
    )
    complaints = [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (done.returncode, complaints) == (0, [])
    return done.stdout.splitlines()


@pytest.mark.emulated
class TestWhereTheEmulatedDeviceFails:
    """Each a process of its own, since a fault stays for a process's whole life."""

    def test_a_fault_in_mid_session_is_said_once_and_the_cpu_takes_over(self):
        said = session("""
            open_and_wait("auto")
            before, kept = shown(), window.document.inputs.tokens
            print(status())
            os.environ["CUDAEMU_FAIL"] = "softmax_plain:1:700"
            strength(2.0)
            until(window.status.currentMessage)
            print(status())
            print(window.status.currentMessage())
            window.document.undo()
            until(window.live.is_up_to_date)
            assert shown() == before and window.document.inputs.tokens == kept
            window.deeds["engine/cuda"].trigger()
            until(window.status.currentMessage)
            print(window.status.currentMessage())
            print(status())
        """)
        assert said[0] == f"{EMULATOR} | None"
        assert said[1].startswith("CPU: numpy")
        assert LOST in said[1]
        assert said[2].startswith(f"The CPU has taken over: {LOST}")
        assert said[3].startswith(f"CUDA is off until attnviz is started again: {LOST}")
        assert said[4].startswith("CPU: numpy")

    def test_a_full_device_leaves_answers_to_the_cpu_and_then_goes_on(self):
        said = session("""
            open_and_wait("auto")
            os.environ["CUDAEMU_FAIL"] = "cuMemAlloc:1+:2"
            window.document.replace(document(200), Selection())
            until(window.status.currentMessage)
            print(status())
            print(window.status.currentMessage())
            del os.environ["CUDAEMU_FAIL"]
            strength(3.0)
            print(status())
        """)
        assert said[0].startswith("CPU: numpy")
        assert FULL in said[0]
        assert said[1].startswith(f"The CPU has taken over: {FULL}")
        assert said[2] == f"{EMULATOR} | None"

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"CUDA_VISIBLE_DEVICES": ""}, "CUDA_VISIBLE_DEVICES is “”, which hides every GPU"),
            ({"CUDAEMU_DEVICES": "0"}, "The NVIDIA driver sees no GPU"),
            ({"CUDAEMU_INIT_ERROR": "34"}, "The CUDA library found is a stub"),
            ({"CUDAEMU_INIT_ERROR": "803"}, "The parts of the NVIDIA driver do not fit each other"),
            ({"CUDAEMU_INIT_ERROR": "999"}, "The NVIDIA driver failed for no stated reason"),
            (
                {"CUDAEMU_FAIL": "softmax_rows:1:719"},
                "CUDA could not be made ready: A computation on the GPU",
            ),
            ({"CUDAEMU_FAIL": "cuMemAlloc:1+:2"}, "CUDA could not be made ready: The GPU has too little"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_where_cuda_cannot_start_the_window_opens_and_says_why(self, settings, words):
        status, message, numbers = session(
            """
            open_and_wait("cuda")
            until(window.status.currentMessage)
            print(status())
            print(window.status.currentMessage())
            print(shown())
            """,
            **settings,
        )
        assert status.startswith("CPU: numpy")
        assert f"| {words}" in status
        assert message.startswith(words)
        assert numbers == str(SORE[:7])

    @pytest.mark.parametrize(
        ("hidden", "words"),
        [
            ("sys.modules['pycuda'] = None", "PyCUDA is not installed"),
            ("sys.modules['pytools'] = None", "PyCUDA is installed but cannot be loaded"),
            (
                "sys.modules['nvidia'], shutil.which = None, lambda *name, **place: None",
                "There is no compiler for the CUDA kernels",
            ),
            (
                "sys.modules['nvidia'], os.environ['PATH'] = None, os.environ['CUDAEMU'] + '/bin'",
                "nvcc needs a C++ compiler and found none",
            ),
        ],
        ids=["PyCUDA", "a part of PyCUDA", "nvcc and NVRTC", "gcc and NVRTC"],
    )
    def test_whatever_is_missing_the_window_opens_and_says_why(self, hidden, words):
        status, numbers = session(
            f"""
            {hidden}
            open_and_wait("auto")
            print(status())
            print(shown())
            """,
            ATTNVIZ_KERNEL_CACHE="",  # what was compiled once needs no compiler
        )
        assert status.startswith("CPU: numpy")
        assert f"| {words}" in status
        assert numbers == str(SORE[:7])

    @pytest.mark.parametrize("moment", ["at work", "being made ready"])
    def test_closing_the_window_while_cuda_is_busy_ends_without_a_complaint(self, moment):
        waits = "open_and_wait('cuda')" if moment == "at work" else ""
        assert (
            session(f"""
            {waits}
            if not {waits!r}:
                window = open_window(Settings(), language, None, "cuda")
                until(lambda: window.stages is not None)
                app.processEvents()
            else:
                window.document.replace(document(700, 64, n_heads=4), Selection())
                until(lambda: window.runner.is_busy)
        """)
            == []
        )


@pytest.mark.emulated
class TestTheCommandLine:
    """What is asked of the emulated device without a window."""

    def attnviz(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "attnviz", *arguments],
            cwd=ROOT,
            env={**os.environ, **settings},
            text=True,
            capture_output=True,
            timeout=120,
            check=False,
        )

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({}, EMULATOR),
            ({"CUDA_VISIBLE_DEVICES": ""}, "not available: CUDA_VISIBLE_DEVICES is “”"),
            ({"CUDAEMU_FAIL": "softmax_rows:1:700"}, "not available: CUDA could not be made ready: A comp"),
        ],
        ids=lambda value: str(value)[:40],
    )
    def test_engines_are_listed_without_a_complaint(self, settings, said):
        done = self.attnviz("engines", **settings)
        assert (done.returncode, done.stderr) == (0, "")
        cuda, cpu = done.stdout.splitlines()
        assert cuda.startswith(f"cuda  {said}")
        assert cpu.startswith("cpu   CPU: numpy")

    def test_cuda_and_the_cpu_export_the_same_numbers(self):
        tables = []
        for engine in ("cuda", "cpu"):
            done = self.attnviz("export", "-o", "-", ATTNVIZ_ENGINE=engine)
            assert (done.returncode, done.stderr) == (0, "")
            rows = [line.split(",")[1:] for line in done.stdout.splitlines()[1:]]
            tables.append(np.array(rows, float))
        assert np.allclose(*tables, rtol=1e-5, atol=1e-7)

    @pytest.mark.parametrize(("command", "name"), [("export", "a.csv"), ("render", "a.png")])
    def test_where_cuda_is_asked_for_and_fails_nothing_else_computes(self, command, name, tmp_path):
        output = tmp_path / name
        done = self.attnviz(command, "-o", str(output), "--engine", "cuda", CUDAEMU_DEVICES="0")
        assert done.returncode == 2
        assert done.stderr.startswith("The NVIDIA driver sees no GPU")
        assert len(done.stderr.splitlines()) == 1
        assert not output.exists()
