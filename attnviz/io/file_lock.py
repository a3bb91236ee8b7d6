"""A lock on an open file that the system takes back when the process ends, however it ends.

Unlike a process's number it cannot be mistaken: numbers are used again. Nothing here waits.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import msvcrt
    import os

    _FAR = 1 << 30  # a locked byte cannot be read by others; none is there

    def try_lock(descriptor: int) -> bool:
        """Lock an open file for this descriptor alone; False where another has it or none can."""
        try:
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file for this descriptor alone; False where another has it or none can."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
