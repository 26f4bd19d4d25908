"""Finds the missing barriers that cause the data races in a kernel.

If a single barrier ends the only race of a kernel, its memory behaviour is counted with this barrier added. If the
barriers that the findings advise do not make the results right, another mistake causes the races.
"""

import dataclasses
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from grader.common.record import replace
from grader.course.criteria import Sizes
from grader.course.rubric import Sanitizer
from grader.grading.checks.compilation.building import Built
from grader.grading.checks.simulation.sanitizer_run import findings_of, runs_alone, simulate
from grader.grading.checks.simulation.simulated_run import Simulated, Subject
from grader.grading.explain.problem import Problem
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline
from grader.results.findings import AdvisedBarrier, Finding
from grader.results.verdicts import Reason

BARRIER = " barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"

PLACES = 8
"""Maximum number of places that are tried."""

SECONDS = 40.0
"""Time limit in seconds for all places together. A place takes 0.3 s, or up to 2 s if the simulator still finds many
races. All kernels of the corpus take far less than the limit, so a busy machine does not change points.
"""

APART = 2
"""Maximum distance between neighbouring lines of a race that belong to one group."""

OF_RACES = frozenset({Reason.DATA_RACE, Reason.UNINITIALISED})
"""Effects of a missing barrier: races, and reads of words that have not been written yet."""


@dataclass(frozen=True, kw_only=True)
class WithBarrier:
    """A program with a barrier added after this line."""

    built: Built
    line: int


def with_barrier(subject: Subject, asked: Sanitizer, found: Sequence[Finding]) -> WithBarrier | None:
    """Add one barrier so that the simulator has no findings at the sanitizer's sizes and the results are right.

    Returns None if the findings do not suggest a missing barrier, if no single barrier helps, or if the time limit is
    exceeded.
    """
    reasons = {each.reason for each in found}
    if Reason.DATA_RACE not in reasons or not reasons <= OF_RACES:
        return None
    seen = outline(subject.built.program.source, [each.name for each in subject.built.bindings.values()])
    if seen is None:
        return None
    ends = time.monotonic() + SECONDS
    for place in _places(seen, _ends([each for each in found if each.reason is Reason.DATA_RACE])):
        left = ends - time.monotonic()
        if left <= 0:
            return None
        mended = _mended(subject.built, seen, [place])
        with subject.worker.timeouts.hurried(max(1.0, left)):
            if _is_clean(dataclasses.replace(subject, built=mended), asked):
                return WithBarrier(built=mended, line=seen.code[place.after].line)
    return None


DESPITE_BARRIERS = frozenset({Reason.DATA_RACE, Reason.BARRIER_DIVERGENCE})
"""Findings that show that barriers are not the correction: a race remains, or not all work-items reach a barrier."""

ROUNDS = 3
"""Maximum number of times that barriers are added. After a race has ended, the simulator may see another one."""


class Barriers(Enum):
    """Effect of the barriers that findings advise, in the simulator."""

    ENOUGH = "the races end, and the results become right"
    RACES_REMAIN = "races remain, or not all work-items reach a barrier"
    STILL_WRONG = "the races end, but the results stay wrong, so there is another mistake"
    UNKNOWN = "none are advised, or only other findings remain"


def advised_barriers(subject: Subject, sizes: Sizes, found: Sequence[Finding]) -> Barriers:
    """Add the barriers that the findings advise, and run the submission at these sizes. New findings may advise further
    barriers.
    """
    seen = outline(subject.built.program.source, [each.name for each in subject.built.bindings.values()])
    added: list[Insertion] = []
    for _ in range(ROUNDS):
        if seen is None:
            break
        places = (_advised(seen, each.barrier) for each in found if each.barrier)
        new = [*dict.fromkeys(place for place in places if place is not None and place not in added)]
        if not new:
            return (
                Barriers.RACES_REMAIN
                if added and DESPITE_BARRIERS & {each.reason for each in found}
                else Barriers.UNKNOWN
            )
        added += new
        with subject.worker.timeouts.hurried(SECONDS / ROUNDS):
            ran = simulate(dataclasses.replace(subject, built=_mended(subject.built, seen, added)), sizes)
        if isinstance(ran, Problem):
            break
        found = findings_of(ran)
        if not found:
            return Barriers.ENOUGH if ran.problem is None else Barriers.STILL_WRONG
    return Barriers.UNKNOWN


def _is_clean(subject: Subject, asked: Sanitizer) -> bool:
    whole = simulate(subject, asked.sizes)
    return _is_right(whole) and all(_is_right(ran) for _, ran in runs_alone(subject, asked))


def _is_right(ran: Simulated | Problem) -> bool:
    return not isinstance(ran, Problem) and ran.problem is None and not findings_of(ran)


@dataclass(frozen=True, kw_only=True)
class Insertion:
    """A place for a barrier, after a token. `body` is the first token of a loop body that then needs braces, if there
    is one.
    """

    after: int
    body: int | None = None


def _advised(seen: Outline, barrier: AdvisedBarrier) -> Insertion | None:
    """The place that a finding advises for a barrier. It is in a loop without braces only if the advice says so."""
    places = _places(seen, [barrier.line])
    return next((each for each in places if (each.body is not None) is barrier.needs_braces), None)


def _mended(built: Built, seen: Outline, places: Sequence[Insertion]) -> Built:
    """The program with barriers at these places. Its line numbers do not change."""
    texts = [(_end(seen, place), f"{BARRIER} }}" if place.body is not None else BARRIER) for place in places]
    texts += [(seen.code[place.body].start, "{ ") for place in places if place.body is not None]
    source = seen.text
    for start, text in sorted(texts, reverse=True):
        source = f"{source[:start]}{text}{source[start:]}"
    return dataclasses.replace(built, program=replace(built.program, source=source))


def _end(seen: Outline, place: Insertion) -> int:
    """The position of a barrier in the text. It is in the next line if it can be, so that the barrier lies between two
    accesses of which the first is in the line of the place.
    """
    end = seen.end(place.after)
    rest, line_end, following = seen.text[end:].partition("\n")
    is_free = line_end and not rest.strip() and not following.partition("\n")[0].lstrip().startswith("#")
    return end + len(rest) + 1 if is_free else end


def _ends(races: Sequence[Finding]) -> tuple[int, ...]:
    """The lines after which a barrier may be missing, the most likely first. These are the lines that the findings
    advise, the first lines of the races, and their last lines, where a loop jumps back to the first lines.
    """
    advised = [each.barrier.line for each in races if each.barrier]
    return *advised, *_ends_of_groups(sorted({line for each in races for line in each.lines}))


def _places(seen: Outline, ends: Sequence[int]) -> list[Insertion]:
    """Places where a barrier may be missing, the nearest to these lines first."""

    def distance(place: Insertion) -> int:
        line = seen.code[place.after].line
        return min((line - end if line >= end else 2 * (end - line) + 1 for end in ends), default=0)

    bodies = [range(*each.body) for each in seen.functions]
    places = [*_ends_of_single_statements(seen), *(Insertion(after=number) for number in _ends_of_statements(seen))]
    return sorted((each for each in places if any(each.after in body for body in bodies)), key=distance)[:PLACES]


def _ends_of_single_statements(seen: Outline) -> Iterator[Insertion]:
    """Places at the end of loops whose body is one statement without braces."""
    for number, token in enumerate(seen.code[:-1]):
        if token.text in {"for", "while"} and seen.code[number + 1].text == "(":
            body = seen.pairs[number + 1] + 1
            end = _end_of_statement(seen, body)
            if end is not None and seen.code[body].text not in {"{", ";"}:
                yield Insertion(after=end, body=body)


def _end_of_statement(seen: Outline, first: int) -> int | None:
    """Number of the last token of the statement that begins at token `first`; None if the text ends before that."""
    number = first
    while number + 1 < len(seen.code):
        is_end = seen.code[number].text in {";", "{"}
        number = seen.pairs.get(number, number)
        if is_end and seen.code[number + 1].text != "else":
            return number
        number += 2 if is_end else 1
    return None


def _ends_of_groups(lines: Sequence[int]) -> tuple[int, ...]:
    """The last line of each group of lines that are at most APART lines apart; empty if there are no lines."""
    last = lines[-1:]
    return (*(line for line, after in pairwise(lines) if after - line > APART), *last)


def _ends_of_statements(seen: Outline) -> Iterator[int]:
    """Token numbers of semicolons within braces, and of braces that open or close a block. Tokens before an `else` or a
    `while` are left out because these may continue the statement.
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
