"""Shows the source with the memory requests of each line, in the form of a line profiler."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from grader.common.phrases import count, sizes_in_words, three_digits
from grader.course.submissions.submission import Task
from grader.grading.checks.simulation.counts import Counted
from grader.grading.explain.problem import Problem
from grader.protocol.text import showable
from grader.reports.rows import drawn_as_text
from grader.reports.words import bytes_in_words
from grader.results.launch_sums import over_launches
from grader.results.metrics import Access, Branch, Profile
from grader.results.verdicts import Reason


def render(task: Task, counted: Counted | Problem, *, width: int, color: bool) -> str:
    """Return the page for a terminal of this width. Without colour, it is plain text."""
    return drawn_as_text(_lines(task, counted), width=width, color=color)


def _lines(task: Task, counted: Counted | Problem) -> Iterator[RenderableType]:
    name = task.assignment.part or task.assignment.name
    yield Text.assemble((showable(task.assignment.title), "bold"), f"  {name}")
    problem = counted if isinstance(counted, Problem) else counted.run.problem
    if isinstance(counted, Counted):
        yield Text(_legend(counted.profile), style="dim")
        yield Text()
        counts = _counts(counted.profile)
        for number, line in enumerate(task.submission.source.rstrip("\n").split("\n"), start=1):
            yield Text(f"{number:>4} | {showable(line)}", no_wrap=True)
            yield from counts.get(number, ())
        yield Text()
        for words in _summary(counted.profile):
            yield Text(words)
    if problem is not None:
        yield Text.assemble((f"{problem.reason}", "bold red"), f"  {showable(problem.message)}")
        yield Text(showable(problem.detail), style="dim")
        if problem.reason is Reason.WRONG_OUTPUT:
            yield Text(OTHER_ORDER)


OTHER_ORDER = (
    "In this run, work-items alternate in another order than on a device. If the results are right on the device, look "
    "for a missing barrier. `grader grade` shows where it belongs."
)
"""Help for wrong results of the simulated run."""


def _legend(profile: Profile) -> str:
    return (
        f"counted at {sizes_in_words(profile.sizes)}: warps of {profile.warp} work-items, sectors of {profile.sector} "
        f"bytes, {profile.banks} banks of {profile.bank} bytes; "
        "sectors and turns are means over the requests of all launches"
    )


def _counts(profile: Profile) -> dict[int, list[Table]]:
    """Return the rows for each line: one for each access, and one for all conditions. They count all launches."""
    profile = over_launches(profile)
    rows: dict[int, list[Table]] = {}
    for access in profile.accesses:
        style = "yellow" if access.sectors > access.fewest else "green"
        rows.setdefault(access.line, []).append(_row(_access(access), style))
    for use in profile.images:
        rows.setdefault(use.line, []).append(
            _row(f"{use.does:<6} {use.image:<8} {count(use.times, 'pixel'):>9}", "green")
        )
    for branch in profile.branches:
        style = "yellow" if branch.diverged else "green"
        rows.setdefault(branch.line, []).append(_row(_branch(branch), style))
    return rows


def _row(words: str, style: str) -> Table:
    """Return text below a source line. On a narrow terminal, it continues to the right of the bar."""
    row = Table.grid()
    row.add_column(no_wrap=True)
    row.add_column()
    row.add_row(Text("     | ", style=style), Text(words, style=style))
    return row


def _access(access: Access) -> str:
    """Describe an access by its requests, the cost of one request, the lowest possible cost if that is lower, and the
    distance between work-items.
    """
    each, least = (three_digits(total / access.requests) for total in (access.sectors, access.fewest))
    unit = ("turn" if access.space == "local" else "sector") + ("" if each == "1" else "s")
    would_do = f"{least} would do" if access.sectors > access.fewest else ""
    apart = "" if access.stride is None else f"{access.stride:,} B apart"
    row = f"{access.does:<6} {access.array:<8} {access.requests:>9,} x {each:>4} {unit:<7}  {would_do:<13}  {apart}"
    return row.rstrip()


def _branch(branch: Branch) -> str:
    return f"{'branch':<15} {branch.reached:>9,} x, diverges {count(branch.diverged, 'time')}"


def _summary(profile: Profile) -> Iterator[str]:
    ratio = three_digits(profile.moved / max(1, profile.compulsory))
    times = "" if ratio == "1" else f"{ratio} times "
    yield (
        f"global memory: work-items read {bytes_in_words(profile.read)} and write {bytes_in_words(profile.written)}; "
        f"sectors move {bytes_in_words(profile.moved)}, {times}the least possible; "
        f"{bytes_in_words(profile.unused)} of them are not used"
    )
    if profile.images:
        read, written = (
            sum(each.times for each in profile.images if each.does == does) for does in ("reads", "writes")
        )
        yield f"images: work-items read {count(read, 'pixel')} and write {count(written, 'pixel')}"
    if profile.flop:
        yield (
            f"{count(profile.flop, 'floating-point operation')}, {three_digits(profile.intensity)} per byte of global "
            "memory asked for"
        )
    idle = count(profile.mostly_idle, "word")
    yield (
        f"warps make {count(profile.requests, 'request')} to global and local memory and diverge "
        f"{count(profile.diverged, 'time')}; {idle} are accessed while most of a warp is idle"
    )
