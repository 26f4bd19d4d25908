"""Thresholds that the measurements allow, as text for assignment.yaml, with notes where it demands more."""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import yaml
from rich.console import RenderableType
from rich.text import Text

from grader.authoring.selftest import open_points
from grader.authoring.thresholds import Limit, Proposal, Speeds, misjudged
from grader.authoring.validation import (
    Examined,
    Judged,
    limits,
    proposal,
    speeds,
)
from grader.cli.validation.page import FIX, figures, note
from grader.common.phrases import capital, listed, sizes_in_words
from grader.course.speed_goals import device_class, speed_goal
from grader.results.verdicts import Reason

UNSIMULATED = {Reason.NO_SIMULATOR, Reason.NOT_SIMULATED}
"""Reasons of an open check for which the simulator counted no accesses."""

ONE_LINE, BROKEN_AT = 74, 48
"""Maximum width of a mapping on one line, and the width after which a longer mapping is broken at the next field."""


def thresholds(seen: Examined, judged: tuple[Judged, ...]) -> Iterator[RenderableType]:
    """Yield the measurements, the thresholds that they allow, and notes where assignment.yaml demands more."""
    if seen.assignment.part:
        yield Text(f"{seen.assignment.part}:", style="bold")
    measured = speeds(seen, judged)
    if measured is not None:
        yield from _speed(seen, measured, proposal(seen, measured))
    elif seen.assignment.performance is not None:
        yield note("unknown", _why_untimed(seen))
    elif seen.assignment.memory is None:
        yield Text("No thresholds: only correctness is checked.", style="dim")
    counted = tuple(limits(seen, judged))
    if counted:
        yield from _memory(seen, counted)
    elif seen.assignment.memory is not None:
        yield note("unknown", _why_uncounted(seen))


def _why_untimed(seen: Examined) -> str:
    """Return the reason why no speeds are known."""
    if seen.own is not None and open_points(seen.own.model):
        return "Nothing was timed, so no goals for speed are proposed."
    return "Nothing was timed: the model solution must pass everything else first."


def _why_uncounted(seen: Examined) -> str:
    """Return the reason why no accesses are known."""
    if seen.own is None:
        return f"No accesses were counted, because the oracle and the model solution must run first. {FIX}"
    unsimulated = [check.message for check in seen.own.failed if check.reason in UNSIMULATED]
    if unsimulated:
        return f"No accesses were counted: {unsimulated[0]}"
    return f"No accesses were counted, because the model solution fails. {FIX}"


def _speed(seen: Examined, measured: Speeds, proposed: Proposal) -> Iterator[RenderableType]:
    device = seen.device
    kind, goal = device_class(device), speed_goal(seen.assignment, device)
    yield Text(f"Speeds at {sizes_in_words(goal.sizes)}, as fractions of the model solution's,", style="dim")
    yield Text(f"on {device.name}:", style="dim")
    rows = {"the model solution, again": measured.model, "the baseline": measured.baseline, **measured.right}
    yield figures([[name, _fraction(each)] for name, each in rows.items()])
    lines = ["performance:", "  classes:", f"    {kind}:", f"      baseline: {proposed.baseline}", "      bands:"]
    yield from _proposed(lines, [band.model_dump() for band in proposed.bands])
    yield from (note("strict", f"{words}.") for words in proposed.exceeded(goal))
    if goal.yardstick is None:
        yield Text(f"A student kit can decide about speed if you add `yardstick: {measured.yardstick:g}`.", style="dim")
    elif words := misjudged(goal, measured):
        yield note("remark", f"{capital(words)}.")
    yield from (note("remark", words) for words in proposed.remarks)
    others = [other for other in seen.assignment.goals if other != kind]
    if others:
        yield note("remark", f"The goal for a {listed(others, 'or')} needs such a device: validate it there.")


def _memory(seen: Examined, counted: Sequence[Limit]) -> Iterator[RenderableType]:
    assert seen.assignment.memory is not None
    sizes = sizes_in_words(seen.assignment.memory.sizes)
    yield Text(f"\nCounted in the simulator at {sizes}; `at_most` is the limit in assignment.yaml:", style="dim")
    rows = [["check (measure)", "model", "baseline", "at_most", "proposed"]]
    for each in counted:
        baseline = "?" if each.baseline is None else _number(each.baseline)
        rows.append([_called(each), _number(each.model), baseline, _number(each.asked), _number(each.proposed)])
    yield figures(rows)
    checks = [{**each.check.model_dump(exclude_defaults=True), "at_most": each.proposed} for each in counted]
    yield from _proposed(["memory:", "  checks:"], checks)
    for each in counted:
        name = each.check.name
        if each.beyond is not None:
            yield note("remark", f"{name}: the right submission {each.beyond} needs {_number(each.most)}.")
        if each.is_strict:
            stated = f"{name}: at_most {_number(each.asked)} is below the proposed {_number(each.proposed)}"
            yield note("strict", f"{stated}. Keep at_most if no right kernel needs more.")
        if not each.tells_apart:
            yield note(
                "remark", f"{name}: the baseline passes, so this check does not distinguish it from the model solution."
            )


def _called(limit: Limit) -> str:
    """Return the name of a check, followed by its measure unless the two names are equal."""
    check = limit.check
    return check.name if check.name == check.measure else f"{check.name} ({check.measure})"


def _proposed(above: Sequence[str], items: Sequence[dict[str, Any]]) -> Iterator[RenderableType]:
    """Yield text to paste into assignment.yaml: the lines `above`, then a list of mappings."""
    yield Text("Proposed:\n", style="dim")
    indent = " " * (len(above[-1]) - len(above[-1].lstrip()) + 2)
    lines = list(above)
    for item in items:
        flow = _flow({name: _plain(value) for name, value in item.items()})
        lines.append(f"{indent}- " + f"\n{indent}  ".join(flow))
    yield Text("\n".join(lines) + "\n")


def _flow(item: dict[str, Any]) -> list[str]:
    """Return a mapping in braces, on as few lines as possible."""
    whole, broken = (
        yaml.safe_dump(item, default_flow_style=True, sort_keys=False, width=width).strip()
        for width in (sys.maxsize, BROKEN_AT)
    )
    return [whole] if len(whole) <= ONE_LINE else [line.strip() for line in broken.splitlines()]


def _plain(value: Any) -> Any:
    """Return a whole number without a decimal point. Other values are returned unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _fraction(value: float) -> str:
    return f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def _number(value: float) -> str:
    """Return a count without decimals, or a ratio with at most two decimals, like the proposed limits."""
    value = round(float(value), 2)
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.2f}".rstrip("0")
