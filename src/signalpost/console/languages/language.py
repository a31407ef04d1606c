"""What a language has to say, whatever it is."""

from collections.abc import Mapping, Sequence

from msgspec import Struct


class Language(Struct, frozen=True, kw_only=True):
    """A language of the pages."""

    name: str  # what it calls itself
    months: Sequence[str]  # January to December, short
    long_months: Sequence[str]
    weekdays: Sequence[str]  # Monday to Sunday, short
    date: str  # with {weekday}, {day}, {month} and {year}
    decimal: str  # what stands before the fraction of a number
    thousands: str  # what stands between groups of three digits
    grouped_from: int  # the smallest number with such groups
    texts: Mapping[str, str]  # English -> what it is in this language
