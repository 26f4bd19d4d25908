"""checks/memory.py: extra work in a kernel never improves a measure that its assignment limits."""

import random
import re
from dataclasses import dataclass

import pytest
from golden import CORPUS, expectation, read
from project import ASSIGNMENTS
from simulator import subject_of

from grader.course.submissions.submission import read_submission
from grader.grading.checks.memory import TOLERANCE, usable
from grader.grading.checks.memory_behaviour.measures import MEASURES
from grader.grading.checks.simulation.counts import count_memory, memory_run
from grader.protocol.messages import Simulation
from grader.results.metrics import Profile

RETRIES = "cmpxchg"
"""Word in kernels that repeat a compare-and-swap. How often one fails depends on the order of work-items, which extra
work changes.
"""

RIGHT = [
    folder
    for folder in CORPUS
    if expectation(folder).is_right and RETRIES not in (folder / "kernels.cl").read_text(encoding="utf-8")
]

COPIES = 3
"""Copies, with different extra work, of the submission that `make test` tries. The others have one copy each."""

LOCAL_WORDS = 256
"""Length of the added array in local memory. No work-group in the course has more work-items."""

WORK = (
    "for (int useless = 0; useless < {many}; useless++) ;",
    "for (int useless = 0; useless < {many}; useless++) if (useless % 2) sunk++;",
    "for (int useless = 0; useless < {few}; useless++) sunk += {array}[(idle + useless) % 8] == 3;",
    "for (int useless = 0; useless < {few}; useless++) {{ idler[idle] = useless; sunk += idler[idle]; }}",
    "if (idle % {few} == 0) sunk++;",
    "for (int useless = 0; useless < idle % {few}; useless++) sunk++;",
    "switch (idle % {few}) {{ case 0: sunk++; break; default: sunk--; }}",
)
"""Statements that do not change the result. `idle` is the number of the work-item in its group, and `sunk` is an added
variable.
"""

WHO = ("", "", "if (idle < {few}) ", "if (idle % 8 == 0) ", "if (get_group_id(0) == 0) ", "if (idle == 0) ")
"""Conditions that select the work-items that run a statement."""


NUMBERS = re.compile(
    r"\b(?:real|float|double|u?char|u?short|u?int|uint32_t|u?long)\s*\*\s*(?:(?:restrict|const)\s+)*(\w+)"
)
"""A kernel's argument that is an array of numbers."""


@dataclass(frozen=True, kw_only=True)
class Body:
    """Start and end of a kernel's body between its braces, and the name of the first argument that is an array of
    numbers. The name is None if there is no such argument.
    """

    start: int
    end: int
    array: str | None


def bodies(source, kernels):
    """Yield the bodies of these kernels. Names that do not occur in the text are skipped, because an assignment accepts
    several names.
    """
    code = re.sub(r"//[^\n]*|/\*.*?\*/", lambda comment: " " * len(comment[0]), source, flags=re.DOTALL)
    for kernel in kernels:
        head = re.search(rf"\b{kernel}\s*\(([^)]*)\)\s*\{{", code)
        if head is None:
            continue
        depth, end = 1, head.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        array = NUMBERS.search(head[1])
        yield Body(start=head.end(), end=end - 1, array=array and array[1])


def useless(array, dice):
    """Yield one to three useless statements, each on its own line. They do not use an array if `array` is None."""
    for _ in range(dice.randint(1, 3)):
        piece = dice.choice(WHO) + dice.choice([each for each in WORK if array or "{array}" not in each])
        yield piece.format(many=dice.choice([3, 40, 300]), few=dice.choice([2, 5, 17]), array=array)


def with_work(source, kernels, dice):
    """Return the text with useless work added at the start and the end of each kernel. Only work at the end reads the
    array: a word that a work-item has just read is not counted again, so a useless read at the start would replace one
    of the kernel's own.
    """
    found = sorted(bodies(source, kernels), key=lambda each: -each.start)
    assert found
    for body in found:
        before, after = ("\n".join(useless(array, dice)) for array in (None, body.array))
        head = (
            f"\n__local int idler[{LOCAL_WORDS}];\n"
            "const int idle = get_local_id(0) + get_local_size(0) * get_local_id(1); int sunk = 0;\n"
        )
        inner = source[body.start : body.end]
        source = f"{source[: body.start]}{head}{before}\n{inner}\n{after}\n{source[body.end :]}"
    return source


def measured(worker, assignment, source):
    """Return the memory measures that the assignment limits. The simulator must be able to count them."""
    found = usable(count_memory(memory_run(subject_of(worker, assignment, source), assignment.memory), Simulation()))
    assert isinstance(found, Profile), found
    return {check.measure: MEASURES[check.measure](found).value for check in assignment.memory.checks}


def improved(worker, assignment, source, copies):
    """Yield each measure that improves in a copy with extra work: its name, both values and the copy's text."""
    kernels = {*(launch.kernel for launch in assignment.student_launches), *assignment.aliases}
    alone = measured(worker, assignment, source)
    for seed in range(copies):
        text = with_work(source, kernels, random.Random(f"{seed} {source}"))
        more = measured(worker, assignment, text)
        yield from ((name, alone[name], more[name], text) for name in alone if more[name] < alone[name] - TOLERANCE)


def better(course, worker, folder, copies):
    assignment = read(folder).subject(course.load(folder.parent.name))
    return list(improved(worker, assignment, read_submission(folder).source, copies))


def test_useless_work_improves_no_measure_of_a_right_kernel(course, simulator):
    """Useless loops, loads, local memory and branches, in all or some work-items, do not improve any measure of a
    correct kernel.
    """
    (folder,) = (each for each in RIGHT if f"{each.parent.name}/{each.name}" == "reduction/course-style")
    assert better(course, simulator, folder, COPIES) == []


@pytest.mark.whole
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_useless_work_improves_no_measure_of_any_right_kernel(course, simulator, name):
    """Useless work improves no measure that an assignment limits, in any correct submission of the corpus."""
    for folder in RIGHT:
        if folder.parent.name == name:
            assert better(course, simulator, folder, copies=1) == [], folder.name
