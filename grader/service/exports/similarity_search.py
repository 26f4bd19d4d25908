"""Finds sources that are nearly the same, among all that count and those of earlier courses.

What the skeleton or allowed code gives to everybody is left out. Who shares an attempt is a group and hands in once.
"""

from collections.abc import Iterator

from grader.course.submissions.handin import Student
from grader.reports.html.pairs import PairLine, side_by_side
from grader.reports.html.similarity import Group, near_identical
from grader.results.gradebook import Grade, StudentRow
from grader.service.exports.gradebook import Desk
from grader.service.exports.similarity import (
    LinePair,
    LineSeen,
    PoolKind,
    Similar,
    SimilarGroup,
    SimilarPair,
    SimilarSource,
)

PAIRS_SHOWN = 20
"""Pairs that stand side by side."""

EARLIER = "earlier course: "


def similar(desk: Desk, assignment: str) -> Similar:
    """What is nearly the same at an assignment: small groups first, since everybody finds some solutions."""
    skeleton = "\n".join([desk.coursework[assignment].skeleton, *_allowed(desk, assignment)])
    rows = (*_own(desk), *_earlier(desk, assignment))
    publics = {each.row.student.label: each.public for each in desk.counting}
    texts = {row.student.label: row.grade.source for row in rows if row.grade is not None}
    groups = [each for each in near_identical(rows, skeleton) if any(label in publics for label in each.labels)]
    chosen = [pair for group in sorted(groups, key=lambda each: len(each.labels)) for pair in _pairs(group, publics)]
    return Similar(
        groups=tuple(
            SimilarGroup(
                sources=tuple(_source(each, publics) for each in group.labels), least=group.least, most=group.most
            )
            for group in groups
        ),
        pairs=tuple(_side_by_side(pair, texts, publics, skeleton) for pair in chosen[:PAIRS_SHOWN]),
    )


def _allowed(desk: Desk, assignment: str) -> Iterator[str]:
    return (text for _, text in desk.pool(assignment, PoolKind.ALLOWED))


def _own(desk: Desk) -> Iterator[StudentRow]:
    """One row for each attempt: the first by label of those who share it."""
    seen: set[str] = set()
    publics = {each.row.student.label: each.public for each in desk.counting}
    for row in desk.with_sources(desk.gradebook()).rows:
        public = publics.get(row.student.label)
        if public is not None and public not in seen:
            seen.add(public)
            yield row


def _earlier(desk: Desk, assignment: str) -> Iterator[StudentRow]:
    for number, (name, text) in enumerate(desk.pool(assignment, PoolKind.EARLIER), start=1):
        grade = Grade(
            points=0.0, max_points=0.0, checks=(), speeds={}, sha256=f"{EARLIER}{number}", source=text, seconds=0.0
        )
        student = Student(label=f"{EARLIER}{name} ({number})", name=name)
        yield StudentRow(student=student, assignment=assignment, grade=grade)


def _pairs(group: Group, publics: dict[str, str]) -> list[tuple[str, str]]:
    """Those in which somebody of this course is; where all that are nearest are of earlier ones, the first of each."""
    found = [pair for pair in group.pairs if any(label in publics for label in pair)]
    own = next(label for label in group.labels if label in publics)
    return found or [(own, next(label for label in group.labels if label != own))]


def _source(label: str, publics: dict[str, str]) -> SimilarSource:
    return SimilarSource(label=label, public=publics.get(label, ""))


def _side_by_side(pair: tuple[str, str], texts: dict[str, str], publics: dict[str, str], skeleton: str) -> SimilarPair:
    one, other = pair
    rows = side_by_side(texts[one], texts[other], skeleton)
    lines = tuple(LinePair(one=_seen(row.one), other=_seen(row.other), same=row.same) for row in rows)
    return SimilarPair(sources=(_source(one, publics), _source(other, publics)), lines=lines)


def _seen(line: PairLine | None) -> LineSeen | None:
    return None if line is None else LineSeen(number=line.number, text=line.text[:300])
