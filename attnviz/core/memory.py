"""How much memory is free, and a refusal that says how much would be needed."""

from __future__ import annotations

import os
from pathlib import Path

from attnviz.core.errors import InputError

_MEMINFO = Path("/proc/meminfo")
_LIMITS = (  # of the container this process may be in: the most, and what is used of it
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


def free_bytes() -> int | None:
    """Give how many bytes can be had without swapping, None where the system does not say."""
    found = (_of_machine(), *(_of_container(*paths) for paths in _LIMITS))
    return min((free for free in found if free is not None), default=None)


def check_fits(needed: int, what: str) -> None:
    """Refuse what does not fit into the memory that is free.

    Parameters
    ----------
    needed
        Bytes.
    what
        What would take them, in symbols: a sentence of any language begins with it.

    Raises
    ------
    InputError
        When fewer bytes are free; both numbers are said.
    """
    had = free_bytes()
    if had is not None and needed > had:
        raise InputError(
            "{what} would take {needed} bytes of memory, and {had} are free; use fewer tokens or heads.",
            what=what,
            needed=f"{needed:,}",
            had=f"{had:,}",
        )


def _of_machine() -> int | None:
    try:
        for line in _MEMINFO.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:  # of other systems only the whole is known
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _of_container(most: Path, used: Path) -> int | None:
    try:
        return max(0, int(most.read_text("ascii")) - int(used.read_text("ascii")))
    except (OSError, ValueError):  # no container, or one without a limit, which is “max”
        return None
