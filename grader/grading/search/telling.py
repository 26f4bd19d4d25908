"""Words for a mistake whose place was found: as much as the instructor wants students to be told, and never more."""

from collections.abc import Sequence
from dataclasses import dataclass

from grader.common.record import replace
from grader.course.rubric import Hints
from grader.grading.search.sites import Edit
from grader.grading.source.outline import Outline
from grader.protocol.text import showable
from grader.results.result import Check

LONGEST = 100
"""Characters of code in a sentence."""


@dataclass(frozen=True, kw_only=True)
class Mended:
    """Edits of one line that mend these cases; `is_all` if no case stays wrong."""

    outline: Outline
    edits: Sequence[Edit]
    cases: frozenset[str]
    is_all: bool


@dataclass(frozen=True, kw_only=True)
class Hint:
    """Words that go before the message of the checks of some cases."""

    words: str
    cases: frozenset[str]

    def told(self, check: Check) -> Check:
        """The check of one of these cases with the hint before its message; any other as it is."""
        if check.label not in self.cases:
            return check
        return replace(check, message=f"{self.words}: {check.message}")


def hint(mended: Mended, source: str, hints: Hints) -> Hint | None:
    """What students are told; `source` is their text, of which alone code is quoted."""
    if hints == "none":
        return None
    edit = mended.edits[0]
    where = "is where it goes wrong" if mended.is_all else "is one place where it goes wrong"
    words = f"line {edit.line} {where}"
    if hints != "line" and len({each.part for each in mended.edits}) == 1:
        words += f", in {edit.part}"
    if hints == "change":
        words += _change(mended, edit, source)
    return Hint(words=showable(words), cases=mended.cases)


def _change(mended: Mended, edit: Edit, source: str) -> str:
    """What helps, if the expression stands in the student's text as it was compiled, without macros."""
    outline, (first, last) = mended.outline, edit.span
    old = outline.between(first, last)
    new = " ".join(f"{outline.between(first, edit.first)} {edit.text} {outline.between(edit.last, last)}".split())
    line = source.split("\n")[edit.line - 1]
    if _bare(old) not in _bare(line) or len(old) + len(new) > LONGEST:
        return ""
    helps = f"`{new}` in place of `{old}`" if new else f"leaving `{old}` out"
    return f" ({helps} would mend {'all' if mended.is_all else 'some'} of the wrong cases)"


def _bare(text: str) -> str:
    return "".join(text.split())
