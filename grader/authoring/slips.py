"""Single slips in a model solution that do not concern its lesson, such as a missing barrier or a missing guard."""

from collections.abc import Iterator

from grader.authoring.avoiding import KERNEL, SampleKernel
from grader.course.assignment import Assignment
from grader.course.folders import MODEL_FILE
from grader.grading.source.outline import Outline
from grader.grading.source.reading import outline

BARRIERS = frozenset({"barrier", "work_group_barrier"})


def slips(assignment: Assignment) -> Iterator[SampleKernel]:
    """Yield copies of the model solution, each without one of its barriers or without one `if` that compares with a
    size, if the assignment counts these as slips.
    """
    source = assignment.source(MODEL_FILE)
    own = [launch.kernel for launch in assignment.student_launches]
    seen = outline(source, own)
    if seen is None:
        return
    others = set(KERNEL.findall(source)) - set(own)
    bodies = [range(*each.body) for each in seen.functions if each.name not in others]
    for number, token in enumerate(seen.code):
        if not any(number in body for body in bodies):
            continue
        after = seen.code[number + 1].text if number + 1 < len(seen.code) else ""
        if token.text in BARRIERS and after == "(" and "barrier" in assignment.slips:
            last = seen.pairs[number + 1] + 1
            yield SampleKernel(
                name=f"the model solution without the barrier in line {token.line}",
                source=_without(seen, number, last + (seen.code[last].text == ";"), ""),
            )
        elif token.text == "if" and after == "(" and "guard" in assignment.slips:
            first, last = number + 2, seen.pairs[number + 1]
            if any(each.text in assignment.sizes for each in seen.code[first:last]):
                yield SampleKernel(
                    name=f"the model solution without the guard in line {token.line}",
                    source=_without(seen, first, last, _always(seen, last)),
                )


def _always(seen: Outline, closing: int) -> str:
    """Return the condition that lets every work-item continue: false if the next statement returns, true otherwise."""
    following = [token.text for token in seen.code[closing + 1 : closing + 3]]
    return "0" if "return" in (following[:1] if following[:1] != ["{"] else following[1:]) else "1"


def _without(seen: Outline, first: int, last: int, instead: str) -> str:
    """Return the text with `instead` in place of these tokens. All lines keep their numbers."""
    begin, end = seen.code[first].start, seen.end(last - 1)
    breaks = "\n" * seen.text.count("\n", begin, end)
    return f"{seen.text[:begin]}{instead}{breaks}{seen.text[end:]}"
