"""The same work in PyTorch, where it is installed: eager with all stages, and the fused output alone."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from typing import Any

from tests.benchmarks.plain import FloatArray

EAGER, FUSED = "torch eager, all stages", "torch scaled_dot_product_attention, output alone"
Way = Callable[[], object]


def ways(q: FloatArray, k: FloatArray, v: FloatArray, threads: int) -> dict[str, Way]:
    """Give the ways of causal heads (n_heads, n, d); none where torch is not installed."""
    if importlib.util.find_spec("torch") is None:
        return {}
    import torch

    torch.set_num_threads(threads)
    queries, keys, values = (torch.from_numpy(array.copy()) for array in (q, k, v))
    n = q.shape[1]

    def eager() -> tuple[Any, ...]:
        with torch.inference_mode():
            scores = queries @ keys.transpose(-1, -2)
            scaled = scores / math.sqrt(q.shape[-1])
            hidden = torch.ones((n, n), dtype=torch.bool).triu(1)
            masked = scaled.masked_fill(hidden, -math.inf)
            weights = torch.softmax(masked, -1)
            return scores, scaled, masked, weights, weights @ values

    def fused() -> Any:
        with torch.inference_mode():
            return torch.nn.functional.scaled_dot_product_attention(
                queries[None], keys[None], values[None], is_causal=True
            )

    return {EAGER: eager, FUSED: fused}
