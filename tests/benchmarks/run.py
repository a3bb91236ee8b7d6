"""All measurements in one table: `make bench`. Nothing is asserted; the aims stand beside what was found.

usage: run.py [--quick] [--write] [NAME …]

Names of measurements (pass, sweep, lengths, growth, andrea, edit, startup) run only those. --quick tries all
of it at small sizes and few rounds. --write puts the table of a whole run into docs/performance.md.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.benchmarks import andrea, edit_to_pixels, full_pass, growth, lengths, startup, sweep
from tests.benchmarks.report import PLACE, with_table
from tests.benchmarks.row import HEADING, Row

MEASUREMENTS: dict[str, Callable[[], list[Row]]] = {
    "pass": full_pass.measure,
    "sweep": sweep.measure,
    "lengths": lengths.measure,
    "growth": growth.measure,
    "andrea": andrea.measure,
    "edit": edit_to_pixels.measure,
    "startup": startup.measure,
}
QUICK: dict[str, Callable[[], list[Row]]] = {
    "edit": lambda: edit_to_pixels.measure(rounds=5),
    "andrea": lambda: andrea.measure(rounds=5, openings=1),
    "startup": lambda: startup.measure(rounds=1),
    "pass": lambda: full_pass.measure(rounds=3),
    "sweep": lambda: sweep.measure(sweeps=2),
    "growth": lambda: growth.measure((2560, 4096), pixels=256),
    "lengths": lambda: lengths.measure(((10, 1), (2560, 1), (4096, 1)), rounds=5, steps=3),
}


def main(arguments: list[str]) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="Measure; the aims stand beside what was found.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds, to try it")
    parser.add_argument(
        "--write", action="store_true", help=f"put the table of a whole run into {PLACE.name}"
    )
    wish = parser.parse_args(arguments)
    unknown = [name for name in wish.names if name not in MEASUREMENTS]
    if unknown:
        print(f"There is no measurement {unknown[0]}; {', '.join(MEASUREMENTS)} are there.", file=sys.stderr)
        return 2
    if wish.write and (wish.quick or wish.names):
        print("Only a whole run is written.", file=sys.stderr)
        return 2
    known, machine, started = QUICK if wish.quick else MEASUREMENTS, _machine(), time.monotonic()
    print(machine)
    print(HEADING)
    rows = []
    for name in wish.names or known:
        for row in known[name]():
            rows.append(row)
            print(row, flush=True)
        after = f"; {(time.monotonic() - started) / 60:.0f} minutes, load at the end {_load()}"
        if wish.write:  # each time, so that a run that is broken off has not been for nothing
            text = PLACE.read_text(encoding="utf-8")
            PLACE.write_text(with_table(text, machine + after, rows), encoding="utf-8")
    print(after[2:])
    return 0


def _machine() -> str:
    """Describe the machine, and say how busy it was before: on a busy machine all times are longer."""
    packages = ["numpy", "PySide6_Essentials", "matplotlib", "torch"]
    modules = {"PySide6_Essentials": "PySide6"}
    versions = [
        f"{name.removesuffix('_Essentials')} {importlib.metadata.version(name)}"
        for name in packages
        if importlib.util.find_spec(modules.get(name, name))
    ]
    return (
        f"{os.cpu_count()} processors ({_processor()}), {_memory()}{platform.system()}, "
        f"Python {platform.python_version()}, {', '.join(versions)}, drawn {os.environ['QT_QPA_PLATFORM']}; "
        f"{datetime.date.today():%Y-%m-%d}, load before {_load()}"
    )


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*:\s*(.+)$", told.read_text(), re.MULTILINE) if told.exists() else []
    return names[0] if names else platform.machine()


def _memory() -> str:
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return ""
    return f"{size / (1 << 30):.0f} GiB, "


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
