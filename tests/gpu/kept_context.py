"""Keeps the device's context for a whole run of pytest (``-p tests.gpu.kept_context``).

An engine that is closed gives its context back, and the driver then takes it down; to make it anew takes
long. Hundreds of tests with an engine each would do little else.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.gpu.real_device import device_name

_kept: list[Any] = []


def pytest_sessionstart(session: pytest.Session) -> None:
    """Hold the primary context once more; it is not made current."""
    try:
        device_name()
    except LookupError:
        return  # the tests say why themselves
    import pycuda.driver as driver

    _kept.append(driver.Device(0).retain_primary_context())


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let it go while PyCUDA is still whole."""
    while _kept:
        _kept.pop().detach()
