"""`grader export kit`: packs the files that students install, without model solutions, hidden checks and golden
submissions.

    README.md  grader                        how to begin; the command, which sets itself up and finds the course
    grader-VERSION.whl                       this grader, with its plugin for the simulator
    course/kit.yaml  course/constraints.txt  the mark of a kit, with the omissions; the versions of packages
    course/student_template/                 files that `init` gives to students, also to grade in GitLab and GitHub
    course/docs/                             the page that explains reports; handouts link to it
    course/assignments/  course/reference/   the assignments, with their oracles and naive kernels

Each assignment.yaml is written without hidden checks and without comments, which are instructors' notes.
"""

import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml

from grader.authoring.scaffold import KIT_PLACEHOLDER, TEMPLATE_FILES
from grader.common.errors import InputError
from grader.common.files import read_bytes
from grader.common.record import replace
from grader.course.assignment import Assignment
from grader.course.computation import PROGRAMS
from grader.course.folders import BASELINE_FILE, KIT_FILE, NOT_IN_THE_FILE, ORACLE_FILE, Kit
from grader.course.policies.rules import POLICIES
from grader.course.rubric import Rubric, SpeedGoals
from grader.course.submissions.submission import FILE_NAME
from grader.course.suite import Coursework
from grader.execution.assignment_plans import baseline_is_comparable
from grader.lms.bundle import own_wheel

TEMPLATE = Path(__file__).parent / "templates" / "kit"
COMMAND, IGNORED = "grader", ".gitignore"
PLACEHOLDER, LIST_PLACEHOLDER = b"@ASSIGNMENT@", b"@ASSIGNMENTS@"

ADDRESS = re.compile(r"[\w.:/@~+-]+")
"""Matches an address that is safe in a shell script and in YAML."""

MADE = "# Made by `grader export kit` from the course's own file.\n"


def student_kit(
    courseworks: Sequence[Coursework], template: Path, guide: Path, constraints: Path, address: str
) -> dict[str, bytes]:
    """Return the files of a kit by name. `template` is the folder with which students start, and `guide` is the page
    that explains reports.

    Pipelines clone the kit from `address`; it is empty if students fill it in. Raises InputError for an assignment in
    which nothing would be shown.
    """
    if address and not ADDRESS.fullmatch(address):
        raise InputError(f"a pipeline cannot clone from {address!r}: give an address such as https://...")
    wheel, content = own_wheel()
    left_out = {part.called: hidden_points(part) for each in courseworks for part in each.parts}
    kit = Kit(grader=version("grader"), hidden={name: points for name, points in left_out.items() if points})
    names = "\n".join(f"- `{each.name}`: {each.title}" for each in courseworks)
    readme = read_bytes(TEMPLATE / "README.md").replace(LIST_PLACEHOLDER, names.encode())
    starters = {name: read_bytes(template / name) for name in TEMPLATE_FILES}
    return {
        "README.md": readme.replace(PLACEHOLDER, courseworks[0].name.encode()),
        COMMAND: read_bytes(TEMPLATE / COMMAND),
        IGNORED: read_bytes(TEMPLATE / IGNORED),
        wheel: content,
        f"course/{KIT_FILE}": _yaml(kit.model_dump(exclude_defaults=True)),
        "course/constraints.txt": read_bytes(constraints),
        f"course/docs/{guide.name}": read_bytes(guide),
        **{
            f"course/student_template/{name}": data.replace(KIT_PLACEHOLDER.encode(), address.encode())
            for name, data in starters.items()
        },
        **{f"course/{name}": data for each in courseworks for name, data in _files_of(each)},
    }


def _files_of(coursework: Coursework) -> Iterable[tuple[str, bytes]]:
    public, reference = f"assignments/{coursework.name}", f"reference/{coursework.name}"
    yield f"{public}/assignment.yaml", _yaml(_fields(coursework))
    for name in (FILE_NAME, "README.md"):
        yield f"{public}/{name}", read_bytes(coursework.folder / name)
    for name in (BASELINE_FILE, ORACLE_FILE):
        yield f"{reference}/{name}", read_bytes(coursework.reference / name)


def _fields(coursework: Coursework) -> dict[str, Any]:
    """Return the fields of assignment.yaml. Each part of a suite has all of them."""
    whole = coursework.model_dump(include={"title", "order"}, exclude_none=True)
    if isinstance(coursework, Assignment):
        return {**whole, **_dumped(shown(coursework))}
    return {**whole, "parts": [_dumped(shown(part)) for part in coursework.parts]}


def _dumped(assignment: Assignment) -> dict[str, Any]:
    """Return the fields without dates, because dates get extended, and a kit does not use them for any decision."""
    fields = assignment.model_dump(
        mode="json", by_alias=True, exclude_defaults=True, exclude={*NOT_IN_THE_FILE, *POLICIES, "title", "order"}
    )
    sections = {name: fields.pop(name) for name in Rubric.model_fields if name in fields}
    for program, launches in PROGRAMS.items():
        if program in fields:
            del fields[launches]  # because a file that states a program may not state its launches, too
    return {**fields, **sections}  # the program comes before its checks


def _yaml(fields: dict[str, Any]) -> bytes:
    text = yaml.safe_dump(fields, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)
    return f"{MADE}{text}".encode()


# --- hidden checks ----------------------------------------------------------------------------


def shown(assignment: Assignment) -> Assignment:
    """Return the assignment as students may see it, without hidden checks. The points of the other checks do not
    change.
    """
    timed = replace(assignment, performance=assignment.performance and _timed(assignment, assignment.performance))
    return timed.with_sections(lambda section: section.without_hidden())


def _timed(assignment: Assignment, asked: SpeedGoals) -> SpeedGoals:
    """Return the speed goals of a kit. On a GPU, results are compared with the baseline's instead of the model
    solution's. If the baseline computes other results than the student's kernels, the oracle must judge, on data as
    small as a CPU's.
    """
    cpu, gpu = asked.classes.get("cpu"), asked.classes.get("gpu")
    if gpu is None or cpu is None or asked.verifier == "oracle" or baseline_is_comparable(assignment):
        return asked
    classes = {**asked.classes, "gpu": gpu.undecided(cpu.sizes)}
    return replace(asked, classes=classes, verifier="oracle")


def hidden_points(assignment: Assignment) -> dict[str, float]:
    """Return the points of the checks that a kit leaves out, by kind. Empty if no check is hidden."""
    return {str(section.kinds[0]): section.hidden_points for section in assignment.sections if section.hidden_points}
