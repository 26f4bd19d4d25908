"""Makes unique folder names from students' names. They are valid on every system."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, count

from grader.lms.intake.owners import Owner

LENGTH = 100
"""Maximum number of bytes of a label. File systems allow 255, and a report adds an ending and a folder."""

NOWHERE = re.compile(r'[<>:"/\\|?*]+')
"""Characters that some systems do not accept in a name."""

DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
"""Names of devices on Windows, with any ending."""


def labels(owners: Iterable[Owner]) -> dict[Owner, str]:
    """Return a label for each of these people. The labels do not depend on the order of the people."""
    ordered = sorted(owners, key=lambda each: (each.name, each.key or ""))
    wanted = {each: label(each.name) for each in ordered}
    times = Counter(map(_folded, wanted.values()))
    taken = {folded for folded, number in times.items() if number == 1}
    numbers: defaultdict[str, Iterator[int]] = defaultdict(
        lambda: count(2)
    )  # equal names share a counter, which avoids retries
    given = {}
    for owner in ordered:
        mine = wanted[owner]
        if times[_folded(mine)] > 1:
            variants = _variants(mine, owner.key, numbers[_folded(mine)])
            mine = next(each for each in variants if _folded(each) not in taken)
            taken.add(_folded(mine))
        given[owner] = mine
    return given


def label(name: str) -> str:
    """Return a name in the form of a folder name. Letters of any script stay; characters that some systems refuse are
    replaced.
    """
    plain = NOWHERE.sub("-", unicodedata.normalize("NFC", name))
    seen = (letter for letter in plain if letter.isspace() or unicodedata.category(letter)[0] != "C")
    shown = "".join(" " if letter.isspace() else letter for letter in seen)
    cut = _cut(" ".join(shown.split()).lstrip(" .-"), LENGTH) or "student"
    return _cut(f"_{cut}", LENGTH) if DEVICES.fullmatch(cut) else cut


def _cut(text: str, size: int) -> str:
    return text.encode()[:size].decode(errors="ignore").rstrip(" .")


def _variants(wanted: str, key: str | None, numbers: Iterator[int]) -> Iterator[str]:
    """Yield the name with the person's key (or unchanged if there is no key), and then the name with numbers."""
    first = "" if key is None else f"-{_cut(label(key), LENGTH // 2)}"
    for ending in chain([first], (f"-{number}" for number in numbers)):
        yield _cut(wanted, LENGTH - len(ending.encode())) + ending


def _folded(name: str) -> str:
    """Return a form that is equal for names that some file systems consider equal."""
    return unicodedata.normalize("NFKD", name).casefold()
