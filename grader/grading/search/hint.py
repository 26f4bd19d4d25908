"""Composes a hint at the line of a mistake. It never contains more than the instructor allows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.common.phrases import first_sentence, sentence
from grader.common.record import replace
from grader.course.criteria import Hints
from grader.grading.explain.simulator.source_lines import WHEREABOUTS
from grader.grading.explain.simulator.tried_barriers import caused_by_another_mistake
from grader.grading.search.edits.sites import Edit
from grader.grading.source.outline import Outline
from grader.protocol.text import showable
from grader.results.check import ONE_LINE, Check
from grader.results.findings import lines_named

QUOTED_CHARACTERS = 100
"""Maximum number of characters of code in a hint."""

FEW_LINES = 2
"""Maximum number of lines that a sentence may name and still need no hint at one of them."""


@dataclass(frozen=True, kw_only=True)
class Fix:
    """Edits of one or two lines, each of which makes these cases right. `is_all` is true if no case stays wrong."""

    outline: Outline
    edits: Sequence[Edit]
    cases: frozenset[str]
    is_all: bool


@dataclass(frozen=True, kw_only=True)
class Hint:
    """Sentences to insert before the messages of the checks of some cases. If `is_all` is true, they also come before
    findings. `place` is the line of the only mistake, as in "line 5, in the condition", or "". `change` is a sentence
    about its correction, or "".
    """

    words: str
    cases: frozenset[str]
    lines: frozenset[int]
    is_all: bool
    place: str = ""
    change: str = ""

    def add_to(self, check: Check) -> Check:
        """Add the hint to the message of a check if it belongs to one of these cases, or if it has findings, which are
        the evidence. Other checks are returned unchanged, and so is a check whose first sentence already names these
        lines and few others. If the message begins with a known cause, the line follows this cause in brackets, in
        place of other lines. Otherwise, the message begins with the hint. Advice about other lines is left out, because
        an edit of these lines is proved to be enough. For the same reason, no barrier is missing.
        """
        is_evidence = self.is_all and bool(check.findings)
        if not is_evidence and check.label not in self.cases:
            return check
        check = caused_by_another_mistake(check) if self.is_all else check
        if is_evidence:
            check = replace(check, cause=check.cause or ONE_LINE)
        named = lines_named(first_sentence(check.message))
        if self.lines <= {*named} and len(named) <= FEW_LINES:
            return check
        begins = re.match(rf"{re.escape(check.cause)}(?: \([^()]*\))?[:.] ", check.message) if check.cause else None
        if self.place and begins:
            rest = check.message[begins.end() :]
            return replace(check, message=f"{check.cause} ({self.place}). {sentence(rest)}{self.change}")
        cause = check.cause or (ONE_LINE if self.is_all else "")
        message = f"{self.words} {sentence(check.message)}"
        return replace(check, message=message, help="" if self._contradicts(check.help) else check.help, cause=cause)

    def _contradicts(self, advice: str) -> bool:
        """True if this advice is about lines other than the mistake's, or lists all lines to look at."""
        lines = {*lines_named(advice)}
        is_elsewhere = bool(lines) and not lines & self.lines
        return self.is_all and (is_elsewhere or advice.startswith(WHEREABOUTS))


def hint(fix: Fix, source: str, hints: Hints) -> Hint | None:
    """The hint for students; None if the instructor does not allow hints. `source` is the student's text. Other code is
    not quoted.
    """
    if hints == "none":
        return None
    edit = fix.edits[0]
    lines = dict.fromkeys(each.line for each in fix.edits)
    mistake, place = "the mistake" if fix.is_all else "one mistake", " or ".join(f"line {line}" for line in lines)
    if len(lines) > 1:
        words = showable(f"{mistake} is in {place}.")
        return Hint(words=words, cases=fix.cases, lines=frozenset(lines), is_all=fix.is_all)
    if hints != "line" and len({each.part for each in fix.edits}) == 1:
        place += f", in {edit.part}"
    change = showable(_change(fix, edit, source)) if hints == "change" else ""
    return Hint(
        words=showable(f"{mistake} is in {place}.") + change,
        cases=fix.cases,
        lines=frozenset(lines),
        is_all=fix.is_all,
        place=showable(place) if fix.is_all else "",
        change=change,
    )


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
    helped = f"{'all' if fix.is_all else 'some'} wrong cases"
    return f" `{new}` in place of `{old}` makes {helped} right." if new else f" Without `{old}`, {helped} are right."


def _bare(text: str) -> str:
    return "".join(text.split())
