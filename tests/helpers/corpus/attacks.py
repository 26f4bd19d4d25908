"""The attack corpus, and observations of the gradings of its submissions.

    tests/submissions/hostile/NAME/  kernels.cl   expected.yaml

An attack that succeeds shows it by spoiling its own result. In expected.yaml, `docker` is the reason of the first check
that fails in a container, or `held` if the attack failed and all checks passed. `class` is the target or the means of
the attack. `watched` attacks also run in the simulator. For `searched` ones, the judge also tries edits of the kernel.
`hidden` lists hidden cases, whose outcome does not count.
"""

import json
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import yaml
from courses import any_speed
from project import HELPERS, ROOT

from grader.course.assignment import Assignment
from grader.course.catalogue import Course
from grader.results.verdicts import Reason

HOSTILE = ROOT / "tests" / "submissions" / "hostile"

HELD = "held"

CLASSES = (
    *("source text", "compiler", "resources", "processes", "kernel and devices", "network", "secrets"),
    *("the next submission", "replies and reports", "arrays", "speed", "simulator"),
)

LOCKS = Path(gettempdir()) / "grader-locks"
"""Folder of locks that all containers with attacks share, so that their timed sections exclude each other."""

GRADER_IMAGE = "grader"
"""Name that `make images` gives to the image with the judge and its command line."""

CASES = (
    *("one element", "one word", "ragged in both sizes", "primes", "a prime number of words"),
    *("two nodes", "a long path"),
)
"""Quick cases that are enough to detect a wrong kernel, because a hundred attacks are graded twice."""

QUICK = {
    "GRADER_DEADLINES__BUILD": "15",
    "GRADER_DEADLINES__FIRST_LAUNCH": "5",
    "GRADER_DEADLINES__LAUNCH": "2",
    "GRADER_LIMITS__MEMORY_BYTES": str(512 * 1024**2),
    "GRADER_LIMITS__CPU_SECONDS": "60",
    "GRADER_TIMING__WARM_UP_SECONDS": "0",
    "GRADER_TIMING__MIN_PAIRS": "9",
    "GRADER_TIMING__MAX_PAIRS": "30",
    "GRADER_TIMING__MAX_SECONDS": "8",
    "GRADER_TIMING__NOISE_LIMIT": "100",
    "GRADER_SEARCH__SECONDS": "0",
}
"""Settings for gradings of attacks. An attack shows its effect at once, and neither its speed nor the line of its
mistake matters.

The memory limit is low, because a virtual machine may take seconds to provide its first gigabyte, and an attack that
fills memory must reach the limit before its deadline. Nine pairs decide most cases, and the rest may use more.
"""


@dataclass(frozen=True, kw_only=True)
class Attack:
    """One hostile submission."""

    folder: Path
    kind: str
    assignment: str
    title: str
    docker: str
    allow: tuple[str, ...]
    watched: bool
    searched: bool
    hidden: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name


@cache
def corpus() -> tuple[Attack, ...]:
    """Return all attacks, sorted by name."""
    return tuple(_read(path) for path in sorted(HOSTILE.glob("*/expected.yaml")))


def _read(path: Path) -> Attack:
    fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Attack(
        folder=path.parent,
        kind=fields["class"],
        assignment=fields["assignment"],
        title=fields["attack"],
        docker=fields["docker"],
        allow=tuple(fields.get("allow", ())),
        watched=fields.get("watched", False),
        searched=fields.get("searched", False),
        hidden=tuple(fields.get("hidden", ())),
    )


def small_course(
    folder: Path, name: str, allow: tuple[str, ...], *, watched: bool, hidden: tuple[str, ...] = ()
) -> Course:
    """Return a course with one of the shipped assignments, reduced to a few cases, that allows what the attack needs.

    Only attacks on the simulator's observations are `watched`. The simulator interprets kernels, so most other attacks
    fail in it.
    """
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / name, folder / part / name)
    path = folder / "assignments" / name / "assignment.yaml"
    fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    fields["allow"] = list(allow)
    fields["correctness"]["cases"] = [case for case in fields["correctness"]["cases"] if case["name"] in CASES]
    for case in fields["correctness"]["cases"]:
        case["hidden"] = case["name"] in hidden
    if not watched:
        del fields["sanitizer"], fields["memory"]
        del fields["performance"]["requires"]
    path.write_text(yaml.safe_dump(fields, sort_keys=False), encoding="utf-8")
    return Course(assignments=folder / "assignments", reference=folder / "reference")


SMALLER = 4
"""Divisor of each size if speed does not matter. A timed round on 8 MiB would occupy the machine alone for 0.2 s."""


def at_any_speed(folder: Path, name: str) -> None:
    """Make the timed sizes of an assignment smaller, and give full points for any speed."""
    path = folder / "assignments" / name / "assignment.yaml"
    fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    for goal in fields["performance"]["classes"].values():
        goal["sizes"] = {size: max(1, number // SMALLER) for size, number in goal["sizes"].items()}
        goal.update(any_speed(goal["bands"][0]["points"]))
    path.write_text(yaml.safe_dump(fields, sort_keys=False), encoding="utf-8")


def without_search(folder: Path, name: str) -> None:
    """Switch off the search for the lines of wrong results, which would take seconds for each of many attacks."""
    path = folder / "assignments" / name / "assignment.yaml"
    path.write_text(f"{path.read_text(encoding='utf-8')}hints: none\n", encoding="utf-8")


def small_assignment(folder: Path, attack: Attack) -> Assignment:
    """Return the assignment of an attack, in its own course below `folder`."""
    return course_for(folder / attack.name, attack).load(attack.assignment)


def course_for(folder: Path, attack: Attack) -> Course:
    """Return a course with everything that the attack needs. Only attacks on speed keep the real speed goals."""
    course = small_course(folder, attack.assignment, attack.allow, watched=attack.watched, hidden=attack.hidden)
    if attack.kind != "speed":
        at_any_speed(folder, attack.assignment)
    if not attack.searched:
        without_search(folder, attack.assignment)
    return course


def verdict(result) -> str:
    """Return the reason of the first failed check, or `held`. Hidden checks do not count, because students do not see
    them.
    """
    return next((str(check.reason) for check in result.checks if check.reason not in {None, Reason.HIDDEN}), HELD)


def observed(client, attack: Attack, folder: Path) -> str:
    """Run an attack with the sandbox `process`, and return its effects in the words of the table. The run takes place
    in a disposable container (observe.py).
    """
    course_for(folder / "course", attack)
    binds = {folder / "course": "/course", attack.folder: "/attack", HELPERS / "corpus" / "observe.py": "/observe.py"}
    LOCKS.mkdir(exist_ok=True)
    LOCKS.chmod(0o1777)
    container = client.containers.run(
        GRADER_IMAGE,
        ["/observe.py", "/attack/kernels.cl", "/course", attack.assignment],
        entrypoint="/opt/grader/bin/python3",
        user="root",
        detach=True,
        init=True,
        network_mode="none",
        security_opt=["seccomp=unconfined"],  # the rights of an ordinary user, without the engine's restrictions
        mem_limit="3g",
        pids_limit=600,
        environment=QUICK,
        volumes={
            str(LOCKS): {"bind": "/run/lock", "mode": "rw"},
            **{str(path): {"bind": bind, "mode": "ro"} for path, bind in binds.items()},
        },
    )
    try:
        container.wait(timeout=180)
        seen = json.loads(container.logs(stdout=True, stderr=False).splitlines()[-1])
    finally:
        container.remove(force=True, v=True)
    return "; ".join([_end(attack, seen), *seen["traces"]])


def _end(attack: Attack, seen: dict) -> str:
    """Return how the grading ended. An unexpected wrong result means that the attack succeeded."""
    if seen["reason"] is None:
        return (
            "the grader hangs" if seen["ended"] is None else "the grader is killed" if seen["ended"] < 0 else "ungraded"
        )
    if seen["reason"] == "WRONG_OUTPUT" != attack.docker:
        return "succeeds"
    return in_words(seen["reason"])


def row(attack: Attack, process: str, docker: str) -> str:
    """Return the attack's row of the table in docs/security/attacks.md."""
    return f"| {attack.title} | {process} | {docker} |"


def in_words(verdict: str) -> str:
    """Return a verdict as the table words it."""
    return "held" if verdict == HELD else f"graded {verdict}"
