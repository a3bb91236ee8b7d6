"""All measurements in one table: `make bench`. Nothing is asserted; the aims stand beside what was found.

Give names of measurements (edit, andrea, startup, pass) to run only those.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from tests.benchmarks import andrea, edit_to_pixels, full_pass, startup
from tests.benchmarks.row import HEADING

MEASUREMENTS = {
    "edit": edit_to_pixels.measure,
    "andrea": andrea.measure,
    "startup": startup.measure,
    "pass": full_pass.measure,
}


def main(names: list[str]) -> int:
    """Measure and print the table."""
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown:
        print(f"There is no measurement {unknown[0]}; {', '.join(MEASUREMENTS)} are there.", file=sys.stderr)
        return 2
    print(f"{_machine()}; Python {platform.python_version()}, numpy {np.__version__}")
    print(HEADING)
    for name in names or MEASUREMENTS:
        for row in MEASUREMENTS[name]():
            print(row, flush=True)
    return 0


def _machine() -> str:
    """Name the processors, and say how busy they were before: on a busy machine all times are longer."""
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{os.cpu_count()} processors, {platform.machine()}{load}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
