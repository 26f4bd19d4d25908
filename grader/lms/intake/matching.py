"""Determines from names and texts which assignment a file is for, and which attempt and copy it is."""

import re
from collections.abc import Iterator

from grader.course.submissions.scan import COMMENT
from grader.course.suite import Coursework
from grader.lms.intake.reading.listing import stem

SEPARATORS = re.compile(r"[-_\s]+")
COPY = re.compile(r"(?P<base>.*?)(?:[\s_]*\((?P<bracketed>[0-9]{1,9})\)|-(?P<dashed>[0-9]{1,9}))", re.DOTALL)
"""Matches the names that browsers and platforms give to copies, such as "kernels (1)" and "kernels-1"."""

ATTEMPT = re.compile(r"(?:.*[\s_-])?attempt[\s_#-]*(?P<number>[0-9]{1,9})", re.IGNORECASE | re.DOTALL)

STATEMENT = re.compile(r"[;{}]")
KERNEL = re.compile(r"(?<!\w)(?:__)?kernel(?!\w)")
CALLED = re.compile(r"(?<!\w)[A-Za-z_]\w*+(?=\s*+\()")
"""Matches an identifier before a parenthesis. The possessive quantifiers never backtrack, so that no text takes
long.
"""


def named_by(name: str, assignments: tuple[Coursework, ...]) -> str | None:
    """Return the assignment with this name or alias, ignoring spacing and capitals, or None if the name is unknown."""
    base, _ = copy_of(stem(name))
    wanted = {_plain(stem(name)), _plain(base)}
    names = {each.name: {_plain(one) for one in (each.name, *_kernels_of(each))} for each in assignments}
    return next((name for name, known in names.items() if wanted & known), None)


def named_in(parts: tuple[str, ...], assignments: tuple[Coursework, ...]) -> str | None:
    """Return the assignment that occurs in a path. The part nearest to the file takes precedence."""
    found = (named_by(part, assignments) for part in reversed(parts))
    return next((name for name in found if name), None)


def defined_in(data: bytes, assignments: tuple[Coursework, ...]) -> tuple[str, ...]:
    """Return the assignments whose kernel the text defines."""
    kernels = {each.name: set(_kernels_of(each)) for each in assignments}
    wanted = set().union(*kernels.values())
    if not any(name.encode() in data for name in wanted):
        return ()
    text = COMMENT.sub(" ", data.decode("utf-8", errors="replace"))
    defined: set[str] = set()
    for statement in STATEMENT.split(text):
        if kernel := KERNEL.search(statement):
            defined.update(CALLED.findall(statement, kernel.end()))
    return tuple(each.name for each in assignments if defined & kernels[each.name])


def copy_of(name: str) -> tuple[str, int]:
    """Return a name without the number of its copy, and the number. The original has the number 0."""
    match = COPY.fullmatch(name)
    return (match["base"], int(match["bracketed"] or match["dashed"])) if match else (name, 0)


def attempt_of(name: str) -> int | None:
    """Return the number of the attempt in the name of a folder or file, such as "attempt 2" or
    "kernels_attempt_3.cl".
    """
    match = ATTEMPT.fullmatch(stem(name))
    return int(match["number"]) if match else None


def _kernels_of(assignment: Coursework) -> Iterator[str]:
    """Yield the names and aliases of the assignment's kernels."""
    return (name for part in assignment.parts for name in (part.kernel, *part.aliases))


def _plain(name: str) -> str:
    return SEPARATORS.sub("", name).casefold()
