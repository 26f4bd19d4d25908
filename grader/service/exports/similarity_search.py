"""Finds identical and similar sources among all attempts that count and the sources of earlier courses. Code from the
skeleton and allowed code are ignored. Students who share an attempt appear only once.
"""

from collections.abc import Iterator

from grader.course.submissions.handin import Student
from grader.reports.html.similarity import Group, PairLine, identical, near_identical, side_by_side
from grader.results.gradebook import Grade, StudentRow
from grader.service.exports.gradebook import GradebookReader
from grader.service.exports.similarity import (
    LinePair,
    PoolKind,
    SimilarGroup,
    SimilarLine,
    SimilarPair,
    SimilarSource,
    SimilarSources,
)

PAIRS_SHOWN = 20
"""Maximum number of pairs that are shown side by side."""

EARLIER = "earlier course: "


def similar(reader: GradebookReader, assignment: str) -> SimilarSources:
    """Identical and similar sources of an assignment. Pairs from small groups come first because in a large group, many
    students have probably found the same simple solution.
    """
    allowed = (text for _, text in reader.pool(assignment, PoolKind.ALLOWED))
    skeleton = "\n".join([reader.coursework[assignment].skeleton, *allowed])
    rows = (*_own(reader), *_earlier(reader, assignment))
    publics = {each.row.student.label: each.public for each in reader.graded}
    texts = {row.student.label: row.grade.source for row in rows if row.grade is not None}
    groups = [each for each in near_identical(rows, skeleton) if any(label in publics for label in each.labels)]
    chosen = [pair for group in sorted(groups, key=lambda each: len(each.labels)) for pair in _pairs(group, publics)]
    return SimilarSources(
        identical=tuple(
            tuple(_source(labels[0], publics) for labels in hand_ins) for hand_ins in identical(reader.rows)
        ),
        groups=tuple(
            SimilarGroup(
                sources=tuple(_source(each, publics) for each in group.labels), least=group.least, most=group.most
            )
            for group in groups
        ),
        pairs=tuple(_side_by_side(pair, texts, publics, skeleton) for pair in chosen[:PAIRS_SHOWN]),
    )


def _own(reader: GradebookReader) -> Iterator[StudentRow]:
    """One row for each attempt, which is the row of the owner whose label comes first."""
    seen: set[str] = set()
    publics = {each.row.student.label: each.public for each in reader.graded}
    for row in reader.with_sources(reader.gradebook()).rows:
        public = publics.get(row.student.label)
        if public is not None and public not in seen:
            seen.add(public)
            yield row


def _earlier(reader: GradebookReader, assignment: str) -> Iterator[StudentRow]:
    for number, (name, text) in enumerate(reader.pool(assignment, PoolKind.EARLIER), start=1):
        grade = Grade(
            points=0.0, max_points=0.0, checks=(), speeds={}, sha256=f"{EARLIER}{number}", source=text, seconds=0.0
        )
        student = Student(label=f"{EARLIER}{name} ({number})", name=name)
        yield StudentRow(student=student, assignment=assignment, grade=grade)


def _pairs(group: Group, publics: dict[str, str]) -> list[tuple[str, str]]:
    """Pairs with at least one source of this course. If all pairs are from earlier courses, returns the pair of the
    first source of this course and the first other source.
    """
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


def _seen(line: PairLine | None) -> SimilarLine | None:
    return None if line is None else SimilarLine(number=line.number, text=line.text[:300])
