"""A process killed while it saves leaves the old session or the new one, whole."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest

from attnviz.io.presets import load_preset
from attnviz.io.session import open_session, save_session

SAVES_FOR_EVER = """
import sys
from dataclasses import replace
import numpy as np
from attnviz.core.inputs import Head, Inputs
from attnviz.core.selection import Selection
from attnviz.io.session import save_session

vectors = np.ones((400, 64), np.float32)
inputs = Inputs("", ("t",) * 400, tuple(Head(str(index), vectors, vectors, vectors) for index in range(4)))
for number in range(1_000_000):
    save_session(sys.argv[1], replace(inputs, text=str(number)), Selection())
    print(number, flush=True)
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no signal that cannot be caught")
def test_a_save_that_is_killed_leaves_a_whole_session(tmp_path) -> None:
    path = tmp_path / "kept.attnviz"
    preset = load_preset("neko")
    save_session(path, preset.inputs, preset.selection)
    chance = random.Random(0)
    for _ in range(20):
        command = [sys.executable, "-c", SAVES_FOR_EVER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as saver:
            assert saver.stdout is not None
            saver.stdout.readline()  # it saved once: from here on every moment is between or within saves
            time.sleep(chance.uniform(0.0, 0.1))  # the moment of the kill, not a wait for something
            saver.kill()
            numbers = [0, *(int(line) for line in saver.stdout)]
        text = open_session(path).inputs.text
        assert int(text) in (numbers[-1], numbers[-1] + 1)
