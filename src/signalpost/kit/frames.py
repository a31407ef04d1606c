"""How large a picture may be and what shape it may have, and what becomes of one that is not so. Pure."""

import math
from dataclasses import dataclass
from typing import Literal

Reshape = Literal["pad", "crop"]
_LAST_BIT = 1e-9  # so that a product such as 3024 * (1080 / 3024) does not fall short


@dataclass(frozen=True)
class FrameLimits:
    """Limits of width and height, in pixels; None: there is none."""

    pixels_max: int | None = None  # width times height
    side_short_max: int | None = None
    side_long_max: int | None = None
    ratio_min: float | None = None  # width by height
    ratio_max: float | None = None
    reshape: Reshape | None = None  # how a picture gets a ratio within the limits; None: it keeps its own

    def shaped(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of the part that is left (`crop`), or of the canvas that the picture stands on (`pad`)."""
        crops, ratio = self.reshape == "crop", width / height
        if self.reshape is None:
            return width, height
        if self.ratio_min is not None and ratio < self.ratio_min:
            return (width, _down(width / self.ratio_min)) if crops else (_up(height * self.ratio_min), height)
        if self.ratio_max is not None and ratio > self.ratio_max:
            return (_down(height * self.ratio_max), height) if crops else (width, _up(width / self.ratio_max))
        return width, height

    def factor(self, width: int, height: int) -> float:
        """Return by how much both sides have to be multiplied; 1.0 if the picture is small enough."""
        factor = 1.0
        if self.pixels_max is not None and width * height > self.pixels_max:
            factor = (self.pixels_max / (width * height)) ** 0.5
        if self.side_short_max is not None:
            factor = min(factor, self.side_short_max / min(width, height))
        if self.side_long_max is not None:
            factor = min(factor, self.side_long_max / max(width, height))
        return factor

    def scaled(self, width: int, height: int) -> tuple[int, int]:
        """Return the size within the limits: of the shape that it must have, or else with the same proportions."""
        width, height = self.shaped(width, height)
        factor = self.factor(width, height)
        return (width, height) if factor >= 1 else (_down(width * factor), _down(height * factor))


def _down(side: float) -> int:
    return max(1, int(side + _LAST_BIT))


def _up(side: float) -> int:
    return math.ceil(side - _LAST_BIT)
