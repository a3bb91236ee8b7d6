"""The sizes that tests on a GPU use; a rehearsal on the emulated device replaces them by tiny ones."""

from __future__ import annotations

from tests.gpu.real_device import is_rehearsal

TINY = is_rehearsal()

N_HEADS = 2 if TINY else 12
N_TOKENS = 70 if TINY else 1024
N_LONG = 130 if TINY else 4096
N_WALKED = 130 if TINY else 32768
DIMS = 20 if TINY else 64
TOGGLES = 6 if TINY else 100
