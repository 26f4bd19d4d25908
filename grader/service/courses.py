"""The course as its pages show it: assignments with their handouts, and the rules for handing in."""

from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from grader.common.errors import InputError
from grader.common.record import Record
from grader.course.catalogue import Course
from grader.course.folders import ASSIGNMENT_FILE, RULES_FILE, read_text
from grader.course.policies.deadlines import Extension
from grader.course.policies.rules import Policies
from grader.course.submissions.submission import FILE_NAME
from grader.service.handouts import rendered
from grader.service.policy import HandInRules, rules_of
from grader.service.refusing import NotFoundError

HANDOUT = "README.md"


class Shown(Record):
    """An assignment as its page shows it; `handout` is markup that rendered() has made, `skeleton` the text to start
    from; each is empty if there is none.
    """

    name: str
    title: str
    points: float
    handout: str
    skeleton: str
    policies: Policies

    @property
    def rules(self) -> HandInRules:
        """Those for everybody."""
        return self.rules_for()

    def rules_for(self, *extensions: Extension) -> HandInRules:
        """Those for a student who has these extensions."""
        return rules_of(self.policies, *extensions)


class Shelf:
    """What there is to hand in, read again when its files change. An assignment that cannot be read any more stays as
    it was last: somebody's slip must not close the course.
    """

    def __init__(self, course: Course, guide: Path) -> None:
        self.course, self._guide = course, guide
        self.zone = course.rules().zone
        self._read = lru_cache(maxsize=1000)(self._shown)
        self._rendered = lru_cache(maxsize=1)(self._guide_of)
        self._last: dict[str, Shown] = {}

    def names(self) -> list[str]:
        """All assignments, sorted."""
        return self.course.names()

    def assignment(self, name: str) -> Shown:
        """The assignment of this name; raises NotFoundError if there is none, or none that could ever be read."""
        shown = self._latest(name) if name in self.names() else None
        if shown is None:
            raise NotFoundError
        return shown

    def all(self) -> list[Shown]:
        """Each of them."""
        return [shown for name in self.names() if (shown := self._latest(name))]

    def problems(self) -> list[str]:
        """Why assignments cannot be read as they are, a sentence for each."""
        return [str(why) for name in self.names() if (why := self._problem(name))]

    def guide(self) -> str:
        """The page that explains reports, as markup."""
        return self._rendered(self._guide.stat().st_mtime_ns)

    def _latest(self, name: str) -> Shown | None:
        with suppress(InputError):
            self._last[name] = self._as_it_is(name)
        return self._last.get(name)

    def _problem(self, name: str) -> InputError | None:
        try:
            self._as_it_is(name)
        except InputError as error:
            return error
        return None

    def _as_it_is(self, name: str) -> Shown:
        folder, beside = self.course.assignments / name, self.course.assignments.parent
        files = folder / ASSIGNMENT_FILE, folder / HANDOUT, folder / FILE_NAME, beside / RULES_FILE
        return self._read(name, tuple(map(_time_of_change, files)))

    def _guide_of(self, _changed: int) -> str:
        return rendered(read_text(self._guide))

    def _shown(self, name: str, _changed: tuple[int | None, ...]) -> Shown:
        coursework = self.course.load(name)
        path, skeleton = coursework.folder / HANDOUT, coursework.folder / FILE_NAME
        return Shown(
            name=name,
            title=coursework.title,
            points=coursework.points,
            handout=rendered(read_text(path)) if path.is_file() else "",
            skeleton=read_text(skeleton) if skeleton.is_file() else "",
            policies=Policies.model_validate(coursework, from_attributes=True),
        )


def _time_of_change(path: Path) -> int | None:
    """When the file was changed; None if there is none."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
