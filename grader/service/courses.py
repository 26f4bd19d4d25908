"""The course as its pages show it: assignments with their handouts, and the rules for handing in."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from grader.common.errors import InputError
from grader.common.record import Record
from grader.course.catalogue import Course
from grader.course.folders import (
    ASSIGNMENT_FILE,
    BASELINE_FILE,
    KIT_FILE,
    MODEL_FILE,
    ORACLE_FILE,
    RULES_FILE,
    read_text,
)
from grader.course.policies.deadlines import Extension
from grader.course.policies.rules import Policies
from grader.course.submissions.submission import FILE_NAME
from grader.course.suite import Coursework
from grader.results.withholding import hidden_checks
from grader.service.handouts import rendered
from grader.service.policy import HandInRules, rules_of
from grader.service.refusing import NotFoundError

HANDOUT = "README.md"


class Version(Record):
    """What gradings rest on. Under the same `measured` they can be scored again; the same `scored` gives the same
    points and reports.
    """

    measured: str
    scored: str


def version_of(coursework: Coursework) -> Version:
    """The version that the files are."""
    return Version(measured=coursework.measured_sha256, scored=coursework.scored_sha256)


class Shown(Record):
    """An assignment as its page shows it; `handout` is markup that rendered() has made, `skeleton` the text to start
    from; each is empty if there is none. `hidden` is how many checks it hides from students until they are released.
    """

    name: str
    title: str
    points: float
    handout: str
    skeleton: str
    hidden: int
    policies: Policies
    version: Version

    @property
    def rules(self) -> HandInRules:
        """Those for everybody."""
        return self.rules_for()

    def rules_for(self, *extensions: Extension) -> HandInRules:
        """Those for a student who has these extensions."""
        return rules_of(self.policies, *extensions)


@dataclass(frozen=True)
class _Unreadable:
    """An assignment that cannot be read as it is."""

    why: str


Stamp = tuple[int, int]
"""When a file or the rights to it were last changed, and its size: two changes may have the same time."""


class Shelf:
    """What there is to hand in, read again when its files change; they are looked at when the last look is `fresh`
    seconds old, since there are a hundred of them. An assignment that cannot be read any more stays as it was last:
    somebody's slip must not close the course.
    """

    def __init__(self, course: Course, guide: Path, fresh: float = 0.0) -> None:
        self.course, self._guide, self._fresh = course, guide, fresh
        self.zone = course.rules().zone
        self._read = lru_cache(maxsize=1000)(self._tried)
        self._rendered = lru_cache(maxsize=1)(self._guide_of)
        self._looked, self._found = -math.inf, dict[str, Shown | _Unreadable]()
        self._last: dict[str, Shown] = {}

    def names(self) -> list[str]:
        """All assignments, sorted, also those that cannot be read."""
        return list(self._look())

    def assignment(self, name: str) -> Shown:
        """The assignment of this name; raises NotFoundError if there is none, or none that could ever be read."""
        shown = self._last.get(name) if name in self._look() else None
        if shown is None:
            raise NotFoundError
        return shown

    def all(self) -> list[Shown]:
        """Each of them, by name."""
        return [self._last[name] for name in self._look() if name in self._last]

    def problems(self) -> list[str]:
        """Why assignments cannot be read as they are, a sentence for each."""
        return [each.why for each in self._look().values() if isinstance(each, _Unreadable)]

    def guide(self) -> str:
        """The page that explains reports, as markup."""
        return self._rendered(self._guide.stat().st_mtime_ns)

    def _look(self) -> Mapping[str, Shown | _Unreadable]:
        """What is there, sorted by name."""
        if (now := time.monotonic()) - self._looked >= self._fresh:
            names = self.course.names()
            models = tuple(_stamp(self.course.reference / name / MODEL_FILE) for name in names)
            found = {name: self._as_it_is(name, models) for name in names}
            self._last |= {name: each for name, each in found.items() if isinstance(each, Shown)}
            self._looked, self._found = now, found
        return self._found

    def _as_it_is(self, name: str, models: tuple[Stamp | None, ...]) -> Shown | _Unreadable:
        """Read once, whatever comes of it, until a file changes that decides about it. Some rest on the model solutions
        of others.
        """
        folder, reference = self.course.assignments / name, self.course.reference / name
        files = (
            *(folder / each for each in (ASSIGNMENT_FILE, HANDOUT, FILE_NAME)),
            *(reference / each for each in (BASELINE_FILE, ORACLE_FILE)),
            *(self.course.assignments.parent / each for each in (RULES_FILE, KIT_FILE)),
        )
        return self._read(name, (*map(_stamp, files), *models))

    def _guide_of(self, _changed: int) -> str:
        return rendered(read_text(self._guide))

    def _tried(self, name: str, _stamps: tuple[Stamp | None, ...]) -> Shown | _Unreadable:
        try:
            return self._shown(name)
        except InputError as error:
            return _Unreadable(str(error))

    def _shown(self, name: str) -> Shown:
        coursework = self.course.load(name)
        path, skeleton = coursework.folder / HANDOUT, coursework.folder / FILE_NAME
        return Shown(
            name=name,
            title=coursework.title,
            points=coursework.points,
            handout=rendered(read_text(path)) if path.is_file() else "",
            skeleton=read_text(skeleton) if skeleton.is_file() else "",
            hidden=hidden_checks(coursework),
            policies=Policies.model_validate(coursework, from_attributes=True),
            version=version_of(coursework),
        )


def _stamp(path: Path) -> Stamp | None:
    """What changes with a file; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ctime_ns, status.st_size
