"""The engine runs on a real GPU and says which."""

from __future__ import annotations

import pytest

from tests.gpu.real_device import device_name, is_rehearsal

pytestmark = pytest.mark.gpu


def test_the_engine_is_named_as_its_device(engine):
    assert engine.name == f"CUDA: {device_name()}"


@pytest.mark.skipif(is_rehearsal(), reason="a rehearsal runs on the emulated device")
def test_the_device_is_no_emulator(engine):
    assert "emulator" not in engine.name.lower()
