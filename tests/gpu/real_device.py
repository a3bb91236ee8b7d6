"""Whether tests marked ``gpu`` can run here: only on a real device, never on the emulated one by mistake."""

from __future__ import annotations

import importlib.util
import os
import warnings
from functools import lru_cache

REHEARSAL = "ATTNVIZ_GPU_REHEARSAL"
"""Set to 1 by ``tests/gpu_check.sh --dry-run``: the emulated device is taken too, at tiny sizes."""


def is_rehearsal() -> bool:
    """Say whether sizes are to be tiny and the emulated device will do."""
    return os.environ.get(REHEARSAL) == "1"


def is_required() -> bool:
    """Say whether a missing device is a failure and no reason to skip."""
    return os.environ.get("ATTNVIZ_REQUIRE_CUDA") == "1"


@lru_cache(maxsize=1)
def device_name() -> str:
    """Give the first device's own name.

    Raises
    ------
    LookupError
        Where there is none; the sentence says why.
    """
    if importlib.util.find_spec("pycuda") is None:
        raise LookupError("pycuda is not installed")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyCUDA compares the driver with the headers it was built with
            import pycuda.driver as driver
        driver.init()
        return str(driver.Device(0).name())
    except Exception as error:  # PyCUDA's own kinds can only be named once it is imported
        reason = str(error).strip() or type(error).__name__
        raise LookupError(f"no CUDA device can be used: {reason}") from error


def why_not() -> str:
    """Give the reason why a test marked ``gpu`` cannot run here; empty where it can."""
    try:
        name = device_name()
    except LookupError as error:
        return f"needs a real CUDA device; {error}"
    if "emulator" in name.lower() and (is_required() or not is_rehearsal()):
        return f"needs a real CUDA device; this one is “{name}”"
    return ""
