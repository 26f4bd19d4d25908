"""The report as a part of a page: the points, the causes next to the source, and the folded checks below.

It is shown on the page of `grader grade --html`, on the students' pages of a batch and on the attempt page of the
service. It contains no script and no style attribute, and no figure is drawn here, so that it complies with the
service's policy and does not need Matplotlib. Its style is in workspace.css.

The template escapes all text. Output of a submission or a machine (source, messages, logs, names) appears only as plain
text.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from grader.common.phrases import capital, count, three_digits
from grader.course.rubric import Kind
from grader.grading.explain.error_map import informative
from grader.protocol.text import showable
from grader.reports.groups import OPEN, SIGNS, STATES, CheckGroup, groups_of, state_of
from grader.reports.html.listing import blocks_of
from grader.reports.html.map_picture import picture_of
from grader.reports.issues import ISSUES_IN_FULL, Issue, issues_of, lines_of, numbers_of
from grader.reports.side_by_side import HEADINGS, PartStanding, standings_of
from grader.reports.words import (
    access_in_words,
    branch_in_words,
    bytes_in_words,
    correction_in_words,
    deduction_in_words,
    faults_in_words,
    hidden_in_words,
    image_use_in_words,
    score_in_words,
    seconds_in_words,
    speed_in_words,
    spills_in_words,
    usage_in_words,
)
from grader.results.check import Check
from grader.results.findings import ErrorMap
from grader.results.launch_sums import over_launches
from grader.results.metrics import Access, Profile
from grader.results.result import Result
from grader.results.verdicts import OUTSTANDING, Reason, Verdict
from grader.results.withholding import leaves_out_hidden

STYLE = files("grader.reports.html").joinpath("workspace.css").read_text(encoding="utf-8")
"""The style of the report, for a page or for a separate file."""

COSTLY = 2.0
"""Multiple of the fewest sectors or turns from which an access is marked as costly. An access across a boundary may
need slightly more, which is not a mistake.
"""


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Drawn figures of each speed check, by the name of the check, and of a suite."""

    of_check: Mapping[str, Sequence[Markup]] = field(default_factory=dict)
    of_suite: Sequence[Markup] = ()


NO_FIGURES = Figures()


@dataclass(frozen=True, kw_only=True)
class Part:
    """One kernel, with its groups of checks, its profile, and its standing among the other kernels.

    `name` is empty if there is only one kernel; in that case, `standing` is None.
    """

    name: str
    id: str
    groups: tuple[CheckGroup, ...]
    profile: Profile | None
    standing: PartStanding | None

    @property
    def passed(self) -> bool:
        """True if all checks passed."""
        return all(group.state == STATES[Verdict.PASSED] for group in self.groups)

    @property
    def state(self) -> str:
        """The worst state of its groups."""
        states = {group.state for group in self.groups}
        if STATES[Verdict.FAILED] in states and self.standing is not None and self.standing.points:
            return STATES[Verdict.PARTIAL]
        return next(each for each in WORST_FIRST if each in states)


WORST_FIRST = ("failed", "partly", OPEN, "skipped", "hidden", "passed")


@dataclass(frozen=True, kw_only=True)
class Count:
    """A count by the simulator at a line, as a sentence. `costly` is true if the access is costly."""

    line: int
    words: str
    costly: bool


def workspace(result: Result, figures: Figures = NO_FIGURES) -> Markup:
    """Return the report about a result."""
    issues, lines = issues_of(result), lines_of(result)
    is_dry_run = leaves_out_hidden(result)
    text = ENVIRONMENT.get_template("workspace.html.jinja").render(
        result=result,
        state=state_of_result(result),
        is_dry_run=is_dry_run,
        max_points=result.max_points - (result.hidden_points if is_dry_run else 0),
        decided_later=0 if is_dry_run else result.hidden_points,
        issues=issues,
        evidence=_evidence(issues),
        numbers=numbers_of(issues),
        blocks=blocks_of(issues, lines),
        length=len(lines),
        parts=parts_of(result, issues),
        places={check.name: place for place, check in enumerate(result.checks, start=1)},
        states=Counter(state_of(check) for check in result.checks if check.kind is not Kind.PRACTICE),
        practice=[check for check in result.checks if check.kind is Kind.PRACTICE],
        figures=figures,
    )
    return Markup(text)  # noqa: S704 - the template escapes


def state_of_result(result: Result) -> str:
    """Return the state of the whole result in one word. It depends on the checks, and not on a deduction."""
    if result.failed:
        return STATES[Verdict.PARTIAL if any(check.points for check in result.checks) else Verdict.FAILED]
    is_open = result.unchecked or (result.hidden_points and not leaves_out_hidden(result))
    return OPEN if is_open else STATES[Verdict.PASSED]


def parts_of(result: Result, issues: Sequence[Issue]) -> tuple[Part, ...]:
    """Return the kernels of a suite, or a single part for an assignment of one kernel."""
    numbers, unreached = numbers_of(issues), result.unreached
    standings = {standing.part: standing for standing in standings_of(result)}
    names = dict.fromkeys(check.part for check in result.checks)
    return tuple(
        Part(
            name=name,
            id=f"part-{number}",
            groups=tuple(groups_of([check for check in result.checks if check.part == name], unreached, numbers)),
            profile=result.profiles.get(name),
            standing=standings.get(name),
        )
        for number, name in enumerate(names, start=1)
    )


def counts_of(profile: Profile) -> tuple[Count, ...]:
    """Return the counts of all launches at each line, in the order of the lines."""
    profile = over_launches(profile)
    accesses = (Count(line=each.line, words=access_in_words(each), costly=is_costly(each)) for each in profile.accesses)
    images = (Count(line=each.line, words=image_use_in_words(each), costly=False) for each in profile.images)
    branches = (Count(line=each.line, words=branch_in_words(each), costly=False) for each in profile.branches)
    return tuple(sorted((*accesses, *images, *branches), key=lambda each: each.line))


def is_costly(access: Access) -> bool:
    """True if the access uses far more of the memory than it must."""
    return access.sectors >= COSTLY * max(1, access.fewest)


def repeated_in(group: CheckGroup) -> tuple[str, ...]:
    """Return the messages and helps that several checks of a group share. The group tells each of them once."""
    times = Counter(words for check in group.checks for words in dict.fromkeys((check.message, check.help)) if words)
    return tuple(words for words, number in times.items() if number > 1 and words not in group.why)


def told_of(group: CheckGroup) -> frozenset[str]:
    """Return the messages and helps that a group tells, so that its checks need not repeat them."""
    sentences = (words for check in group.checks for words in (check.message, check.help))
    return frozenset((*repeated_in(group), *(words for words in sentences if words in group.why)))


def _evidence(issues: Sequence[Issue]) -> dict[int, list[list[Check]]]:
    """Return the checks whose evidence each issue shows, by the number of the issue. Checks with the same evidence are
    in one list. A check that several issues explain is shown with the first of them.
    """
    told: set[str] = set()
    found = {}
    for issue in issues:
        alike: dict[tuple[str, ErrorMap | None], list[Check]] = {}
        for check in issue.checks:
            if check.name not in told and (check.detail or informative(check.error_map)):
                alike.setdefault((check.detail, check.error_map), []).append(check)
                told.add(check.name)
        found[issue.number] = [*alike.values()]
    return found


def _notes(issue: Issue) -> list[str]:
    """Return the evidence that is not the detail of a check."""
    details = {check.detail for check in issue.checks}
    return [words for words in issue.evidence if words not in details]


def printable(value: Any) -> Any:
    """Make text printable before it is inserted into the page and escaped. Finished markup is returned unchanged."""
    return showable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


CODE = re.compile(r"`([^`\n]+)`")
"""Pattern of code in a sentence. A backtick without a partner in its line is an ordinary character."""

ELEMENTS = Markup("{}"), Markup("<code>{}</code>")
"""Markup of the text between two pieces of code, and of a piece of code."""


def inline_code(text: str) -> Markup:
    """Return a text as markup with code elements. Everything else is escaped because a message may quote a
    submission.
    """
    parts = CODE.split(showable(text))
    return Markup().join(ELEMENTS[place % 2].format(part) for place, part in enumerate(parts))


def template_environment() -> Environment:
    """Return an environment for the templates in this folder, with the filters that all of them use."""
    environment = Environment(
        loader=PackageLoader("grader.reports.html", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {
        "plural": count,
        "capital": capital,
        "code": inline_code,
        "number": lambda value: f"{value:g}",
        "digits": three_digits,
        "thousands": lambda value: f"{value:,}",
        "size": bytes_in_words,
        "time": seconds_in_words,
        "usage": usage_in_words,
        "picture": picture_of,
    }
    return environment


def _environment() -> Environment:
    environment = template_environment()
    environment.filters |= {"sign": SIGNS.__getitem__, "state": state_of}
    environment.globals |= {
        "HEADINGS": HEADINGS,
        "ISSUES_IN_FULL": ISSUES_IN_FULL,
        "OPEN": OPEN,
        "OUTSTANDING": OUTSTANDING,
        "Kind": Kind,
        "Reason": Reason,
        "correction_in_words": correction_in_words,
        "counts_of": counts_of,
        "deduction_in_words": deduction_in_words,
        "faults_in_words": faults_in_words,
        "informative": informative,
        "hidden_in_words": hidden_in_words,
        "repeated_in": repeated_in,
        "notes_of": _notes,
        "score_in_words": score_in_words,
        "speed_in_words": speed_in_words,
        "told_of": told_of,
        "spills_in_words": spills_in_words,
        "state_of": state_of,
    }
    return environment


ENVIRONMENT = _environment()
