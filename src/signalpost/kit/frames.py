"""How large a picture may be, and what becomes of one that is larger. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FrameLimits:
    """Limits of width and height, in pixels; None: there is none."""

    pixels_max: int | None = None  # width times height
    side_short_max: int | None = None
    side_long_max: int | None = None

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
        """Return width and height with the same proportions, within the limits."""
        factor = self.factor(width, height)
        return (width, height) if factor >= 1 else (_shrunk(width, factor), _shrunk(height, factor))


def _shrunk(side: int, factor: float) -> int:
    """Round down, but not because a product such as 3024 * (1080 / 3024) falls short by its last bit."""
    return max(1, int(side * factor + 1e-9))
