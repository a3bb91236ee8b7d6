"""From a plan to launches: which kernel, at which addresses.

A range of rows or keys is launched by moving the addresses to its first; only a list needs indices on the
device. All kernels of a stage give the same bits, so which one runs is a question of speed alone; softmax is
the exception, and there the number of keys alone decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from attnviz.engine.device_memory import DeviceMemory
from attnviz.engine.launch_plan import LaunchPlan
from attnviz.engine.mask_on_device import MaskArgument
from attnviz.engine.spans import Lines
from attnviz.engine.squares import Square
from attnviz.engine.staging import Uploads
from attnviz.engine.vectors_on_device import Place

if TYPE_CHECKING:
    from attnviz.engine.kernels import Kernels

PLAIN_KEYS = 64  # up to so many keys the plain kernels compute
FEW_ROWS = 32  # up to so many, one block a row is faster than tiles


class Launches:
    """Launches kernels on one stream.

    Parameters
    ----------
    driver, stream
        The module ``pycuda.driver`` and the stream that everything runs on.
    """

    def __init__(self, driver: Any, kernels: Kernels, stream: Any, uploads: Uploads) -> None:
        self._kernels, self._stream, self._uploads = kernels, stream, uploads
        self._indices = DeviceMemory(driver)
        self._next_index = 0
        self._listed: dict[int, int] = {}

    def run(
        self,
        plan: LaunchPlan,
        square: Square,
        place: Place,
        mask: MaskArgument,
        by: np.float32,
        fill: np.float32,
    ) -> None:
        """Bring the squares up to date.

        Parameters
        ----------
        place
            The head's vectors; its queries from the first of the document.
        mask
            For the square's rows.
        by, fill
            What scores are divided by, and what hidden cells are set to.
        """
        self._reserve(plan)
        if plan.is_full and square.n_keys > PLAIN_KEYS:
            self._kernels.scores_tiled(
                self._stream,
                q=place.q + 4 * square.rows[0] * square.d_k,
                k=place.k,
                scores=square.scores,
                scaled=square.scaled,
                masked=square.masked,
                allowed=mask.allowed,
                n_square_rows=square.n_rows,
                n_key_tokens=square.n_keys,
                d=square.d_k,
                first_row=square.rows[0] + mask.offset,
                mask_kind=mask.kind,
                divisor=float(by),
                fill=float(fill),
            )
        else:
            self._cells(plan, square, place, mask, float(by), float(fill))
        self._softmax(plan.weights, square)
        self._weighted_sum(plan.output, square, place)

    def free(self) -> None:
        """Give the memory of the indices back."""
        self._indices.free()

    def _cells(
        self, plan: LaunchPlan, square: Square, place: Place, mask: MaskArgument, by: float, fill: float
    ) -> None:
        """Compute the first three stages, cell by cell."""
        for cells in plan.scores:
            (row, row_list), (key, key_list) = self._where(cells[0]), self._where(cells[1])
            self._kernels.scores_plain(
                self._stream,
                q=place.q + 4 * (square.rows[0] + row) * square.d_k,
                k=place.k + 4 * key * square.d_k,
                scores=square.stage("scores", row, key),
                rows=row_list,
                keys=key_list,
                n_rows=cells[0].count,
                n_keys=cells[1].count,
                n_key_tokens=square.n_keys,
                d=square.d_k,
            )
        for cells in plan.scaled:
            (row, row_list), (key, key_list) = self._where(cells[0]), self._where(cells[1])
            self._kernels.scale(
                self._stream,
                scores=square.stage("scores", row, key),
                scaled=square.stage("scaled", row, key),
                rows=row_list,
                keys=key_list,
                n_rows=cells[0].count,
                n_keys=cells[1].count,
                n_key_tokens=square.n_keys,
                divisor=by,
            )
        for cells in plan.masked:
            (row, row_list), (key, key_list) = self._where(cells[0]), self._where(cells[1])
            self._kernels.mask(
                self._stream,
                scaled=square.stage("scaled", row, key),
                masked=square.stage("masked", row, key),
                allowed=mask.moved(row * square.n_keys + key).allowed,
                rows=row_list,
                keys=key_list,
                n_rows=cells[0].count,
                n_keys=cells[1].count,
                n_key_tokens=square.n_keys,
                first_row=square.rows[0] + mask.offset + row - key,  # the causal rule compares positions
                mask_kind=mask.kind,
                fill=fill,
            )

    def _softmax(self, rows: Lines, square: Square) -> None:
        if rows.count == 0:
            return
        row, row_list = self._where(rows)
        launch: Callable[..., None] = self._kernels.softmax_plain
        more = {}
        if square.n_keys > PLAIN_KEYS:
            launch = self._kernels.softmax_rows
            more = {"n_square_rows": square.n_rows}
        launch(
            self._stream,
            masked=square.stage("masked", row),
            weights=square.stage("weights", row),
            row_max=square.row_max + 4 * row,
            row_sum=square.row_sum + 4 * row,
            rows=row_list,
            n_rows=rows.count,
            n_key_tokens=square.n_keys,
            **more,
        )

    def _weighted_sum(self, rows: Lines, square: Square, place: Place) -> None:
        if rows.count == 0:
            return
        row, row_list = self._where(rows)
        weights, output = square.stage("weights", row), square.output + 4 * row * square.d_v
        if square.n_keys > PLAIN_KEYS and row_list is None and rows.count > FEW_ROWS:
            self._kernels.weighted_sum_tiled(
                self._stream,
                weights=weights,
                v=place.v,
                output=output,
                n_square_rows=rows.count,
                n_key_tokens=square.n_keys,
                d=square.d_v,
            )
            return
        is_plain = square.n_keys <= PLAIN_KEYS
        launch = self._kernels.weighted_sum_plain if is_plain else self._kernels.weighted_sum_rows
        launch(
            self._stream,
            weights=weights,
            v=place.v,
            output=output,
            rows=row_list,
            n_rows=rows.count,
            n_key_tokens=square.n_keys,
            d=square.d_v,
        )

    # Lists of indices -------------------------------------------------------------------------------------

    def _reserve(self, plan: LaunchPlan) -> None:
        """Have room for all lists of a plan, so that none takes the place of one that is still being read."""
        lines = [plan.weights, plan.output]
        lines += [of for cells in (*plan.scores, *plan.scaled, *plan.masked) for of in cells]
        needed = 4 * sum(of.count for of in lines if of.listed is not None)
        if needed:
            self._indices.grow(needed)
        self._next_index = 0
        self._listed = {}

    def _where(self, lines: Lines) -> tuple[int, int | None]:
        """Give the first row (or key) that addresses are moved to, and the address of a list from there."""
        if lines.listed is None:
            return lines.first, None
        if id(lines) not in self._listed:
            address = self._indices.address + self._next_index
            self._uploads.copy(lines.listed.astype(np.int32), address)
            self._next_index += 4 * lines.count
            self._listed[id(lines)] = address
        return 0, self._listed[id(lines)]
