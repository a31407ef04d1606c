"""How large a picture may be, which part of it is sent, and in what shape. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

Reshape = Literal["pad", "crop"]
_LAST_BIT = 1e-9  # so that a product such as 3024 * (1080 / 3024) does not fall short


class Part(NamedTuple):
    """A part of an upright picture, in its pixels."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True)
class FrameLimits:
    """Limits of width and height, in pixels; None: there is none."""

    pixels_max: int | None = None  # width times height
    side_short_max: int | None = None
    side_long_max: int | None = None
    ratio_min: float | None = None  # width by height
    ratio_max: float | None = None
    reshape: Reshape | None = None  # how a picture gets a ratio within the limits; None: it keeps its own
    crop: Sequence[float] | None = None  # what a person chose of it: left, top, width and height, of 0 to 1
    focal: Sequence[float] | None = None  # what must not be cut off: from the left and the top; None: the middle

    def part(self, width: int, height: int) -> Part:
        """Return which part of a picture is left: what a person chose, without what its shape takes from that."""
        chosen = self.chosen(width, height)
        if self.reshape != "crop":
            return chosen
        inner_width, inner_height = self.shaped(width, height)
        x, y = self.focal or (0.5, 0.5)
        if self.crop is not None and self.focal is None:  # the middle of what was chosen
            x, y = (chosen.left + chosen.width / 2) / width, (chosen.top + chosen.height / 2) / height
        return Part(
            _beside(x * width, inner_width, chosen.left, chosen.width),
            _beside(y * height, inner_height, chosen.top, chosen.height),
            inner_width,
            inner_height,
        )

    def chosen(self, width: int, height: int) -> Part:
        """Return the part that a person chose in whole pixels: at least one, and none beyond the edge."""
        if self.crop is None:
            return Part(0, 0, width, height)
        x, y, share_x, share_y = self.crop
        left, top = min(round(x * width), width - 1), min(round(y * height), height - 1)
        right, bottom = min(round((x + share_x) * width), width), min(round((y + share_y) * height), height)
        return Part(left, top, max(1, right - left), max(1, bottom - top))

    def shaped(self, width: int, height: int) -> tuple[int, int]:
        """Return the size of the part that is left (`crop`), or of the canvas that the picture stands on (`pad`)."""
        _, _, width, height = self.chosen(width, height)
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


def _beside(middle: float, length: int, start: int, room: int) -> int:
    """Return where a part of this length begins so that it has `middle` in its middle, as far as there is room."""
    return min(max(math.floor(middle - length / 2 + _LAST_BIT), start), start + room - length)


def _down(side: float) -> int:
    return max(1, int(side + _LAST_BIT))


def _up(side: float) -> int:
    return math.ceil(side - _LAST_BIT)
