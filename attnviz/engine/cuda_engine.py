"""The engine for NVIDIA GPUs, through PyCUDA; this module and kernels.py are all that know PyCUDA."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from attnviz.core.block_arrays import check_sources
from attnviz.core.request import Request
from attnviz.core.stages import Stages
from attnviz.engine import cuda_errors
from attnviz.engine.base import EngineUnavailable, Progress
from attnviz.engine.cuda_context import CudaContext
from attnviz.engine.cuda_errors import DeviceFull, DeviceLost
from attnviz.engine.cuda_pass import CudaPass
from attnviz.engine.device_rooms import DeviceRooms
from attnviz.engine.long_engine import LongEngine
from attnviz.engine.self_test import find_wrong_numbers, find_wrong_walk
from attnviz.engine.team import Team

if TYPE_CHECKING:
    from attnviz.engine.kernels import Kernels

_PARTIAL_WORK = 20_000_000_000  # multiply-adds of other heads that are worth showing the pictures before


class CudaEngine:
    """Computes Stages on a GPU; keeps the contract and the accuracy rule of ``Engine``.

    Made, used and closed in one thread.

    Parameters
    ----------
    square_bytes
        The most device memory that squares of n_query × n_key may take; None: half of what is free. A region
        of more is computed in parts, of which none stays.

    Raises
    ------
    EngineUnavailable
        When CUDA cannot be used here, or computes wrong numbers; the sentence says why.
    """

    def __init__(self, square_bytes: int | None = None) -> None:
        self._rooms: DeviceRooms | None = None
        self._long: LongEngine | None = None
        self._context: CudaContext | None = None
        self._fault: DeviceLost | None = None
        self._name = ""
        try:
            self._open(square_bytes)
        except Exception as error:
            reason = cuda_errors.as_unavailable(error)
            with contextlib.suppress(Exception):
                self.close()
            if reason is error:
                raise
            raise reason from error

    def _open(self, square_bytes: int | None) -> None:
        import pycuda.driver

        from attnviz.engine.kernels import Kernels, compile_kernels

        self._driver: Any = pycuda.driver
        self._context = context = CudaContext(self._driver)
        self._name = f"CUDA: {context.device_name}"
        with context.current():
            kernels: Kernels = Kernels(self._driver, compile_kernels(*context.compute_capability))
            self._rooms = DeviceRooms(self._driver, kernels, square_bytes)
            self._team = Team(1)  # the context is current in this thread alone
            self._long = LongEngine(self._team, self._rooms.walks)
        stage = find_wrong_numbers(self)
        if stage is None:
            with context.current():
                stage = find_wrong_walk(self._rooms.walks)
        if stage is not None:
            raise EngineUnavailable(
                "{device} computed wrong numbers ({stage}) when it was tried; update the NVIDIA driver, or "
                "see with another program whether the GPU is sound.",
                device=context.device_name,
                stage=stage,
            )

    @property
    def name(self) -> str:
        """Name, such as ``CUDA: NVIDIA H200``, with the device's own name."""
        return self._name

    def compute(
        self, request: Request, previous: Stages | None = None, progress: Progress | None = None
    ) -> Stages | None:
        """Answer a request; see ``Engine.compute``.

        Raises
        ------
        DeviceFull
            When the GPU's memory is too small; the engine stays usable.
        DeviceLost
            When the GPU broke down; the engine can only be closed.
        """
        if self._fault is not None:
            raise self._fault
        assert self._rooms is not None
        assert self._context is not None
        # Another engine's bits are not mixed with these: an edit gives what a full computation gives.
        known = previous if previous is not None and previous.engine == self.name else None
        try:
            with self._context.current():
                return self._computed(self._rooms, request, known, progress)
        except self._driver.Error as error:
            raise self._failed(error) from error

    def _computed(
        self, rooms: DeviceRooms, request: Request, previous: Stages | None, progress: Progress | None
    ) -> Stages | None:
        """Compute with the context current, and leave the rooms as they say they are."""
        try:
            if request.inputs.is_long:
                assert self._long is not None
                check_sources([array for head in request.inputs.heads for array in (head.q, head.k, head.v)])
                stages = self._long.compute(request, previous, progress, self.name)
            else:
                stages = CudaPass(rooms, request, previous, progress, self.name).run(_PARTIAL_WORK)
            if stages is None:
                rooms.settle()
        except BaseException as error:
            rooms.forget()
            if not isinstance(error, self._driver.Error):
                rooms.settle()
            elif isinstance(self._failed(error), DeviceFull):
                rooms.settle()
                rooms.free_memory()
            raise
        return stages

    def _failed(self, error: Exception) -> DeviceFull | DeviceLost:
        """Give what an error of the driver means, and remember that the device is lost."""
        fault = cuda_errors.as_fault(error)
        if isinstance(fault, DeviceLost):
            self._fault = fault
        return fault

    def close(self) -> None:
        """Free what is on the device and let the context go; safe after any fault, and to call again."""
        context, rooms = self._context, self._rooms
        self._context = self._rooms = None
        if self._long is not None:
            self._team.close()
            self._long.close()
            self._long = None
        if context is None:
            return
        try:
            if rooms is not None and self._fault is None:
                # A device that was lost since the last computation has nothing left to be freed.
                with contextlib.suppress(self._driver.Error), context.current():
                    rooms.close()
        finally:
            context.detach()
