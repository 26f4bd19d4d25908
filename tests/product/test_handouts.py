"""The handouts: the section "Checks and points" of each README.md agrees with assignment.yaml.

Students read the table in the README, whereas grader reads the YAML file. These tests fail if only one of the two gets
a new check, number of points, limit, goal or condition.
"""

import re
from dataclasses import dataclass

import pytest
from project import ASSIGNMENTS, ROOT

from grader.course.expressions import evaluate

SPEED = {"cpu": "speed on a CPU", "gpu": "speed on a GPU"}
"""Names of the rows with speed goals, by device class."""

COLUMNS = ["check", "limit or goal", "what it teaches", "points", "counts when"]
"""Columns of every table. The tables of suites start with an additional column, `kernel`."""

pytestmark = pytest.mark.parametrize("name", ASSIGNMENTS)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row of the table. `kernels` is empty if the row applies to every kernel of the assignment."""

    kernels: tuple[str, ...]
    check: str
    goal: str
    teaches: str
    points: str
    when: str

    @property
    def most(self):
        """Points of the row, without the text after the comma."""
        return float(self.points.partition(",")[0])

    @property
    def requires(self):
        """Names of the checks that must pass first."""
        return re.findall(r'"([^"]+)"', self.when)


def section(name):
    """Return the section "Checks and points" of a handout."""
    handout = (ROOT / "assignments" / name / "README.md").read_text(encoding="utf-8")
    return handout.partition("## Checks and points\n")[2].partition("\n## ")[0]


def table(name):
    """Return the rows of the section's only table."""
    head, rule, *lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section(name).splitlines()
        if line.startswith("|")
    ]
    assert head[-len(COLUMNS) :] == COLUMNS
    assert set(rule) == {"---"}
    return [_row(dict(zip(head, line, strict=True))) for line in lines]


def _row(cells):
    check, goal, teaches, points, when = (cells[column] for column in COLUMNS)
    kernels = tuple(re.findall(r"`(\w+)`", cells.get("kernel", "")))
    assert kernels or cells.get("kernel") in {None, "each"}
    return Row(kernels=kernels, check=check, goal=goal, teaches=teaches, points=points, when=when)


def rows_of(name, part):
    """Return the rows that apply to a kernel, by check."""
    rows = [row for row in table(name) if not row.kernels or part.kernel in row.kernels]
    found = {row.check: row for row in rows}
    assert len(found) == len(rows)
    return found


def numbers(text):
    """Return all integers and decimals in a text."""
    return {float(number.replace(",", "")) for number in re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", text)}


def prose(name):
    """Return the section on a single line."""
    return " ".join(section(name).split())


def test_each_check_has_a_row(course, name):
    """Each check has a row, in the order of the report. No row mentions a check or a kernel that assignment.yaml does
    not have.
    """
    parts = course.load(name).parts
    for part in parts:
        memory = [f"memory: {check.name}" for check in part.memory.checks]
        assert list(rows_of(name, part)) == ["build", "correctness", "sanitizer", *memory, *SPEED.values()]
    assert {kernel for row in table(name) for kernel in row.kernels} <= {part.kernel for part in parts}


def test_points_are_those_of_the_assignment(course, name):
    """Each row states the points of its check. With only the larger of the two speed goals, the rows add up to the
    assignment's points.
    """
    for part in course.load(name).parts:
        rows = rows_of(name, part)
        shares = {part.correctness.points_of(case) for case in part.correctness.cases}
        each = [f"{share:g} each" for share in shares if len(shares) == 1]
        assert rows["build"].points == "0"
        assert rows["correctness"].points == ", ".join([f"{part.correctness.points:g}", *each])
        assert rows["sanitizer"].points == f"{part.sanitizer.points:g}"
        for check in part.memory.checks:
            assert rows[f"memory: {check.name}"].points == f"{check.points:g}"
        for kind, label in SPEED.items():
            assert rows[label].points == f"{part.performance.classes[kind].points:g}"
        *once, cpu, gpu = (row.most for row in rows.values())
        assert sum(once) + max(cpu, gpu) == part.points


def test_cases_are_those_of_the_assignment(course, name):
    """The correctness row states the number of cases and the largest size of the last case. Every size in the row
    occurs in a case.
    """
    for part in course.load(name).parts:
        cases = part.correctness.cases
        count, _, words = rows_of(name, part)["correctness"].goal.partition(" cases, ")
        sizes = {float(size) for case in cases for size in case.sizes.values()}
        assert count == str(len(cases))
        assert {max(cases[-1].sizes.values())} <= numbers(words) <= sizes


def test_conditions_are_those_of_the_assignment(course, name):
    """Each row names the memory checks that it requires. The sanitizer and speed checks also require correct results,
    unlike the memory checks.
    """
    for part in course.load(name).parts:
        rows = rows_of(name, part)
        required = {f"memory: {check.name}": [*check.requires] for check in part.memory.checks}
        required |= {label: [*part.performance.requires] for label in SPEED.values()}
        assert {label: row.requires for label, row in rows.items() if row.requires} == {
            label: names for label, names in required.items() if names
        }
        assert {label for label, row in rows.items() if "all cases pass" in row.when} == {"sanitizer", *SPEED.values()}


def test_memory_checks_state_their_limit_and_their_lesson(course, name):
    """The row of a memory check states its limit: as the number in the report, or for unused bytes as the percentage
    of the least traffic, from twice the least traffic on as a multiple. A formula before the limit evaluates to the
    limit.
    """
    for part in course.load(name).parts:
        rows, names = rows_of(name, part), part.names(part.memory.sizes)
        for check in part.memory.checks:
            row = rows[f"memory: {check.name}"]
            limit = float(evaluate(check.at_most, names))
            if check.measure == "coalescing" and limit < 2:
                assert f"unused bytes of moved sectors: at most {100 * (limit - 1):.3g} % " in row.goal
            elif check.measure == "coalescing":
                assert f"all unused bytes: at most {limit:.3g} times the least traffic" in row.goal
            else:
                assert re.search(rf"(?:at most|=) {limit:,.10g}\b", row.goal), row
            for formula in re.findall(r"`([^`]+)` = ", row.goal):
                assert evaluate(re.sub(r"ceil\((\w+)/(\w+)\)", r"ceil_div(\1, \2)", formula), names) == limit
            assert row.teaches == check.teaches


def test_speed_goals_state_their_shares_and_sizes(course, name):
    """The row of a speed goal states each required share of the model solution's speed, the points for the lower
    shares, and then the timed sizes and constants.
    """
    for part in course.load(name).parts:
        rows = rows_of(name, part)
        for kind, label in SPEED.items():
            goal = part.performance.classes[kind]
            full, *lower = goal.bands
            shares = [f"{100 * full.fraction:.3g} % of the model solution's speed"]
            shares += [f"{100 * band.fraction:.3g} % for {band.points:g} points" for band in lower]
            stated, rest = rows[label].goal[: len(", ".join(shares))], rows[label].goal[len(", ".join(shares)) :]
            assert stated == ", ".join(shares)
            sizes = {float(size) for size in goal.sizes.values()}
            fixed = {macro: value for macro, value in goal.constants.items() if macro not in part.choices.constants}
            assert numbers(rest) == sizes | {float(value) for value in fixed.values()}
            assert all(f"{macro} {value}" in rest for macro, value in fixed.items())


@pytest.mark.sampled
def test_simulated_runs_state_their_sizes(course, name):
    """The sanitizer's row states its sizes, and the sentence about the separate run states the sizes of the memory
    checks.
    """
    (own,) = re.findall(r"a separate run, at (.*?)\. ", prose(name))
    for part in course.load(name).parts:
        counted = {float(size) for size in part.memory.sizes.values()}
        assert counted <= numbers(own)
        assert numbers(own) <= {float(size) for each in course.load(name).parts for size in each.memory.sizes.values()}
        stated = numbers(rows_of(name, part)["sanitizer"].goal)
        sizes = {float(size) for size in part.sanitizer.sizes.values()}
        assert sizes <= stated
        assert stated <= {float(size) for each in course.load(name).parts for size in each.sanitizer.sizes.values()}


def test_the_sentences_below_state_the_points_of_correctness_and_sanitizer(course, name):
    """The text below the table states the points for correctness and the sanitizer together, which a kernel earns even
    if it avoids the exercise. It also states the sanitizer's points, which a missing barrier or guard costs.
    """
    text = prose(name)
    for part in course.load(name).parts:
        assert f"{part.correctness.points + part.sanitizer.points:g} of {part.points:g} points" in text
        assert f"the sanitizer's {part.sanitizer.points:g} points" in text
