"""Pictures of more cells than a screen shows, pooled on the device: only what is shown comes to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attnviz.engine.blocks import Rows
from attnviz.engine.device_memory import DeviceMemory
from attnviz.engine.mask_on_device import MaskArgument
from attnviz.engine.squares import Square

if TYPE_CHECKING:
    from attnviz.engine.kernels import Kernels


class Pooling:
    """The pooled scores and weights of a range of rows, until the next are pooled.

    Attributes
    ----------
    columns
        Cells in each row of the pooled pictures.
    """

    def __init__(self, driver: Any, kernels: Kernels, stream: Any) -> None:
        self._kernels, self._stream = kernels, stream
        self._scores, self._weights = DeviceMemory(driver), DeviceMemory(driver)
        self.columns = 0

    def run(self, square: Square, mask: MaskArgument, rows: Rows, keys: Rows, bins: tuple[int, int]) -> None:
        """Pool a half-open range of the square's rows, counted from its first, and of keys.

        Parameters
        ----------
        mask
            For the square's rows.
        bins
            Rows and keys that one cell of a picture stands for.
        """
        n_rows, n_keys = rows[1] - rows[0], keys[1] - keys[0]
        self.columns = -(-n_keys // bins[1])
        size = 4 * -(-n_rows // bins[0]) * self.columns
        self._scores.grow(size)
        self._weights.grow(size)
        for launch, stage, picture in (
            (self._kernels.pool_largest, "scores", self._scores),
            (self._kernels.pool_maximum, "weights", self._weights),
        ):
            launch(
                self._stream,
                values=square.stage(stage, rows[0]),
                picture=picture.address,
                allowed=mask.moved(rows[0] * square.n_keys).allowed,
                first_row=square.rows[0] + mask.offset + rows[0],
                n_key_tokens=square.n_keys,
                first_key=keys[0],
                n_keys=n_keys,
                n_rows=n_rows,
                bin_rows=bins[0],
                bin_keys=bins[1],
                mask_kind=mask.kind,
            )

    def addresses(self, row: int) -> tuple[int, int]:
        """Give where a row of the pooled scores and of the pooled weights starts."""
        offset = 4 * row * self.columns
        return self._scores.address + offset, self._weights.address + offset

    def free(self) -> None:
        """Give the memory back."""
        self._scores.free()
        self._weights.free()
