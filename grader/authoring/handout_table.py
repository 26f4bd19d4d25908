"""Compares tables in a handout with the rubric. A table is compared if it has the columns `check` and `points`.

The first word of a row shows if it is about the build, correctness, the sanitizer, a memory check or speed. Other rows
are not compared, nor are numbers written in words, such as "4 million".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.common.phrases import listed, sizes_in_words
from grader.course.assignment import Assignment
from grader.course.criteria import MemoryCheck, SpeedGoal
from grader.course.expressions import evaluate
from grader.course.rubric import Correctness, Memory, Sanitizer
from grader.course.suite import Coursework

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
IN_WORDS = re.compile(r"\^|\*\*|\d[ _']\d{3}\b|\d ?(?:[kKMG]i?|thousand|million|billion)\b")
"""Numbers in forms that are not compared, such as 2^20, 1 000 000 and 4 million."""
EACH = re.compile(r"(\d+(?:\.\d+)?) each\b")
CASES = re.compile(r"(\d+) cases\b")
FULL_SHARE = re.compile(r"(\d+(?:\.\d+)?) % of the model solution's speed")
LOWER_SHARE = re.compile(r"(\d+(?:\.\d+)?) % for (\d+(?:\.\d+)?) points")
LIMIT = re.compile(rf"(?:at most|=) ({NUMBER.pattern})")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A fact as a line of a file states it, and as assignment.yaml states it. Both phrases begin with a verb."""

    file: str
    line: int
    says: str
    asked: str
    agrees: bool


@dataclass(frozen=True, kw_only=True)
class HandoutPage:
    """Text of the handout or of the skeleton."""

    file: str
    text: str

    def fact(self, line: int, *, says: str, asked: str, agrees: bool) -> Fact:
        """Return a fact that is stated in this line."""
        return Fact(file=self.file, line=line, says=says, asked=asked, agrees=agrees)

    def line_of(self, place: int) -> int:
        """Return the number of the line that contains this position in the text."""
        return 1 + self.text.count("\n", 0, place)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of a table. `kernels` is empty if the row applies to every kernel of the assignment."""

    page: HandoutPage
    line: int
    kernels: frozenset[str]
    check: str
    goal: str
    points: str

    def fact(self, *, says: str, asked: str, agrees: bool) -> Fact:
        """Return a fact that is stated in this row."""
        return self.page.fact(self.line, says=f'says "{self.check}": {says}', asked=asked, agrees=agrees)


def facts_of_tables(page: HandoutPage, coursework: Coursework) -> Iterator[Fact]:
    """Yield the facts in all rows about checks."""
    rows = tuple(_rows(page))
    kernels = {part.kernel for part in coursework.parts}
    for row in rows:
        for name in sorted(row.kernels - kernels):
            asked = f"has checks of {listed(sorted(kernels), 'and')}"
            yield row.fact(says=f"a check of {name}", asked=asked, agrees=False)
    for part in coursework.parts:
        own = [row for row in rows if not row.kernels or part.kernel in row.kernels]
        for row in own:
            yield from _row(row, part)
        yield from _absent(own, part)


def _rows(page: HandoutPage) -> Iterator[Row]:
    """Yield the rows of all tables that have both columns."""
    head: list[str] = []
    for line, text in enumerate(page.text.splitlines(), start=1):
        if not text.startswith("|"):
            head = []
            continue
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        if not head:
            head = [cell.lower() for cell in cells]
        elif {"check", "points"} <= set(head) and len(cells) == len(head) and set("".join(cells)) - set(" :-"):
            column = head.index("check")
            yield Row(
                page=page,
                line=line,
                kernels=frozenset(re.findall(r"`(\w+)`", cells[head.index("kernel")] if "kernel" in head else "")),
                check=cells[column].strip("`* "),
                goal=cells[column + 1] if column + 1 < len(cells) else "",
                points=cells[head.index("points")],
            )


def _row(row: Row, part: Assignment) -> Iterator[Fact]:
    """Yield the facts in a row that concern this part of the assignment."""
    words = re.findall(r"\w+", row.check)
    memory, speed = part.memory, part.performance
    match words[0].lower() if words else "":
        case "correctness":
            yield from _correctness(row, part.correctness)
        case "sanitizer" | "sanitiser" if part.sanitizer is not None:
            yield from _sanitizer(row, part.sanitizer)
        case "memory" if memory is not None:
            yield from _memory(row, part, memory)
        case "speed" | "performance" if speed is not None:
            for kind, goal in speed.classes.items():
                if kind.upper() in words:
                    yield from _speed(row, part, goal)


def _correctness(row: Row, asked: Correctness) -> Iterator[Fact]:
    yield from _points(row, asked.points)
    shares = dict.fromkeys(asked.points_of(case) for case in asked.cases if not case.practice)
    for share in EACH.findall(row.points):
        yield row.fact(
            says=f"{share} points each",
            asked=f"gives {listed([f'{each:g}' for each in shares], 'or')}",
            agrees=any(f"{each:g}" == f"{float(share):g}" for each in shares),
        )
    counts = {len(asked.cases), len(asked.shown), sum(not case.practice for case in asked.cases)}
    counts |= {sum(not case.practice for case in asked.shown), sum(bool(case.alone) for case in asked.cases)}
    counts.add(sum(not case.alone for case in asked.cases))
    counts.discard(0)
    for stated in CASES.findall(row.goal):
        yield row.fact(says=f"{stated} cases", asked=f"has {len(asked.cases)}", agrees=int(stated) in counts)
    rest = CASES.sub("", row.goal)
    sizes = {float(size) for case in asked.cases for size in case.sizes.values()}
    found = numbers(rest)
    if found:
        agrees = found <= sizes or max(sizes) in found
        yield row.fact(says=row.goal, asked=f"has cases up to {max(sizes):,.10g}", agrees=agrees)


def _sanitizer(row: Row, asked: Sanitizer) -> Iterator[Fact]:
    yield from _points(row, asked.points)
    yield from _sizes(row, row.goal, asked.sizes)


def _memory(row: Row, part: Assignment, asked: Memory) -> Iterator[Fact]:
    """Yield facts about the memory check in this row: its points, its limit and the sizes of its run."""
    check = _named(row, asked)
    title = row.check.partition(": ")[2]
    if check is None:
        if title and not numbers(title):
            known = listed([f'"{each.name}"' for each in asked.checks], "and")
            yield row.fact(says="a memory check", asked=f"has only {known}", agrees=False)
        return
    yield from _points(row, check.points)
    if title != check.name:
        yield from _sizes(row, "", asked.sizes)
    limit = float(evaluate(check.at_most, part.names(asked.sizes)))
    stated = {float(each.replace(",", "")) for each in LIMIT.findall(row.goal)}
    if stated:
        fits = any(abs(each - right) <= 1e-6 * right for each in stated for right in (limit, 100 * (limit - 1)))
        yield row.fact(
            says=row.goal, asked=f"allows at most {limit:,.6g} at {sizes_in_words(asked.sizes)}", agrees=fits
        )


def _named(row: Row, asked: Memory) -> MemoryCheck | None:
    """Return the memory check whose name follows "memory:" in the row or begins its next cell."""
    title = row.check.partition(": ")[2]
    named = [each for each in asked.checks if title == each.name]
    named += [each for each in asked.checks if row.goal.startswith(each.name)]
    return named[0] if named else None


def _speed(row: Row, part: Assignment, asked: SpeedGoal) -> Iterator[Fact]:
    yield from _points(row, asked.points)
    full, *lower = asked.bands
    for share in FULL_SHARE.findall(row.goal):
        wanted = f"{100 * full.fraction:.3g}"
        yield row.fact(
            says=f"{share} % of the model solution's speed", asked=f"asks for {wanted} %", agrees=_equal(share, wanted)
        )
    for share, points in LOWER_SHARE.findall(row.goal):
        agrees = any(_equal(share, f"{100 * b.fraction:.3g}") and _equal(points, f"{b.points:g}") for b in lower)
        wanted = listed([f"{100 * band.fraction:.3g} % for {band.points:g} points" for band in lower or [full]], "and")
        yield row.fact(says=f"{share} % for {points} points", asked=f"asks for {wanted}", agrees=agrees)
    rest = LOWER_SHARE.sub("", FULL_SHARE.sub("", row.goal))
    fixed = {name: value for name, value in asked.constants.items() if name not in part.choices.constants}
    yield from _sizes(row, rest, {**fixed, **asked.sizes})


def _points(row: Row, asked: float) -> Iterator[Fact]:
    stated = numbers(EACH.sub("", row.points))
    if stated:
        yield row.fact(says=f"{row.points} points", asked=f"gives {asked:g}", agrees=asked in stated)


def _sizes(row: Row, goal: str, asked: Mapping[str, str | int]) -> Iterator[Fact]:
    """Yield a fact if the goal, or otherwise the first cell of the row, contains numbers. It disagrees if a size is
    missing and another number appears in its place.
    """
    stated = numbers(goal) or numbers(row.check)
    wanted = {float(value) for value in asked.values() if str(value).isdigit()}
    if stated:
        says = goal.strip(" ,;") if numbers(goal) else "other sizes"
        agrees = stated <= wanted or wanted <= stated
        yield row.fact(says=says, asked=f"has {sizes_in_words(asked)}", agrees=agrees)


def _absent(rows: Sequence[Row], part: Assignment) -> Iterator[Fact]:
    """Yield a fact for each visible memory check that has no row, if other memory checks have rows."""
    if part.memory is None:
        return
    named = {row: check.name for row in rows if row.check.startswith("memory") and (check := _named(row, part.memory))}
    for check in part.memory.checks if named else ():
        if not check.hidden and check.name not in named.values():
            last = list(named)[-1]
            wanted = f'gives {check.points:g} points for "memory: {check.name}"'
            yield last.page.fact(last.line, says="has no row for a memory check", asked=wanted, agrees=False)


def _equal(stated: str, wanted: str) -> bool:
    return float(stated) == float(wanted)


def numbers(text: str) -> set[float]:
    """Return all numbers in a text. Empty if one of them has a form that is not compared."""
    return set() if IN_WORDS.search(text) else {float(each.replace(",", "")) for each in NUMBER.findall(text)}
