"""Hand-in times from Moodle's grading worksheet, which are in the language of the user who downloaded it.

A date such as "Wednesday, 10 June 2026, 2:14 PM" is in that user's time zone, which it does not state, and has no
seconds.
"""

import re
from datetime import datetime

MODIFIED = (
    "Last modified (submission)",
    "Zuletzt geändert (Abgabe)",
    "Dernière modification (travail remis)",
    "Última modificación (entrega)",
    "Última modificação (envio)",
)
"""Headings of the column, from the language packs that moodle.py knows."""

MONTHS = {
    month: number
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    )
    for number, month in enumerate(names.split(), 1)
}

TIME = re.compile(r"\b(?P<hour>[0-9]{1,2})[:.h](?P<minute>[0-9]{2})\b(?:\s*(?P<half>[ap])\.?m)?", re.IGNORECASE)
YEAR = re.compile(r"\b[0-9]{4}\b")
DAY = re.compile(r"\b[0-9]{1,2}\b")
WORD = re.compile(r"[^\W\d_]+")


def read_moodle_time(text: str) -> datetime | None:
    """Read the date and time as a naive time. Returns None if there is no date or its form is unknown."""
    time, year = TIME.search(text), YEAR.search(text)
    day = DAY.search(TIME.sub(" ", text))
    month = next((MONTHS[word] for word in WORD.findall(text.casefold()) if word in MONTHS), None)
    if time is None or year is None or day is None or month is None:
        return None
    hour = int(time["hour"])
    if time["half"]:
        hour = hour % 12 + (12 if time["half"].casefold() == "p" else 0)
    try:
        return datetime(int(year[0]), month, int(day[0]), hour, int(time["minute"]))  # noqa: DTZ001 - it does not state a time zone
    except ValueError:
        return None
