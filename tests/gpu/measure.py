"""Measures the kernels and the engine on the first device, and leaves measured.json and measured.txt.

Usage: python -m tests.gpu.measure --out FOLDER [--dry-run]

A part that fails is named in the table and keeps no other from being measured; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.gpu.bare_kernels import Device, open_device
from tests.gpu.ceilings import Stopwatch, arithmetic_peak, copy_bandwidth
from tests.gpu.table import table_of
from tests.gpu.work import Work

SPARE = 1 << 29  # bytes of a copy: many times any cache


class Record:
    """What was measured, and what could not be."""

    def __init__(self, is_rehearsal: bool) -> None:
        self.values: dict[str, Any] = {"is_rehearsal": is_rehearsal, "failed": {}}

    def part(self, name: str, measure: Callable[[], Any]) -> Any:
        """Measure a part; None, and the reason kept, where it fails."""
        try:
            self.values[name] = measure()
        except Exception as error:  # whatever it is, the other parts are still worth having
            self.values["failed"][name] = f"{type(error).__name__}: {error}"
        return self.values.get(name)

    def write(self, folder: Path) -> None:
        """Leave the numbers, and the table made of them."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "measured.json").write_text(json.dumps(self.values, indent=1, ensure_ascii=False), "utf-8")
        (folder / "measured.txt").write_text(table_of(self.values), "utf-8")


def main(argv: list[str]) -> int:
    """Measure; the arguments are those of the module docstring."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--dry-run", action="store_true")
    arguments = parser.parse_args(argv)
    is_tiny = arguments.dry_run
    sizes = [(2, 70, 20), (1, 130, 20)] if is_tiny else [(12, 1024, 64), (1, 16384, 64)]

    record = Record(is_tiny)
    record.part("device and kernels", lambda: _measure_kernels(record, sizes, is_tiny))
    record.write(arguments.out)  # what follows may break off
    record.part("edit to host", lambda: _edits(is_tiny))
    record.write(arguments.out)
    record.part("long documents", lambda: _long_documents(is_tiny))
    record.write(arguments.out)
    record.part("torch", lambda: _torch(sizes[0]))
    record.write(arguments.out)
    return bool(record.values["failed"])


def _measure_kernels(record: Record, sizes: list[tuple[int, int, int]], is_tiny: bool) -> str:
    spare, repeats = (1 << 16, 3) if is_tiny else (SPARE, 15)
    with open_device() as device:
        values = record.values
        first = device.driver.Device(0)
        values["device"] = first.name()
        values["capability"] = ".".join(map(str, first.compute_capability()))
        values["driver"] = device.driver.get_driver_version()
        values["python"] = platform.python_version()
        stopwatch = Stopwatch(device.driver, device.stream, spare)
        try:
            record.part("copy bandwidth", lambda: copy_bandwidth(stopwatch, spare, repeats))
            record.part("peak", lambda: _peak(device, stopwatch, is_tiny))
            for size in sizes:
                name = "{} × {} × {}".format(*size)
                record.part(name, lambda size=size: _kernels(device, stopwatch, size, repeats))
                device.free_all()
        finally:
            stopwatch.close()
    return "done"


def _peak(device: Device, stopwatch: Stopwatch, is_tiny: bool) -> float:
    if is_tiny:
        return arithmetic_peak(device, stopwatch, rounds=2, n_blocks=1)
    first = device.driver.Device(0)
    processors = first.get_attribute(device.driver.device_attribute.MULTIPROCESSOR_COUNT)
    return arithmetic_peak(device, stopwatch, rounds=4096, n_blocks=8 * processors)


def _kernels(
    device: Device, stopwatch: Stopwatch, size: tuple[int, int, int], repeats: int
) -> list[dict[str, Any]]:
    work = Work(device, *size)
    steps = [(work.all_stages(), "whole"), *((step, "all heads") for step in work.tiled())]
    steps += [(step, "one head") for step in work.plain()]
    steps.append((work.edited_row(), "edit"))
    return [
        {
            "name": step.name,
            "what": what,
            "µs": stopwatch.median_of(step.launch, repeats),
            "bytes": step.bytes,
            "operations": step.operations,
        }
        for step, what in steps
    ]


def _edits(is_tiny: bool) -> dict[str, dict[str, float]]:
    from attnviz.engine.cuda_engine import CudaEngine
    from tests.gpu.edit_times import edit_to_host

    engine = CudaEngine()
    try:
        sizes = [(10, 4), (70, 20)] if is_tiny else [(10, 4), (1024, 64), (2048, 64)]
        return {f"{n}": edit_to_host(engine, n, dims, 5 if is_tiny else 200) for n, dims in sizes}
    finally:
        engine.close()


def _long_documents(is_tiny: bool) -> dict[str, dict[str, float]]:
    from attnviz.engine.cuda_engine import CudaEngine
    from tests.gpu.long_times import long_times

    engine = CudaEngine()
    try:
        if is_tiny:  # the fewest tokens that are many without being told so
            return {"2050": long_times(engine, 2050, 4, 8, 1)}
        return {f"{n}": long_times(engine, n, 64, 1024, 50) for n in (16384, 131072)}
    finally:
        engine.close()


def _torch(size: tuple[int, int, int]) -> dict[str, Any] | str:
    looked = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True)
    if looked.returncode:
        return "not installed"
    command = [sys.executable, "-m", "tests.gpu.torch_times", *map(str, size)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["torch said nothing"])[-1])
    times: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return times


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
