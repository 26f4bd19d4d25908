"""A synthetic course: the submissions of many students, each with the verdict that it must get.

Right and wrong files come from the golden corpus (golden.py), hostile ones from the attack corpus (attacks.py). Others
are empty or not OpenCL. A last line with the author's name makes each file unique, except for copies. Students are
divided into cohorts, each on a platform whose download downloads.py writes. A number and a seed always give the same
course.

    FOLDER/strict/  assignments/   reference/   as shipped, with few cases: golden submissions, and refused attacks
    FOLDER/open/    assignments/   reference/   with everything allowed that attacks ask for, and nothing simulated
"""

import io
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice, product
from pathlib import Path
from random import Random
from typing import Any

import attacks
import downloads
import yaml
from attacks import HELD, Attack, corpus, small_course
from downloads import Person
from golden import CORPUS, expectation

from grader.course.catalogue import Course
from grader.course.submissions.submission import SIZE_LIMIT

ALLOWED = ("include", "line", "asm", "has_include", "long line")
"""All exceptions that an attack may need."""

SHARES = {"right": 7, "wrong": 11, "hostile": 9, "malformed": 10, "empty": 4, "copy": 9}
"""Number of submissions of each kind in every fifty."""

ABSENT_EVERY = 25
"""One in this many students does not submit anything."""

FIRST_KEY = 4000
"""The first key of a student. Platforms identify people by numbers."""

SLOW_EVERY = 40
"""One in this many attacks runs into a time limit."""

QUICK = {
    **attacks.QUICK,
    "GRADER_DEADLINES__FIRST_LAUNCH": "5",
    "GRADER_DEADLINES__LAUNCH": "3",
    "GRADER_TIMING__NOISE_LIMIT": "1000",
}
"""Settings for a course in which speed does not matter. A complete timed section would only add a constant time for
each right file. The deadlines are longer than for single attacks, because honest kernels need more room on a busy
machine.
"""

LENIENT = 0.01
"""Fraction of the model solution's speed that each right submission reaches, even if other processes disturb it."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """A submitted file. `expected` is the golden folder with its verdicts, or the reason of the first failed check, or
    `held` if no check fails. `about` describes the file, for example "wrong: no-barrier".
    """

    kind: str
    about: str
    data: bytes
    expected: Path | str


@dataclass(frozen=True, kw_only=True)
class Member:
    """A student with a name, a key on the platform, and a file for each assignment. An absent student has no files."""

    name: str
    key: str
    works: dict[str, Work]

    @property
    def person(self) -> Person:
        """The student in the form that downloads.py expects."""
        return self.name, self.key, {assignment: work.data for assignment, work in self.works.items()}


@dataclass(frozen=True, kw_only=True)
class Plot:
    """How a cohort submits: the platform, the assignments, the course, and the cohort's share of all submissions.

    If `lists_absent` is true, the download also lists students who did not submit.
    """

    shape: str
    write: Callable[[Path, list[Person]], Path]
    assignments: tuple[str, ...]
    course: str
    share: float
    lists_absent: bool = False


PLOTS = (
    Plot(shape="moodle", write=downloads.moodle, assignments=("coalsTransp",), course="strict", share=0.4),
    Plot(shape="canvas", write=downloads.canvas, assignments=("coalsProgrm",), course="strict", share=0.12),
    Plot(
        shape="gradescope",
        write=downloads.gradescope,
        assignments=("coalsTransp", "coalsProgrm"),
        course="strict",
        share=0.12,
        lists_absent=True,
    ),
    Plot(
        shape="folders",
        write=downloads.folders,
        assignments=("coalsTransp",),
        course="open",
        share=0.16,
        lists_absent=True,
    ),
    Plot(shape="flat", write=downloads.flat, assignments=("coalsTransp",), course="open", share=0.1),
    Plot(
        shape="checkouts",
        write=downloads.checkouts,
        assignments=("coalsTransp",),
        course="strict",
        share=0.1,
        lists_absent=True,
    ),
)


@dataclass(frozen=True, kw_only=True)
class Cohort:
    """All students of one platform."""

    plot: Plot
    members: tuple[Member, ...]

    @property
    def works(self) -> list[Work]:
        """All files that the cohort submitted."""
        return [work for member in self.members for work in member.works.values()]

    def download(self, folder: Path) -> Path:
        """Write the platform's download into a folder, and return the path that the instructor passes to grader."""
        folder.mkdir(parents=True, exist_ok=True)
        named = folder if self.plot.shape == "checkouts" else folder / self.plot.shape
        ending = ".zip" if self.plot.shape in {"moodle", "canvas", "gradescope"} else ""
        return self.plot.write(named.with_name(named.name + ending), [member.person for member in self.members])


def course_of(number: int, seed: int) -> tuple[Cohort, ...]:
    """Return cohorts with `number` submissions in total. Absent students come on top."""
    dice = Random(seed)
    names = _names(dice)
    sizes = [round(number * plot.share / len(plot.assignments)) * len(plot.assignments) for plot in PLOTS]
    sizes[0] += number - sum(sizes)
    return tuple(
        _cohort(plot, _dealt(size, SHARES, dice), names, dice) for plot, size in zip(PLOTS, sizes, strict=True)
    )


def cohort_of(shape: str, number: int, seed: int, shares: dict[str, int]) -> Cohort:
    """Return one cohort with submissions of the kinds in `shares`."""
    dice = Random(seed)
    plot = next(plot for plot in PLOTS if plot.shape == shape)
    return _cohort(plot, _dealt(number, shares, dice), _names(dice), dice)


def batch(cohort: Cohort, download: Path, course: Course, out: Path) -> list[str | Path]:
    """Return the command that grades a cohort."""
    asked = ["--assignment", ",".join(cohort.plot.assignments), "--course", course.assignments.parent]
    return [sys.executable, "-m", "grader.cli.main", "batch", download, *asked, "--out", out]


def kinds(cohorts: tuple[Cohort, ...]) -> Counter[str]:
    """Return the number of submissions of each kind."""
    return Counter(work.kind for cohort in cohorts for work in cohort.works)


# --- students ---------------------------------------------------------------------------------

FIRST = (
    *("Ada", "Zoë", "Jürgen", "Søren", "Łukasz", "Ngọc Anh", "美咲", "志明", "محمد", "שרה", "Ольга", "Γιώργος"),
    *("D'Arcy", "=1+1", "@Sum", "Jean-Luc", "Mary Ann", "İpek", "Ṣadé", "Müller,", "x", "R2", "Σ", "José (Pepe)"),
    *("Björk", "Chloé", "Dmitri", "Eòin", "Fatma", "Gül", "Hana", "Ivo", "Jana", "Kofi", "Lin", "Noor"),
)
LAST = (
    *("Lovelace", "Ünal", "O'Brien", "Grønn", "Żak", "Nguyễn", "田中", "王", "علي", "כהן", "Иванова", "Παππάς"),
    *("van der Berg", "+49", "-Dash", "Smith & Sons", "Null", "Çelik", "Òkè", "Hans", "y", "D2", "ß", "García"),
    *("Ek", "Dubois", "Volkov", "MacLeod", "Öztürk", "Demir", "Nováková", "Horák", "Malá", "Mensah", "Wei", "Haddad"),
)


def _names(dice: Random) -> list[str]:
    """Return over a thousand different names in random order. Callers take names from the end."""
    names = [f"{first} {last}" for first, last in product(FIRST, LAST)]
    dice.shuffle(names)
    return names


def _cohort(plot: Plot, dealt: list[str], names: list[str], dice: Random) -> Cohort:
    """Return a cohort in which each student, unless absent, submits a file for each assignment."""
    hands = {assignment: _Hand(plot.course, assignment, dice) for assignment in plot.assignments}
    students = range(len(dealt) // len(hands))
    members: list[Member] = []
    for student in students:
        if student % ABSENT_EVERY == ABSENT_EVERY // 2:
            members.append(_member(names, lambda _: {}))
        mine = zip(hands.items(), dealt[student * len(hands) :], strict=False)
        members.append(_member(names, lambda name, mine=mine: {to: hand.work(kind, name) for (to, hand), kind in mine}))
    return Cohort(plot=plot, members=tuple(members))


def _member(names: list[str], works: Callable[[str], dict[str, Work]]) -> Member:
    """Return a student with the next name. The student's files contain that name."""
    name = names.pop()
    return Member(name=name, key=str(FIRST_KEY + len(names)), works=works(name))


def _dealt(size: int, shares: dict[str, int], dice: Random) -> list[str]:
    """Return `size` kinds of submissions, distributed according to their shares."""
    deck = [kind for kind, share in shares.items() for _ in range(share)]
    dice.shuffle(deck)
    return list(islice(cycle(deck), size))


# --- files of students ------------------------------------------------------------------------


class _Hand:
    """The files that students can submit for an assignment, in turn, and those that they have submitted."""

    def __init__(self, course: str, assignment: str, dice: Random) -> None:
        golden = [folder for folder in CORPUS if folder.parent.name == assignment and _is_clear(folder, course)]
        self._right = _in_turn([folder for folder in golden if expectation(folder).is_right], dice)
        self._wrong = _in_turn([folder for folder in golden if not expectation(folder).is_right], dice)
        attacks = [attack for attack in corpus() if _is_of(attack, course, assignment)]
        self._attacks = _in_turn([attack for attack in attacks if not _is_slow(attack)], dice)
        self._slow = _in_turn([attack for attack in attacks if _is_slow(attack)], dice)
        self._malformed = _in_turn(list(MALFORMED), dice)
        self._assignment = assignment
        self._dice = dice
        self._made: list[Work] = []
        self._hostile = 0

    def work(self, kind: str, name: str) -> Work:
        """Return the next file of this kind, signed with the author's name."""
        if kind == "copy" and self._made:
            other = self._dice.choice(self._made)
            return Work(kind="copy", about=f"copy of {other.about}", data=other.data, expected=other.expected)
        made = self._new(kind, f"{name}, {self._assignment}")
        self._made.append(made)
        return made

    def _new(self, kind: str, name: str) -> Work:
        match kind:
            case "hostile":
                self._hostile += 1
                attack = next(self._attacks)
                if self._hostile % SLOW_EVERY == 0:
                    attack = next(self._slow, attack)  # a strict course may have no slow attacks
                return _work(kind, attack.folder, name, attack.docker)
            case "malformed":
                what = next(self._malformed)
                good = (next(self._right) / "kernels.cl").read_bytes()
                data, expected = MALFORMED[what](good, name)
                return Work(kind=kind, about=f"malformed: {what}", data=data, expected=expected)
            case "empty":
                data = self._dice.choice((b"", b"\n" * self._dice.randrange(1, 99)))
                return Work(kind=kind, about="empty", data=data, expected="BUILD_ERROR")
            case "wrong":
                folder = next(self._wrong)
                return _work(kind, folder, name, folder)
            case _:
                folder = next(self._right)
                return _work("right", folder, name, folder)


def _in_turn(items: list[Any], dice: Random) -> Iterator[Any]:
    dice.shuffle(items)
    return cycle(items)


def _work(kind: str, folder: Path, name: str, expected: Path | str) -> Work:
    return Work(
        kind=kind,
        about=f"{kind}: {folder.name}",
        data=signed((folder / "kernels.cl").read_bytes(), name),
        expected=expected,
    )


def signed(source: bytes, name: str) -> bytes:
    """Return the source with its author in a comment at the end, which does not change any line number."""
    return source + f"\n// by {name}\n".encode()


def _is_clear(folder: Path, course: str) -> bool:
    """True if a submission gets its usual verdicts also in a course with few cases, where speed does not matter."""
    expected = expectation(folder)
    fails = expected.fails
    reasons = {word for why in fails.values() if not isinstance(why, dict) for word in why}
    if reasons & {"TIME_LIMIT", "TOO_SLOW"} or set(fails) == {"performance"}:
        return False
    shows = not fails or not set(fails) <= {"sanitizer", "memory"}
    return course == "strict" or (shows and not expected.is_luck)


def _is_of(attack: Attack, course: str, assignment: str) -> bool:
    """True if a course can use an attack. A strict course uses refused attacks, for any assignment. An open course uses
    all other attacks on this assignment, except for slow kernels, because speed does not matter there.
    """
    refused = not attack.allow and attack.docker in {"FORBIDDEN", "BUILD_ERROR"}
    if course == "strict":
        return refused
    clear = attack.docker != "TOO_SLOW" and not attack.watched
    return attack.assignment == assignment and not refused and clear


def _is_slow(attack: Attack) -> bool:
    return attack.docker == "TIME_LIMIT"


# --- malformed files --------------------------------------------------------------------------


def _zip_of(good: bytes, name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("kernels.cl"), signed(good, name))  # without a date, to make equal bytes
    return buffer.getvalue()


MALFORMED: dict[str, Callable[[bytes, str], tuple[bytes, str]]] = {
    "a program": lambda _, name: (b"\x7fELF\x02\x01\x01\x00" + name.encode(), "BUILD_ERROR"),
    "over 1 MiB": lambda good, name: (signed(good, name) + b" " * SIZE_LIMIT, "BUILD_ERROR"),
    "a PDF": lambda _, name: (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00" + name.encode(), "BUILD_ERROR"),
    "a zip": lambda good, name: (_zip_of(good, name), "BUILD_ERROR"),
    "a web page": lambda _, name: (f"<!DOCTYPE html>\n<p>Log in, {name}\n".encode(), "BUILD_ERROR"),
    "only a comment": lambda _, name: (f"// {name}: will follow tomorrow\n".encode(), "KERNEL_MISSING"),
    "another task": lambda _, name: (
        signed(b"__kernel void vecAdd(__global float *a) { a[0] = 1; }", name),
        "KERNEL_MISSING",
    ),
    "Latin-1": lambda good, name: (signed(good, name) + "// für später\n".encode("latin-1"), HELD),
}
"""Functions that make malformed files, by description. Each takes a right source and its author's name, and returns the
file's content and the reason of the first failed check.
"""


# --- courses ----------------------------------------------------------------------------------


def write_courses(folder: Path) -> dict[str, Course]:
    """Write each of the two courses into its own folder, and return them by name."""
    return {
        "strict": _write(folder / "strict", (), watched=True),
        "open": _write(folder / "open", ALLOWED, watched=False),
    }


def _write(folder: Path, allow: tuple[str, ...], *, watched: bool) -> Course:
    names = sorted({name for plot in PLOTS for name in plot.assignments})
    for name in names:
        small_course(folder, name, allow, watched=watched)
        path = folder / "assignments" / name / "assignment.yaml"
        fields = yaml.safe_load(path.read_text(encoding="utf-8"))
        for goal in fields["performance"]["classes"].values():
            goal["bands"] = [{"fraction": LENIENT, "points": sum(band["points"] for band in goal["bands"][:1])}]
        path.write_text(yaml.safe_dump(fields, sort_keys=False), encoding="utf-8")
    return Course(assignments=folder / "assignments", reference=folder / "reference")
