"""Finds the one barrier without which a kernel has a data race.

The memory behaviour of a kernel whose only mistake is that race is counted with the barrier in its place.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from grader.common.record import replace
from grader.course.rubric import Sanitizer
from grader.grading.checks.building import Built
from grader.grading.checks.sanitizer import NUMBER, findings_of
from grader.grading.checks.simulated_run import Subject, simulate
from grader.grading.explain.problem import Problem
from grader.grading.explain.simulator.races import NO_BARRIER
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline
from grader.results.result import Finding, Reason, lines_named

BARRIER = " barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"

PLACES = 8
"""Places that are tried."""

SECONDS = 40.0
"""Limit for all of them together. It is far from what any kernel of the corpus takes, so that a busy machine changes no
points: one place takes 0.3 s, or up to 2 s if the simulator still sees many races.
"""

APART = 2
"""Lines of a race that are further apart belong to different groups."""

OF_RACES = frozenset({Reason.DATA_RACE, Reason.UNINITIALISED})
"""What a missing barrier leads to: races, and reads of words that are not yet written."""


@dataclass(frozen=True, kw_only=True)
class WithBarrier:
    """The program with a barrier after this line."""

    built: Built
    line: int


def with_barrier(subject: Subject, asked: Sanitizer, found: Sequence[Finding]) -> WithBarrier | None:
    """The program with one barrier more, with which the simulator sees nothing wrong at the sanitizer's sizes.

    None if the findings are not those of a missing barrier, if no single barrier helps, or if there is no time left.
    """
    reasons = {each.reason for each in found}
    if Reason.DATA_RACE not in reasons or not reasons <= OF_RACES:
        return None
    seen = outline(subject.built.program.source, [each.name for each in subject.built.bindings.values()])
    if seen is None:
        return None
    ends = time.monotonic() + SECONDS
    for place in _places(seen, [each for each in found if each.reason is Reason.DATA_RACE]):
        left = ends - time.monotonic()
        if left <= 0:
            return None
        mended = _mended(subject.built, seen, place)
        with subject.worker.hurried(max(1.0, left)):
            if _is_clean(replace(subject, built=mended), asked):
                return WithBarrier(built=mended, line=seen.code[place.after].line)
    return None


def _is_clean(subject: Subject, asked: Sanitizer) -> bool:
    ran = simulate(subject, asked.sizes, NUMBER)
    return not isinstance(ran, Problem) and ran.problem is None and not findings_of(ran)


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place for a barrier: after a token. `body` is the first token of a loop's body that needs braces for it."""

    after: int
    body: int | None = None


def _mended(built: Built, seen: Outline, place: Place) -> Built:
    """The program with a barrier in this place. Its lines stay where they are."""
    end = seen.end(place.after)
    source = f"{seen.text[:end]}{BARRIER}{seen.text[end:]}"
    if place.body is not None:
        start = seen.code[place.body].start
        source = f"{seen.text[:start]}{{ {seen.text[start:end]}{BARRIER} }}{seen.text[end:]}"
    return replace(built, program=replace(built.program, source=source))


def _places(seen: Outline, races: Sequence[Finding]) -> list[Place]:
    """Places where a barrier may be missing, the likeliest first: right after the lines that the findings advise, after
    the first lines of the races, or after their last ones, where a loop goes back to the first.
    """
    advised = [line for each in races if each.cause.startswith(NO_BARRIER) for line in lines_named(each.cause)]
    ends = *advised, *_ends_of_groups(sorted({line for each in races for line in each.lines}))

    def distance(place: Place) -> int:
        line = seen.code[place.after].line
        return min((line - end if line >= end else 2 * (end - line) + 1 for end in ends), default=0)

    bodies = [range(*each.body) for each in seen.functions]
    places = [*_ends_of_single_statements(seen), *(Place(after=number) for number in _ends_of_statements(seen))]
    return sorted((each for each in places if any(each.after in body for body in bodies)), key=distance)[:PLACES]


def _ends_of_single_statements(seen: Outline) -> Iterator[Place]:
    """Ends of loops whose body is one statement without braces."""
    for number, token in enumerate(seen.code[:-1]):
        if token.text in {"for", "while"} and seen.code[number + 1].text == "(":
            body = seen.pairs[number + 1] + 1
            end = _end_of_statement(seen, body)
            if end is not None and seen.code[body].text not in {"{", ";"}:
                yield Place(after=end, body=body)


def _end_of_statement(seen: Outline, first: int) -> int | None:
    """The last token of the statement that begins here; None if the text ends before it."""
    number = first
    while number + 1 < len(seen.code):
        is_end = seen.code[number].text in {";", "{"}
        number = seen.pairs.get(number, number)
        if is_end and seen.code[number + 1].text != "else":
            return number
        number += 2 if is_end else 1
    return None


def _ends_of_groups(lines: Sequence[int]) -> tuple[int, ...]:
    """The last line of each group; none if the race is known by no line."""
    last = lines[-1:]
    return (*(line for line, after in pairwise(lines) if after - line > APART), *last)


def _ends_of_statements(seen: Outline) -> Iterator[int]:
    """Semicolons in braces, and braces that open or close a block there. None before an `else` or a `while`, which may
    belong to the statement.
    """
    opened: list[str] = []
    for number, token in enumerate(seen.code):
        if token.text in {"(", "[", "{"}:
            opened.append(token.text)
        elif token.text in {")", "]", "}"}:
            opened.pop()
        begins = token.text == "{" and seen.code[number - 1].text in {")", "else", "do"}
        ends = token.text in {";", "}"} and opened[-1:] == ["{"]
        if begins or (ends and seen.code[number + 1].text not in {"else", "while", ";", ","}):
            yield number
