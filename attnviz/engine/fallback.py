"""CUDA with the CPU behind it: where the GPU has no memory or breaks down, the answer comes all the same.

What broke down once stays off for the whole process: after such a fault the driver takes no new context.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from dataclasses import replace

from attnviz.core.errors import AttnvizError
from attnviz.core.request import Request
from attnviz.core.stages import Stages
from attnviz.engine.base import Engine, EngineUnavailable, Progress
from attnviz.engine.cuda_errors import DeviceFull, DeviceLost

_breakdowns: list[AttnvizError] = []


def earlier_breakdown() -> EngineUnavailable | None:
    """Give why CUDA is off for the rest of the process, None where it has not broken down."""
    if not _breakdowns:
        return None
    return EngineUnavailable("CUDA is off until attnviz is started again: {reason}", reason=_breakdowns[0])


class WithFallback:
    """An Engine that computes with CUDA, and on the CPU what CUDA cannot.

    Parameters
    ----------
    cuda
        Closed by this engine, at the latest when it is closed itself.
    make_cpu
        Makes the CPU's engine when it is first needed.

    Notes
    -----
    Where the GPU's memory is too small, one answer comes from the CPU and the next is tried with CUDA again;
    where the device is lost, all further ones come from the CPU.
    ``Stages.engine`` and ``Stages.engine_note`` of each answer say so.
    """

    def __init__(self, cuda: Engine, make_cpu: Callable[[], Engine]) -> None:
        self._cuda: Engine | None = cuda
        self._make_cpu = make_cpu
        self._cpu: Engine | None = None
        self._note: AttnvizError | None = None

    @property
    def name(self) -> str:
        """Name of the engine that the next answer is tried with."""
        return (self._cuda or self._cpu_engine()).name

    def compute(
        self, request: Request, previous: Stages | None = None, progress: Progress | None = None
    ) -> Stages | None:
        """Answer a request; see ``Engine.compute``."""
        if self._cuda is not None:
            try:
                return self._cuda.compute(request, _of_engine(previous, self._cuda), progress)
            except (DeviceFull, DeviceLost) as error:
                # A copy without the traceback, which would keep alive what the engine is about to free.
                self._note = copy.copy(error)
            if isinstance(self._note, DeviceLost):
                self._lose_cuda()
                _breakdowns.append(self._note)
        return self._computed_on_cpu(request, previous, progress)

    def close(self) -> None:
        """Free what both engines hold."""
        if self._cuda is not None:
            self._cuda.close()
        if self._cpu is not None:
            self._cpu.close()

    def _computed_on_cpu(
        self, request: Request, previous: Stages | None, progress: Progress | None
    ) -> Stages | None:
        cpu, note = self._cpu_engine(), self._note

        def told(fraction: float, partial: Stages | None) -> bool:
            assert progress is not None
            return progress(fraction, None if partial is None else replace(partial, engine_note=note))

        stages = cpu.compute(request, _of_engine(previous, cpu), None if progress is None else told)
        return None if stages is None else replace(stages, engine_note=note)

    def _cpu_engine(self) -> Engine:
        if self._cpu is None:
            self._cpu = self._make_cpu()
        return self._cpu

    def _lose_cuda(self) -> None:
        assert self._cuda is not None
        with contextlib.suppress(Exception):  # of a device that is lost, nothing has to be freed
            self._cuda.close()
        self._cuda = None


def _of_engine(previous: Stages | None, engine: Engine) -> Stages | None:
    """Give an earlier answer if this engine computed it: what answers share is of one engine."""
    return previous if previous is not None and previous.engine == engine.name else None
