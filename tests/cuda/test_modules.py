"""Several modules can be loaded at a time, each with its own kernels."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cuda.conftest import compiled

pytestmark = pytest.mark.emulated

SOURCE = 'extern "C" __global__ void set(float *to) {{ to[threadIdx.x] = {value}; }}'


def test_modules_loaded_one_after_the_other_run_their_own_code(driver, device):
    values = [1.5, 2.5, 3.5]
    modules = [driver.module_from_buffer(compiled(SOURCE.format(value=value))) for value in values]
    room = device.room((4,))
    for module, value in zip(modules, values, strict=True):
        module.get_function("set").prepare("P").prepared_call((1, 1), (4, 1, 1), room.memory)
        assert (device.fetch(room) == np.float32(value)).all()
