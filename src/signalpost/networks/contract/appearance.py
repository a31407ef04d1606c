"""How posts look at a network: proportions, what is cut off, where a text is folded. For previews alone."""

from typing import Literal

from msgspec import Struct

ViewKind = Literal["feed", "story", "reel", "video", "pin", "document", "poll", "article", "message"]
Mark = Literal["hashtag", "mention", "link"]


class View(Struct, frozen=True, kw_only=True):
    """How a network shows one kind of post.

    A post is shown in the first view that says so: by its option `type`, by another option that is set, or by the kind
    of its only file where no view has its type. One that says nothing is for all other posts, and stands last.
    """

    kind: ViewKind
    types: tuple[str, ...] = ()  # values of the option `type`
    option: str | None = None  # an option that has a value: a poll
    media: str | None = None  # the kind of the only file

    text: Literal["above", "below", "over", "none"] = "above"  # where it stands: of the files, or not at all
    files: Literal["grid", "carousel"] = "grid"  # how several are shown
    ratio_min: float | None = None  # width by height of the frame; a taller file is cropped at its middle
    ratio_max: float | None = None  # a wider one as well; the same as `ratio_min` where the frame has one shape
    fold_lines: int | None = None  # of text, before the reader has to ask for the rest
    fold_characters: int | None = None  # the same, in grapheme clusters; whichever comes first
    covered_top: float | None = None  # share of the height of the frame, below buttons and names of the network
    covered_bottom: float | None = None
    covered_sides: float | None = None  # share of its width, on each side
    title_characters: int | None = None  # of a title, in grapheme clusters; the rest is not shown


class Appearance(Struct, frozen=True, kw_only=True):
    """How posts look at a network."""

    views: tuple[View, ...] = (View(kind="feed"),)
    marks: tuple[Mark, ...] = ("link",)  # what the network makes links of in a text
    card: Literal["large", "small", "none"] = "none"  # of an address: below its picture, beside it, or only the address
    card_ratio: float | None = None  # width by height of the picture of a large card
