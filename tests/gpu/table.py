"""The short table of what was measured, in words that can be pasted into docs/gpu-results.md."""

from __future__ import annotations

from typing import Any

HEADING = "| what | µs | MB | of copy bandwidth | of float32 peak |\n|---|---|---|---|---|"
REHEARSED = "EMULATED DRIVER: times are not GPU times. This shows that the script runs, and nothing else."
EDIT_ON_DEVICE, EDIT_TO_HOST = 100.0, 1000.0  # µs aimed at


def table_of(values: dict[str, Any]) -> str:
    """Give the table of a record of measure.py; shares are left out where the device was emulated."""
    is_real = not values["is_rehearsal"] and "emulator" not in str(values.get("device", "")).lower()
    bandwidth = values.get("copy bandwidth") if is_real else None
    peak = values.get("peak") if is_real else None
    lines = [] if is_real else [REHEARSED]
    lines.append(_of("{device}, compute capability {capability}, driver {driver}, Python {python}", values))
    if bandwidth:
        lines.append(f"copy bandwidth {bandwidth / 1e6:.2f} TB/s (bytes read + written)")
    if peak:
        lines.append(f"float32 peak {peak / 1e6:.1f} TFLOP/s")
    for size, steps in values.items():
        if " × " in size and isinstance(steps, list):
            lines += ["", f"{size} (heads × tokens × dimensions)", HEADING]
            lines += [_row(step, bandwidth, peak) for step in steps]
            lines += [_aim(step, bandwidth, peak) for step in steps if step["what"] in ("whole", "edit")]
    lines += ["", *_edits(values.get("edit to host"), is_real), *_long(values.get("long documents"))]
    lines += _torch(values.get("torch"))
    lines += [f"NOT MEASURED: {name}: {why}" for name, why in values["failed"].items()]
    return "\n".join(line for line in lines if line is not None) + "\n"


def _row(step: dict[str, Any], bandwidth: float | None, peak: float | None) -> str:
    time = step["µs"]
    of_bandwidth = f"{step['bytes'] / time / bandwidth:.0%}" if bandwidth else ""
    of_peak = f"{step['operations'] / time / peak:.0%}" if peak else ""
    name = step["name"] + (" (one head)" if step["what"] == "one head" else "")
    return f"| {name} | {time:.1f} | {step['bytes'] / 1e6:.1f} | {of_bandwidth} | {of_peak} |"


def _aim(step: dict[str, Any], bandwidth: float | None, peak: float | None) -> str | None:
    """Say whether the aim was met; nothing where it has no meaning."""
    if not bandwidth or not peak:
        return None
    time = step["µs"]
    if step["what"] == "edit":
        return f"{step['name']}, on the device: {time:.1f} µs; {_against(EDIT_ON_DEVICE, time)}"
    writing, computing = step["bytes"] / bandwidth, step["operations"] / peak
    return (
        f"{step['name']}: {time:.1f} µs; writing them takes {writing:.1f}, their arithmetic {computing:.1f}; "
        f"{_against(3 * max(writing, computing), time)}"
    )


def _edits(edits: dict[str, dict[str, float]] | None, is_real: bool) -> list[str]:
    lines = []
    for n_tokens, times in (edits or {}).items():
        median, p95, first = (times[of] for of in ("median", "p95", "first answer"))
        line = f"one row of q edited, T = {n_tokens}, to the host: median {median:.0f} µs, p95 {p95:.0f}"
        lines.append(f"{line}; first answer {first:.0f}")
        if is_real:
            lines[-1] += f"; {_against(EDIT_TO_HOST, median)}"
    return lines


def _long(documents: dict[str, dict[str, float]] | None) -> list[str]:
    names = ("coarse", "full", "edit", "longest launch")
    return [
        f"{int(n_tokens):,} tokens, one head: "
        + ", ".join(f"{name} {times[name] / 1e3:.1f} ms" for name in names)
        for n_tokens, times in (documents or {}).items()
    ]


def _torch(torch: dict[str, Any] | str | None) -> list[str]:
    if not isinstance(torch, dict):
        return [f"torch: {torch or 'not measured'}"]
    return [f"{name} ({torch['version']}): {time:.1f} µs" for name, time in torch["times"].items()]


def _against(aim: float, time: float) -> str:
    return f"aim {aim:.1f}: {'met' if time <= aim else 'NOT MET'}"


def _of(pattern: str, values: dict[str, Any]) -> str:
    return pattern.format_map(
        {name: values.get(name, "?") for name in ("device", "capability", "driver", "python")}
    )
