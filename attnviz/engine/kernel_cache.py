"""Compiled kernels kept on disk between runs; without the cache everything works the same, only slower.

A folder that is full, read-only or missing is no error, and neither is a damaged file: nothing is kept then,
and what cannot be read is compiled anew.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import hashlib

_ENDING = ".kernels"
_KEPT = 16
"""Files that stay; each new version of attnviz, of the compiler or of the GPU adds one of some 50 kB."""


def cache_folder() -> Path | None:
    """Give the folder of the cache, which need not exist, or None where there is to be none.

    ``ATTNVIZ_KERNEL_CACHE`` names it, and empty means none; otherwise it is ``attnviz/kernels`` in
    ``XDG_CACHE_HOME`` or ``~/.cache``.
    """
    named = os.environ.get("ATTNVIZ_KERNEL_CACHE")
    if named is not None:
        return Path(named) if named else None
    above = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not above.is_absolute():  # as the XDG specification says of a relative one, and of none
        try:
            above = Path.home() / ".cache"
        except RuntimeError:  # a user without a home
            return None
    return above / "attnviz" / "kernels"


def cache_key(source: str, compiler: str, architecture: str, options: tuple[str, ...]) -> str:
    """Give the name under which a result is kept: it differs when anything that shapes the result differs.

    Parameters
    ----------
    source
        The whole text that is compiled.
    compiler
        All that the compiler says of its version.
    architecture
        Such as ``sm_90``.
    options
        What else the compiler is told.
    """
    digest = _sha256()
    for part in (source, compiler, architecture, *options):
        data = part.encode()
        digest.update(b"%d:" % len(data))  # so that no two lists of parts run together to the same bytes
        digest.update(data)
    return digest.hexdigest()


def read(key: str) -> bytes | None:
    """Give what was kept under ``key``, or None when there is nothing, or nothing sound."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        content = (folder / f"{key}{_ENDING}").read_bytes()
    except (OSError, ValueError):  # ValueError: a zero character in the folder's name
        return None
    digest, compiled = content[:32], content[32:]
    return compiled if compiled and digest == _sha256(compiled).digest() else None


def write(key: str, compiled: bytes) -> None:
    """Keep ``compiled`` under ``key``, where that can be done; several processes may do so at once."""
    folder = cache_folder()
    if folder is None:
        return
    path = folder / f"{key}{_ENDING}"
    temporary = folder / f".{key[:8]}-{os.urandom(6).hex()}.tmp"
    with contextlib.suppress(OSError, ValueError):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_bytes(_sha256(compiled).digest() + compiled)
            temporary.replace(path)
        finally:
            with contextlib.suppress(OSError):  # after a success it is gone
                temporary.unlink()
        _forget_oldest(folder)


def _sha256(data: bytes = b"") -> hashlib._Hash:
    import hashlib  # only now: this room is asked for its folder at every start, and for kernels at few

    return hashlib.sha256(data)


def _forget_oldest(folder: Path) -> None:
    newest_first = sorted(folder.glob(f"*{_ENDING}"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in newest_first[_KEPT:]:
        with contextlib.suppress(OSError):
            path.unlink()
