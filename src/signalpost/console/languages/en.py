"""English. Its sentences stand in the code and the templates, so only times are said here."""

from typing import Final

from signalpost.console.languages.language import Language

ENGLISH: Final = Language(
    name="English",
    months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    long_months=(
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    weekdays=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    date="{weekday} {day} {month} {year}",
    decimal=".",
    thousands=",",
    grouped_from=1_000,
    texts={},
)
