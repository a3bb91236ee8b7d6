"""The published numbers, here so that a clone without the shared folder checks them too.

tests/core/test_golden.py holds them against the published files where those are at hand.
"""

from __future__ import annotations

NEKO_TOKENS = ("猫", "が", "魚", "を", "食べた", "。", "それ", "は", "新鮮", "だった")
NEKO_NAMES = ("動物", "食べ物", "動作", "機能語")
NEKO_Q = [
    [1, 0, 0, 0], [1, 0, 0, 0], [1, 0.5, 0, 0], [1, 1, 0, 0], [1.5, 1.5, 0, -0.5],
    [0, 0, 1, 0], [1, 1.5, 0, -1], [1, 1, 0, -0.5], [0, 2, 0, 0], [0.5, 1.5, 0.5, 0],
]  # fmt: skip
NEKO_K = [
    [3, 0, 0, 0], [0, 0, 0, 2], [1, 3, 0, 0], [0, 0, 0, 2], [0, 0.5, 3, 0],
    [0, 0, 0, 1], [0.3, 0.3, 0, 1], [0, 0, 0, 2], [0, 1.5, 0, 0], [0, 0, 0.5, 1.5],
]  # fmt: skip
NEKO_PERCENT = [
    [100.0],
    [81.8, 18.2],
    [50.0, 11.1, 38.9],
    [32.3, 7.2, 53.3, 7.2],
    [29.4, 1.9, 62.3, 1.9, 4.5],
    [10.5, 10.5, 10.5, 10.5, 47.3, 10.5],
    [18.8, 1.5, 65.7, 1.5, 6.1, 2.5, 3.7],
    [26.7, 3.6, 44.0, 3.6, 7.6, 4.6, 6.3, 3.6],
    [3.1, 3.1, 61.7, 3.1, 5.1, 3.1, 4.1, 3.1, 13.8],
    [7.9, 3.7, 45.2, 3.7, 11.4, 3.7, 5.0, 3.7, 11.4, 4.2],
]
"""Weights of head 意味 in percent, one decimal: row = query, column = key, causal mask on."""
