"""A process is killed in the middle of an edit; started again, the document is there."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attnviz.io.autosave_folder import abandoned, place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a process is killed in another way there")
SCRIPT = Path(__file__).with_name("crashing_window.py")
ROOT = Path(__file__).resolve().parents[2]
MOST_LOST_S = 3.0


class Launched:
    """A running attnviz of its own process, heard line by line."""

    def __init__(self, *arguments: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
        command = [sys.executable, str(SCRIPT), *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment, encoding="utf-8"
        )

    def shown(self) -> float:
        """Wait for the window, and give the strength its document has."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("shown "):
                return float(line.split()[1])
        raise AssertionError("the window was never shown")

    def edits(self, seconds: float) -> None:
        """Let it edit for a time."""
        assert self.process.stdout is not None
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.stdout.readline():
            pass

    def kill(self) -> list[tuple[float, float]]:
        """Kill it and give the edits it told of since: the strength each made, and when."""
        self.process.kill()
        assert self.process.stdout is not None
        lines = [line.split() for line in self.process.stdout]
        self.process.wait()
        self.process.stdout.close()
        whole = [words for words in lines if words[:1] == ["edit"] and len(words) == 3]
        return [(1.0 + int(number) / 10_000, float(when)) for _, number, when in whole]


def recovered() -> float | None:
    """Give the strength of the one document that is kept, or None where there is none."""
    found = abandoned(place())
    try:
        assert len(found) <= 1
        return found[0].read().inputs.scale_strength if found else None
    finally:
        for autosave in found:
            autosave.release()


def test_a_document_killed_in_the_middle_of_an_edit_is_there_at_the_next_start():
    window = Launched()
    try:
        assert window.shown() == 1.0
        window.edits(3.5)
    finally:
        window.kill()
    kept = recovered()
    assert kept is not None
    assert kept > 1.0
    again = Launched("look")
    try:
        assert again.shown() == pytest.approx(kept, abs=1e-6)
    finally:
        again.kill()
    assert recovered() == pytest.approx(kept)  # nobody has decided yet: it is offered again


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_fifty_kills_at_random_moments_always_recover_a_consistent_document(tmp_path, monkeypatch):
    chance = random.Random(4)
    losses = []
    for number in range(50):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / str(number)))
        window = Launched()
        try:
            window.shown()
            began = time.time()
            time.sleep(chance.uniform(0.0, 7.0))  # the moment of the kill, not a wait for something
        finally:
            killed = time.time()
            told = window.kill()
        kept = recovered()  # opens as a session does, which reads all of it
        lost_from = next((when for strength, when in told if strength > (kept or 1.0) + 1e-9), killed)
        losses.append(killed - lost_from)
        if kept is not None:
            assert any(abs(strength - kept) < 1e-6 for strength, _ in told)
        else:
            assert killed - began < MOST_LOST_S
    assert max(losses) < MOST_LOST_S
