"""Composes a hint at the line of a mistake. It never contains more than the instructor allows."""

from collections.abc import Sequence
from dataclasses import dataclass

from grader.common.record import replace
from grader.course.criteria import Hints
from grader.grading.search.sites import Edit
from grader.grading.source.outline import Outline
from grader.protocol.text import showable
from grader.results.check import Check

QUOTED_CHARACTERS = 100
"""Maximum number of characters of code in a hint."""


@dataclass(frozen=True, kw_only=True)
class Fix:
    """Edits of one line, each of which makes these cases right. `is_all` is true if these are all wrong cases."""

    outline: Outline
    edits: Sequence[Edit]
    cases: frozenset[str]
    is_all: bool


@dataclass(frozen=True, kw_only=True)
class Hint:
    """Words to put before the message of the checks of some cases."""

    words: str
    cases: frozenset[str]

    def add_to(self, check: Check) -> Check:
        """Put the hint before the message of a check for one of these cases. Other checks are returned unchanged."""
        if check.label not in self.cases:
            return check
        return replace(check, message=f"{self.words}: {check.message}")


def hint(fix: Fix, source: str, hints: Hints) -> Hint | None:
    """The hint for students; None if the instructor does not allow hints. `source` is the student's text. Other code is
    not quoted.
    """
    if hints == "none":
        return None
    edit = fix.edits[0]
    where = "is where it goes wrong" if fix.is_all else "is one place where it goes wrong"
    words = f"line {edit.line} {where}"
    if hints != "line" and len({each.part for each in fix.edits}) == 1:
        words += f", in {edit.part}"
    if hints == "change":
        words += _change(fix, edit, source)
    return Hint(words=showable(words), cases=fix.cases)


def _change(fix: Fix, edit: Edit, source: str) -> str:
    """The change in words; empty unless the student's text contains the expression in its compiled form, without
    macros.
    """
    outline, (first, last) = fix.outline, edit.span
    old = outline.between(first, last)
    new = " ".join(f"{outline.between(first, edit.first)} {edit.text} {outline.between(edit.last, last)}".split())
    line = source.split("\n")[edit.line - 1]
    if _bare(old) not in _bare(line) or len(old) + len(new) > QUOTED_CHARACTERS:
        return ""
    helps = f"`{new}` in place of `{old}`" if new else f"leaving `{old}` out"
    return f" ({helps} would fix {'all' if fix.is_all else 'some'} of the wrong cases)"


def _bare(text: str) -> str:
    return "".join(text.split())
