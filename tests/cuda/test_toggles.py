"""Engines come and go in one process, a hundred times and in the midst of work, and leave nothing behind.

Each test is a process, since what PyCUDA does at its end counts: a context still on its stack aborts it.
"""

from __future__ import annotations

import pytest

from tests.cuda.processes import run

pytestmark = pytest.mark.emulated

START = """
import ctypes, gc, threading
from attnviz.core.request import HEAD_OUTPUTS, Request
from attnviz.engine.cuda_engine import CudaEngine
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import assert_same, document

emulator = ctypes.CDLL("libcuda.so.1")

def left():
    # What is still there on the device, by kind.
    kinds = ("contexts", "memory", "pinned", "modules", "streams", "events")
    found = {kind: emulator.cudaemu_count(kind.encode()) for kind in kinds}
    return {kind: count for kind, count in found.items() if count}

def request(n, n_heads=2):
    return Request.whole(document(n, n_heads=n_heads), extras=frozenset([HEAD_OUTPUTS]))
"""


def assert_clean(code: str, printed: str = "{}\n", **settings: str) -> None:
    """Run it; it prints what is left on the device, says nothing on stderr and ends with 0."""
    result = run(START + code, **settings)
    assert (result.returncode, result.stderr, result.stdout) == (0, "", printed)


def test_a_hundred_engines_one_after_the_other_leave_nothing():
    assert_clean("""
stages = None
for i in range(100):
    for make in (CudaEngine, NumpyEngine):
        engine = make()
        before, stages = stages, engine.compute(request(12 + i % 3), stages)
        engine.close()
        if make is NumpyEngine:
            assert_same(before, stages)
del engine
print(left())
""")


def test_a_hundred_engines_in_threads_of_their_own_leave_nothing():
    assert_clean("""
def work():
    engine = CudaEngine()
    assert engine.compute(request(10)) is not None
    engine.close()

for _ in range(100):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
print(left())
""")


def test_an_engine_that_is_closed_while_it_is_busy_leaves_nothing():
    assert_clean("""
is_busy, is_closing = threading.Event(), threading.Event()

def progress(fraction, partial=None):
    is_busy.set()
    is_closing.wait()
    return False

def work():
    engine = CudaEngine(square_bytes=16 * 128 * 300)  # the squares come in parts
    answers.append(engine.compute(request(300), progress=progress))
    engine.close()

answers = []
thread = threading.Thread(target=work)
thread.start()
assert is_busy.wait(60)
is_closing.set()
thread.join()
print(answers, left())
""", printed="[None] {}\n")  # fmt: skip


@pytest.mark.parametrize("fail", ["softmax_plain:1:700", "cuMemAlloc:1:709", "cuMemcpyDtoHAsync:1+:719"])
def test_a_fault_does_not_keep_a_process_from_ending_well(fail):
    assert_clean(f"""
import os
engine = CudaEngine()
os.environ["CUDAEMU_FAIL"] = {fail!r}
try:
    engine.compute(request(40))
except Exception as error:
    print(type(error).__name__)
engine.close()
""", printed="DeviceLost\n")  # fmt: skip


def test_an_engine_that_nobody_closed_does_not_keep_a_process_from_ending_well():
    result = run(START + "engine = CudaEngine()\nengine.compute(request(10))\n")
    assert result.returncode == 0
