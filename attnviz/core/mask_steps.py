"""What undo keeps of a painted mask: one bit per cell, and of a stroke only the cells around it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnviz.core.masks import Alignment, CustomMask


@dataclass(frozen=True, eq=False)
class FlippedCells:
    """The cells in which two custom masks of one shape and alignment differ; both ways are one."""

    rows: slice
    columns: slice
    flips: PackedCells

    @classmethod
    def between(cls, before: CustomMask, after: CustomMask) -> FlippedCells:
        """Find the smallest rectangle that holds all differences; at least one is there."""
        differs = before.array ^ after.array
        places = np.nonzero(differs)
        rows, columns = _span(places[0]), _span(places[1])
        return cls(rows, columns, PackedCells.of(differs[rows, columns]))

    @property
    def nbytes(self) -> int:
        """Bytes kept alive."""
        return self.flips.nbytes

    def applied(self, mask: CustomMask) -> CustomMask:
        """Give the mask at the other end of the step."""
        array = mask.array.copy()
        array[self.rows, self.columns] ^= self.flips.array()
        array.flags.writeable = False
        return replace(mask, array=array)


@dataclass(frozen=True, eq=False)
class PackedMask:
    """A custom mask with one bit per cell."""

    cells: PackedCells
    alignment: Alignment

    @classmethod
    def of(cls, mask: CustomMask) -> PackedMask:
        """Pack a mask."""
        return cls(PackedCells.of(mask.array), mask.alignment)

    @property
    def nbytes(self) -> int:
        """Bytes kept alive."""
        return self.cells.nbytes

    def mask(self) -> CustomMask:
        """Give the mask back."""
        return CustomMask(self.cells.array(), alignment=self.alignment)


@dataclass(frozen=True, eq=False)
class PackedCells:
    """A bool array with one bit per cell."""

    shape: tuple[int, int]
    bits: NDArray[np.uint8]

    @classmethod
    def of(cls, array: NDArray[np.bool_]) -> PackedCells:
        """Pack a bool array of two axes."""
        return cls((array.shape[0], array.shape[1]), np.packbits(array, axis=None))

    @property
    def nbytes(self) -> int:
        """Bytes kept alive."""
        return self.bits.nbytes

    def array(self) -> NDArray[np.bool_]:
        """Give the bool array back, read-only."""
        count = self.shape[0] * self.shape[1]
        array = np.unpackbits(self.bits, count=count).view(np.bool_).reshape(self.shape)
        array.flags.writeable = False
        return array


def _span(indices: NDArray[np.intp]) -> slice:
    return slice(int(indices.min()), int(indices.max()) + 1) if indices.size else slice(0, 0)
