"""Engines come and go in one process, and the process ends well."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.gpu.sizes import DIMS, N_TOKENS, TOGGLES

pytestmark = pytest.mark.gpu

TOGGLE = """
import sys, threading
from attnviz.core.request import Request
from attnviz.engine.cuda_engine import CudaEngine
from attnviz.engine.numpy_engine import NumpyEngine
from tests.engine.documents import assert_accurate, document

toggles, n_tokens, dims = map(int, sys.argv[1:])
small = Request.whole(document(10, 4))
failed = []

def work():
    cpu, stages = NumpyEngine(1), None
    try:
        for toggle in range(toggles // 2):
            cuda = CudaEngine()
            try:
                stages = cpu.compute(small, cuda.compute(small, stages))
                assert_accurate(stages)
                if toggle == 0:
                    assert_accurate(cuda.compute(Request.whole(document(n_tokens, dims))))
            finally:
                cuda.close()
    except BaseException as error:
        failed.append(error)
        raise

for _ in range(2):  # half of them in a second thread, which meets what the first one left
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
sys.exit(bool(failed))
"""


def test_a_hundred_toggles_end_with_no_word_and_code_0(kernel_cache):
    command = [sys.executable, "-W", "ignore", "-c", TOGGLE, str(TOGGLES), str(N_TOKENS), str(DIMS)]
    environment = {**os.environ, "ATTNVIZ_KERNEL_CACHE": kernel_cache}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
