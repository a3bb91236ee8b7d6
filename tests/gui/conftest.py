"""What tests of the window share: documents, settings in a file of their own, a real engine's answers."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QSettings

from attnviz.core.inputs import Head, Inputs


@pytest.fixture
def small_inputs() -> Inputs:
    """Four tokens, two heads, d_k 2; v = k in the second head."""
    numbers = np.arange(8, dtype=np.float32).reshape(4, 2) / 4
    plain = Head("plain", numbers, numbers + 1, numbers * 2)
    linked = Head("linked", numbers, -numbers, -numbers, v_is_k=True)
    return Inputs("abcd", tuple("abcd"), (plain, linked))


@pytest.fixture
def settings_file(tmp_path) -> QSettings:
    """Settings that nobody else reads or writes."""
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
