"""Threads that other libraries start once and keep: started first, so that no test is blamed for them."""

from __future__ import annotations

import asyncio
import time


def start_those_of_zarr() -> None:
    """Start as many as zarr's event loop ever starts."""
    from zarr.core.sync import sync

    async def fill() -> None:
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 0.05) for _ in range(64)))

    sync(fill())


def start_those_of_dask() -> None:
    """Start those of dask's local scheduler."""
    import dask.array

    dask.array.ones((4, 4), chunks=1).sum().compute()
