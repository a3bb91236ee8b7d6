"""Threads that share the blocks of one computation, with BLAS kept to one thread each meanwhile."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from threadpoolctl import ThreadpoolController

Job = Callable[[], None]

# In multiply-adds.
_TINY = 100_000  # BLAS uses one thread anyway, and telling it so takes longer than the work
_SMALL = 4_000_000  # one thread is done sooner than it could wake others

ASKED_EVERY = 0.005
"""Seconds between two questions while the caller has no job left and helpers are still at theirs."""


class Team:
    """Runs jobs on the calling thread and on helpers; used from one thread at a time.

    Parameters
    ----------
    n_threads
        Threads that compute, the caller among them; None: one per CPU this process may use.
    """

    def __init__(self, n_threads: int | None = None) -> None:
        self.n_threads = n_threads or usable_cpus()
        self._helpers: ThreadPoolExecutor | None = None
        self._blas: ThreadpoolController | None = None

    def run(self, jobs: Iterable[Job], between: Callable[[int], bool], work: int) -> bool:
        """Run all jobs; give False where ``between`` stopped them.

        Parameters
        ----------
        jobs
            Independent of each other. They are begun in this order, so the longest are best put first.
        between
            Called in the calling thread after each job it ran itself, and now and then while it waits for
            helpers, with the number of jobs done by all. When it answers False, no further job is begun.
        work
            Size of all jobs in multiply-adds, roughly. Helpers are woken and BLAS is told only where it pays.

        Notes
        -----
        A BLAS of one thread adds in another order than one of many; it is set even where the caller works
        alone, so that the same block has the same bits whoever computes it.
        """
        crew = _Crew(jobs)
        if work < _TINY:
            return crew.lead(between)
        with self._blas_controller().limit(limits=1, user_api="blas"):
            count = 0 if work < _SMALL else min(self.n_threads, len(crew.waiting)) - 1
            if count < 1:
                return crew.lead(between)
            from concurrent.futures import ThreadPoolExecutor, wait  # small documents never come here

            if self._helpers is None:
                self._helpers = ThreadPoolExecutor(self.n_threads - 1, thread_name_prefix="attnviz-engine")
            running = [self._helpers.submit(crew.help) for _ in range(count)]
            try:
                went_on = crew.lead(between) and crew.wait_for(running, between)
            finally:
                crew.waiting.clear()
                wait(running)
        for future in running:
            future.result()  # raises what a helper raised
        return went_on

    def close(self) -> None:
        """End the helper threads."""
        if self._helpers is not None:
            self._helpers.shutdown()
            self._helpers = None

    def _blas_controller(self) -> ThreadpoolController:
        """Give the controller of BLAS; finding the libraries takes milliseconds, so once and late."""
        if self._blas is None:
            from threadpoolctl import ThreadpoolController

            self._blas = ThreadpoolController()
        return self._blas


class _Crew:
    """The jobs of one run."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.waiting = deque(jobs)  # popleft, append and clear are atomic
        self.done = deque[None]()
        self._n_jobs = len(self.waiting)

    def help(self) -> None:
        """Do jobs until none waits."""
        try:
            while self._do_one():
                pass
        except BaseException:
            self.waiting.clear()
            raise

    def lead(self, between: Callable[[int], bool]) -> bool:
        """Do jobs until none waits or ``between`` answers False."""
        while self._do_one():
            if not between(len(self.done)):
                self.waiting.clear()
                return False
        return True

    def wait_for(self, helpers: list[Future[None]], between: Callable[[int], bool]) -> bool:
        """Ask on while helpers end their last jobs; False where ``between`` answers False."""
        from concurrent.futures import wait

        while wait(helpers, ASKED_EVERY).not_done:
            n_done = len(self.done)
            if n_done < self._n_jobs and not between(n_done):
                return False
        return True

    def _do_one(self) -> bool:
        try:
            job = self.waiting.popleft()
        except IndexError:
            return False
        job()
        self.done.append(None)
        return True


def usable_cpus() -> int:
    """Give the number of CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
