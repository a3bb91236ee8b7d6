"""What undo keeps of a painted mask: one bit per cell, and of a stroke only the cells around it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attnviz.core.masks import CustomMask


@dataclass(frozen=True, eq=False)
class FlippedCells:
    """The cells in which two custom masks of one shape differ; the way there is the way back."""

    rows: slice
    columns: slice
    flips: PackedMask

    @classmethod
    def between(cls, before: CustomMask, after: CustomMask) -> FlippedCells:
        """Find the smallest rectangle that holds all differences; at least one is there."""
        differs = before.array ^ after.array
        places = np.nonzero(differs)
        rows, columns = _span(places[0]), _span(places[1])
        return cls(rows, columns, PackedMask.of(differs[rows, columns]))

    @property
    def nbytes(self) -> int:
        """Bytes kept alive."""
        return self.flips.nbytes

    def applied(self, mask: CustomMask) -> CustomMask:
        """Give the mask at the other end of the step."""
        array = mask.array.copy()
        array[self.rows, self.columns] ^= self.flips.array()
        array.flags.writeable = False
        return CustomMask(array)


@dataclass(frozen=True, eq=False)
class PackedMask:
    """A bool array with one bit per cell."""

    shape: tuple[int, int]
    bits: NDArray[np.uint8]

    @classmethod
    def of(cls, array: NDArray[np.bool_]) -> PackedMask:
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
