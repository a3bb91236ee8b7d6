"""The kernels of cuda/: compiled for the GPU, loaded, and launched with their sizes checked.

A pointer is an address on the device, None is NULL. Sizes that make no sense are errors of the program and
raise ValueError; a launch of nothing is no launch.
"""

from __future__ import annotations

from typing import Any

from attnviz.engine import kernel_cache
from attnviz.engine.base import EngineUnavailable
from attnviz.engine.kernel_compilers import (
    CompilerRefusal,
    find_compilers,
    no_compiler,
    refusal_sentence,
    too_new,
)
from attnviz.engine.kernel_sources import kernel_source

FORMATS = {
    "scores_plain": "PPPPPiiii",
    "scores_tiled": "PPPPPPiiiiiff",
    "scale": "PPPPiiif",
    "mask": "PPPPPiiiiif",
    "softmax_plain": "PPPPPii",
    "softmax_rows": "PPPPPiii",
    "weighted_sum_plain": "PPPPiii",
    "weighted_sum_rows": "PPPPiii",
    "weighted_sum_tiled": "PPPiii",
    "pool_largest": "PPPiiiiiiii",
    "pool_maximum": "PPPiiiiiiii",
    "walk_keys": "P" * 16 + "i" * 8 + "f",
    "pool_rows": "P" * 12 + "iiif",
    "known_cells": "P" * 10 + "i" * 7 + "ff",
}
"""The parameters of each kernel: P a pointer, i an int32, f a float32."""

_CELLS = (32, 8, 1)  # threads of a kernel with one thread a cell
_TILES = (16, 16, 1)
_MASK_ARRAY = 2  # MASK_ARRAY of mask.cu
_MOST = 2**31 - 1
_MOST_HIGH = 65535  # blocks along y and z


def compile_kernels(major: int, minor: int) -> bytes:
    """Give the kernels as a cubin for a GPU of compute capability major.minor.

    It comes from the cache, from nvcc, or, where nvcc is missing or refuses, from NVRTC.

    Raises
    ------
    EngineUnavailable
        When no compiler gives code; the sentence is that of the first one asked.
    """
    from pycuda import compiler as pycuda_compiler
    from pycuda.driver import get_driver_version

    def run_nvcc(path: str, source: str, architecture: str) -> bytes:
        compiled: bytes = pycuda_compiler.compile(
            source, nvcc=path, options=[], no_extern_c=True, arch=architecture, cache_dir=False
        )
        return compiled

    driver_major = get_driver_version() // 1000
    source, architecture = kernel_source(), f"sm_{major}{minor}"
    refused: EngineUnavailable | None = None
    for compiler in find_compilers(pycuda_compiler.get_nvcc_version, run_nvcc):
        if compiler.major > driver_major:
            refused = refused or too_new(compiler, driver_major)
            continue
        key = kernel_cache.cache_key(source, compiler.version, architecture, ())
        compiled = kernel_cache.read(key)
        if compiled is not None:
            return compiled
        try:
            compiled = compiler.compile(source, architecture)
        except CompilerRefusal as refusal:
            refused = refused or refusal_sentence(compiler, str(refusal), (major, minor))
            continue
        kernel_cache.write(key, compiled)
        return compiled
    raise refused or no_compiler()


class Kernels:
    """The loaded kernels; made and used in one thread, with the context current.

    Parameters
    ----------
    driver
        The module ``pycuda.driver``.
    cubin
        What ``compile_kernels`` gave.

    Notes
    -----
    Letters of the sources: R ``n_square_rows``, T ``n_key_tokens``, D ``d``, H ``n_heads``. What a kernel
    computes, and its shapes, is said in its source.
    """

    def __init__(self, driver: Any, cubin: bytes) -> None:
        self._module: Any = driver.module_from_buffer(cubin)
        self._functions = {name: self._module.get_function(name) for name in FORMATS}
        for name, function in self._functions.items():
            function.prepare(FORMATS[name])

    def scores_plain(
        self,
        stream: Any,
        *,
        q: int,
        k: int,
        scores: int,
        rows: int | None = None,
        keys: int | None = None,
        n_rows: int,
        n_keys: int,
        n_key_tokens: int,
        d: int,
    ) -> None:
        """Stage 1 of some cells."""
        _check_part("scores_plain", "keys", n_keys, n_key_tokens)
        pointers, sizes = (q, k, scores, rows, keys), (n_rows, n_keys, n_key_tokens, d)
        self.launch("scores_plain", stream, (n_keys, n_rows), (32, 8), _CELLS, *pointers, *sizes)

    def scale(
        self,
        stream: Any,
        *,
        scores: int,
        scaled: int,
        rows: int | None = None,
        keys: int | None = None,
        n_rows: int,
        n_keys: int,
        n_key_tokens: int,
        divisor: float,
    ) -> None:
        """Stage 2 of some cells."""
        _check_part("scale", "keys", n_keys, n_key_tokens)
        pointers, sizes = (scores, scaled, rows, keys), (n_rows, n_keys, n_key_tokens)
        self.launch("scale", stream, (n_keys, n_rows), (32, 8), _CELLS, *pointers, *sizes, divisor)

    def mask(
        self,
        stream: Any,
        *,
        scaled: int,
        masked: int,
        allowed: int | None,
        rows: int | None = None,
        keys: int | None = None,
        n_rows: int,
        n_keys: int,
        n_key_tokens: int,
        first_row: int,
        mask_kind: int,
        fill: float,
    ) -> None:
        """Stage 3 of some cells."""
        _check_part("mask", "keys", n_keys, n_key_tokens)
        _check_mask("mask", mask_kind, allowed)
        pointers = (scaled, masked, allowed, rows, keys)
        sizes = (n_rows, n_keys, n_key_tokens, first_row, mask_kind)
        self.launch("mask", stream, (n_keys, n_rows), (32, 8), _CELLS, *pointers, *sizes, fill)

    def scores_tiled(
        self,
        stream: Any,
        *,
        q: int,
        k: int,
        scores: int | None,
        scaled: int | None,
        masked: int,
        allowed: int | None,
        n_square_rows: int,
        n_key_tokens: int,
        d: int,
        first_row: int,
        mask_kind: int,
        divisor: float,
        fill: float,
        n_heads: int = 1,
    ) -> None:
        """Stages 1 to 3 of whole squares."""
        _check_mask("scores_tiled", mask_kind, allowed)
        work = (n_key_tokens, n_square_rows, n_heads)
        sizes = (n_square_rows, n_key_tokens, d, first_row, mask_kind)
        pointers = (q, k, scores, scaled, masked, allowed)
        self.launch("scores_tiled", stream, work, (64, 64), _TILES, *pointers, *sizes, divisor, fill)

    def softmax_plain(
        self,
        stream: Any,
        *,
        masked: int,
        weights: int,
        row_max: int,
        row_sum: int,
        rows: int | None = None,
        n_rows: int,
        n_key_tokens: int,
    ) -> None:
        """Stage 4 of some rows of few keys."""
        pointers = (masked, weights, row_max, row_sum, rows)
        self.launch(
            "softmax_plain", stream, (n_rows, 1), (32, 1), (32, 1, 1), *pointers, n_rows, n_key_tokens
        )

    def softmax_rows(
        self,
        stream: Any,
        *,
        masked: int,
        weights: int,
        row_max: int,
        row_sum: int,
        rows: int | None = None,
        n_rows: int,
        n_square_rows: int,
        n_key_tokens: int,
        n_heads: int = 1,
    ) -> None:
        """Stage 4 of some rows, a block each."""
        _check_part("softmax_rows", "rows", n_rows, n_square_rows)
        pointers = (masked, weights, row_max, row_sum, rows)
        sizes = (n_rows, n_square_rows, n_key_tokens)
        self.launch("softmax_rows", stream, (n_rows, 1, n_heads), (1, 1), (256, 1, 1), *pointers, *sizes)

    def weighted_sum_plain(self, stream: Any, **parts: Any) -> None:
        """Head output of some rows, one thread a number; parameters as ``_weighted_sum``."""
        self._weighted_sum("weighted_sum_plain", stream, **parts)

    def weighted_sum_rows(self, stream: Any, **parts: Any) -> None:
        """Head output of a few rows of many keys; parameters as ``_weighted_sum``."""
        self._weighted_sum("weighted_sum_rows", stream, **parts)

    def _weighted_sum(
        self,
        name: str,
        stream: Any,
        *,
        weights: int,
        v: int,
        output: int,
        rows: int | None = None,
        n_rows: int,
        n_key_tokens: int,
        d: int,
    ) -> None:
        is_plain = name == "weighted_sum_plain"
        work, of_block = ((d, n_rows), (32, 8)) if is_plain else ((n_rows, d), (1, 32))
        pointers, sizes = (weights, v, output, rows), (n_rows, n_key_tokens, d)
        self.launch(name, stream, work, of_block, _CELLS, *pointers, *sizes)

    def weighted_sum_tiled(
        self,
        stream: Any,
        *,
        weights: int,
        v: int,
        output: int,
        n_square_rows: int,
        n_key_tokens: int,
        d: int,
        n_heads: int = 1,
    ) -> None:
        """Head outputs of whole squares."""
        work = (d, n_square_rows, n_heads)
        sizes = (n_square_rows, n_key_tokens, d)
        self.launch("weighted_sum_tiled", stream, work, (64, 32), _TILES, weights, v, output, *sizes)

    def pool_largest(self, stream: Any, **parts: Any) -> None:
        """Pool scores; parameters as ``_pool``."""
        self._pool("pool_largest", stream, **parts)

    def pool_maximum(self, stream: Any, **parts: Any) -> None:
        """Pool weights; parameters as ``_pool``."""
        self._pool("pool_maximum", stream, **parts)

    def _pool(
        self,
        name: str,
        stream: Any,
        *,
        values: int,
        picture: int,
        allowed: int | None,
        first_row: int,
        n_key_tokens: int,
        first_key: int,
        n_keys: int,
        n_rows: int,
        bin_rows: int,
        bin_keys: int,
        mask_kind: int,
    ) -> None:
        if min(bin_rows, bin_keys) < 1:
            raise ValueError(f"{name}: a bin of {bin_rows} × {bin_keys} cells")
        _check_part(name, "keys", first_key + n_keys, n_key_tokens)
        _check_mask(name, mask_kind, allowed)
        work = (-(-n_keys // bin_keys), -(-n_rows // bin_rows))
        sizes = (first_row, n_key_tokens, first_key, n_keys, n_rows, bin_rows, bin_keys, mask_kind)
        self.launch(name, stream, work, (32, 8), _CELLS, values, picture, allowed, *sizes)

    def launch(
        self,
        name: str,
        stream: Any,
        work: tuple[int, ...],
        of_block: tuple[int, int],
        block: tuple[int, int, int],
        *arguments: float | None,
    ) -> None:
        """Launch a kernel over ``work`` = (x, y, heads) of its units, ``of_block`` of them a block."""
        x, y, heads = (*work, 1)[:3]
        if min(x, y, heads) < 0:
            raise ValueError(f"{name}: a size is negative: {work}")
        if not (x and y and heads):
            return
        for letter, value in zip(FORMATS[name], arguments, strict=True):
            if letter == "i" and not -_MOST <= int(value or 0) <= _MOST:
                raise ValueError(f"{name}: {value} is no int32")
        grid = (-(-x // of_block[0]), -(-y // of_block[1]), heads)
        if grid[0] > _MOST or max(grid[1:]) > _MOST_HIGH:
            raise ValueError(f"{name}: a grid of {grid} blocks; at most {_MOST}, {_MOST_HIGH}, {_MOST_HIGH}")
        values = [0 if value is None else value for value in arguments]
        self._functions[name].prepared_async_call(grid, block, stream, *values)


def _check_part(name: str, what: str, wanted: int, there: int) -> None:
    """Refuse more than there is: a kernel would touch other memory, which ends CUDA for good."""
    if wanted > there:
        raise ValueError(f"{name}: {wanted} {what}, where there are {there}")


def _check_mask(name: str, mask_kind: int, allowed: int | None) -> None:
    if mask_kind == _MASK_ARRAY and not allowed:
        raise ValueError(f"{name}: a mask given as an array, without the array")
