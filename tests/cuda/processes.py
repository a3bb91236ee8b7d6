"""Tests in a process of their own: what a fault leaves behind stays for a process's whole life."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

START = """
import sys
import numpy as np
import pycuda.driver as cuda
from pathlib import Path

cuda.init()
context = cuda.Device(0).retain_primary_context()
context.push()

def said(call, *arguments, **options):
    # What an error says, and "" for none.
    try:
        call(*arguments, **options)
    except cuda.Error as error:
        return f"{type(error).__name__}: {error}".strip().removesuffix(" -")
    return ""

def end():
    # As the engine does: a context that cannot be popped is detached all the same.
    said(cuda.Context.pop)
    said(context.detach)
"""


def run(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a new process over the emulated driver, with these environment variables."""
    found = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    surroundings = {**os.environ, "PYTHONPATH": found, **settings}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, cwd=ROOT, env=surroundings, text=True, capture_output=True, timeout=120)


def with_context(code: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """The same, with a context that is current, and let go at the end."""
    return run(START + textwrap.dedent(code) + "\nend()\n", **settings)
