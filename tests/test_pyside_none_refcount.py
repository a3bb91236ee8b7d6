"""PySide6 6.12.0 before Python 3.12 drops a reference to None with each Qt call that returns nothing.

After some thousands of calls the process dies with "none_dealloc". From Python 3.12 on None is immortal and
its count stands still. pyproject.toml keeps such a PySide6 out; this notices when another one does the same.
"""

import sys

from PySide6.QtGui import QImage, QPainter


def test_painter_calls_keep_the_reference_count_of_none():
    painter = QPainter(image := QImage(8, 8, QImage.Format.Format_RGB32))
    before = sys.getrefcount(None)
    for _ in range(200):
        painter.drawPoint(0, 0)
    drift = sys.getrefcount(None) - before
    painter.end()
    assert image.size().width() == 8
    assert abs(drift) < 100, (
        f"200 calls moved the count of None by {drift}: this PySide6 aborts after a while"
    )
