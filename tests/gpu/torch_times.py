"""The same work by PyTorch, timed by its events; prints JSON. A process of its own: one context a process.

Usage: python -m tests.gpu.torch_times HEADS TOKENS DIMS
"""

from __future__ import annotations

import json
import math
import sys
from statistics import median
from typing import Any


def main(argv: list[str]) -> int:
    """Print the version and the times in µs."""
    import torch

    n_heads, n_tokens, dims = map(int, argv)
    torch.backends.cuda.matmul.allow_tf32 = False  # float32 throughout, as the kernels compute
    torch.manual_seed(0)
    q, k, v = (torch.randn(n_heads, n_tokens, dims, device="cuda") for _ in range(3))
    hidden = torch.ones(n_tokens, n_tokens, dtype=torch.bool, device="cuda").triu(1)
    by = math.sqrt(dims)

    def eager() -> Any:
        scores = q @ k.transpose(1, 2)
        scaled = scores / by
        masked = scaled.masked_fill(hidden, -math.inf)
        weights = torch.softmax(masked, dim=-1)
        return scores, scaled, masked, weights, weights @ v

    def output_alone() -> Any:
        return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)

    times = {"torch, all stages and outputs, eager": timed(torch, eager)}
    times["torch, scaled_dot_product_attention: outputs alone"] = timed(torch, output_alone)
    sys.stdout.write(json.dumps({"version": torch.__version__, "times": times}) + "\n")
    return 0


def timed(torch: Any, work: Any, repeats: int = 15) -> float:
    """Give the median time in µs, each after a copy that empties the cache, as ceilings.Stopwatch does."""
    spare = torch.randint(0, 256, (1 << 29,), dtype=torch.uint8, device="cuda")
    other = torch.empty_like(spare)
    for _ in range(3):
        work()
    times = []
    for _ in range(repeats):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        other.copy_(spare)
        start.record()
        work()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000)
    return median(times)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
