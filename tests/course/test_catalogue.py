"""catalogue.py: assignment.yaml and course.yaml are read, and each error in them is reported in one line."""

import re
import shutil
from datetime import UTC, datetime
from itertools import count

import pytest
import yaml
from project import ASSIGNMENTS, ROOT

from grader.common.errors import InputError
from grader.course.catalogue import Course
from grader.course.policies.rules import LateRule, read_date


def test_names_are_the_folders(course):
    """Each assignment has the name of its folder."""
    assert course.names() == sorted(ASSIGNMENTS)


@pytest.mark.parametrize(("wrong", "right"), [("blockMM", "blockMMM"), ("coalTransp", "coalsTransp")])
def test_an_unknown_name_suggests_the_nearest(course, wrong, right):
    """For a misspelt name, the error suggests the nearest one."""
    with pytest.raises(InputError, match=f"did you mean {right}"):
        course.load(wrong)


def test_a_name_like_nothing_is_told_how_to_list_them(course):
    """For a name that resembles no other, the error names the command that lists all names."""
    with pytest.raises(InputError, match="there is no assignment 'zzzz'; `grader list` shows the names"):
        course.load("zzzz")


def test_a_name_of_the_course_around_the_folder_suggests_that_course(course, tmp_path, monkeypatch):
    """If another course around the current folder has the name, the error says how to choose this course. A similar
    name in the chosen course would mislead.
    """
    folder = tmp_path / "assignments" / "blocks"
    folder.mkdir(parents=True)
    (folder / "assignment.yaml").touch()
    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match=f"{tmp_path} is a course that contains it: add --course {tmp_path}"):
        course.load("blocks")


@pytest.fixture
def copy(tmp_path):
    """A copy of one assignment, for tests that damage it."""
    for part in ("assignments", "reference"):
        shutil.copytree(ROOT / part / "coalsTransp", tmp_path / part / "coalsTransp")
    return Course(assignments=tmp_path / "assignments", reference=tmp_path / "reference")


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [
        ("^title: .*\n", "", "title: Field required; add it."),
        ("^kernel:", "kernal:", "kernal: unknown key; did you mean kernel?"),
        ("^  - kernel: coalsTransp", "  - kernel: other", "no launch runs coalsTransp"),
        (r"args: \[A, B, height", "args: [A, C, height", "the argument C, which is not a buffer, a size, "),
        (r"ceil_to\(width, TILE\)", "ceil_to(width, TILES)", "TILES"),
        ("name: one row,", "name: one element,", "two cases or two memory checks have the same name"),
        (r"\{height: 1, width: 1\}", "{height: 1}", "must specify the sizes height, width"),
        (r"\{height: 1, width: 1\}", "{height: 0, width: 1}", "sizes must be at least 1"),
        (r"fraction: \S+, points: 10", "fraction: 0.99, points: 10", "from the highest fraction down"),
        (
            "^    gpu:\n",
            "    gpu:\n      constants: {TILE: 8, BLOCK: 64}\n",
            "a speed goal has the constant BLOCK, which",
        ),
        ("^title: .*", "title: [", "is not YAML"),
        (r"(?s)\A.*\Z", "- 1\n", "must contain fields"),
        ("points: 30", "points: many", "correctness.points"),
        ("points: 8", "points: -1", "sanitizer.points"),
        (
            r"(?s)^sanitizer:.*?\{height: 63, width: 95\}",
            "sanitizer:\n  points: 8\n  sizes: {height: 63}",
            "must specify",
        ),
        ("at_most: height", "at_most: heights", "heights"),
        ("measure: coalescing", "measure: coalescence", "memory.checks.1.measure"),
        ("name: bank conflicts", "name: bank conflicts (all)", "bank conflicts (all) ends with a bracket, like sizes"),
        ("name: bank conflicts", "name: coalesced accesses", "two cases or two memory checks have the same name"),
    ],
)
def test_a_malformed_file_is_one_line_with_path_field_and_remedy(copy, pattern, replacement, said):
    """Each error in assignment.yaml is reported in one line with the path, the field and how to fix it."""
    path = copy.assignments / "coalsTransp" / "assignment.yaml"
    text, count = re.subn(pattern, replacement, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        copy.load("coalsTransp")
    message = str(caught.value)
    assert str(path) in message
    assert said in message
    assert "\n" not in message


@pytest.mark.parametrize("name", ["kernels.cl", "baseline.cl", "oracle.py"])
def test_a_missing_reference_file_is_named(copy, name):
    """The error for a missing reference file contains its name."""
    (copy.reference / "coalsTransp" / name).unlink()
    with pytest.raises(InputError, match=f"{name} is missing"):
        copy.load("coalsTransp")


def test_a_sixth_assignment_is_two_folders(copy):
    """A new assignment is loaded from its two folders without any registration."""
    for part in (copy.assignments, copy.reference):
        shutil.copytree(part / "coalsTransp", part / "another")
    assert "another" in copy.names()
    assert copy.load("another").kernel == "coalsTransp"


def hints_of(copy, course_wide, own=""):
    """Return the assignment's `hints` with this text as course.yaml and with this line added to assignment.yaml."""
    (copy.assignments.parent / "course.yaml").write_text(course_wide)
    path = copy.assignments / "coalsTransp" / "assignment.yaml"
    path.write_text(path.read_text() + own)
    return copy.load("coalsTransp").hints


def test_hints_are_set_once_for_a_course(copy):
    """`hints` in course.yaml apply to each assignment that does not set its own. The default is `line`."""
    assert copy.load("coalsTransp").hints == "line"
    assert hints_of(copy, "hints: part\n") == "part"
    assert hints_of(copy, "hints: part\n", own="hints: none\n") == "none"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hints: part\nhnits: line\n", "line 2: hnits: unknown key; did you mean hints?"),
        (
            "# ours\n\nhints: lines\n",
            "line 3: hints: 'lines' is not a possible value; write 'none', 'line', ",
        ),
        ("- hints\n", "must contain fields such as `hints:`"),
    ],
)
def test_a_malformed_course_file_is_one_line_with_path_line_and_remedy(copy, text, said):
    """An unknown or invalid line in course.yaml is reported with the path, the line and how to fix it."""
    with pytest.raises(InputError) as caught:
        hints_of(copy, text)
    assert f"{copy.assignments.parent / 'course.yaml'}" in str(caught.value)
    assert said in str(caught.value)


POLICIES = """timezone: Europe/Berlin
due: 2026-12-01T23:59
late: {days: 3, percent: 10}
"""


def test_policies_are_those_of_the_course_unless_the_assignment_says_otherwise(copy):
    """A policy of an assignment replaces the whole field of the course. For example, no part of the course's `late` is
    kept.
    """
    assert copy.load("coalsTransp").due is None
    hints_of(copy, POLICIES)
    assignment = copy.load("coalsTransp")
    assert (assignment.due, assignment.late) == (read_date("2026-12-01T23:59"), LateRule(days=3, percent=10))
    hints_of(copy, POLICIES, own="due: 2026-12-08 12:00:00+09:00\nlate: {percent: 50}\nopens:\n")
    assignment = copy.load("coalsTransp")
    assert assignment.due == datetime(2026, 12, 8, 3, 0, tzinfo=UTC)
    assert (assignment.late, assignment.timezone) == (LateRule(percent=50), "Europe/Berlin")


def test_no_measurement_depends_on_policies(copy):
    """Policies do not change the hash of the measurements, so a changed date does not require another grading.

    Other machines need only the time zone.
    """
    measured = copy.load("coalsTransp").measured_sha256
    hints_of(copy, POLICIES, own="grace: 10\nopens: 2026-11-16T08:00\n")
    assert copy.load("coalsTransp").measured_sha256 == measured


@pytest.mark.parametrize(
    ("course_wide", "own", "said"),
    [
        (
            "due: tomorrow\n",
            "",
            "line 1: due: 'tomorrow' is not a date with a time; write one such as 2026-12-01T23:59",
        ),
        ("timezone: UTC\ndue: 2026-12-01\n", "", "line 2: due: '2026-12-01' is not a date with a time"),
        ("timezone: UTC\ndue: 1.12.2026 23:59\n", "", "line 2: due: '1.12.2026 23:59' is not a date"),
        ("timezone: UTC\ndue: 2026-02-29T12:00\n", "", "'2026-02-29T12:00' is not a date: day is out of range"),
        ("timezone: UTC\ndue: 2026-12-01T24:00\n", "", "is not a date: hour must be in 0..23"),
        ("timezone: UTC\ndue: 0026-12-01T12:00\n", "", "has an impossible year"),
        (
            "grace: 5\ndue: 2026-12-01T23:59\n",
            "",
            "line 2: due: 2026-12-01T23:59:00 has no time zone; set one in course.yaml",
        ),
        ("timezone: Berlin\n", "", "line 1: timezone: 'Berlin' is not a time zone; write one such as Europe/Berlin."),
        ("timezone: ../../etc\n", "", "is not a time zone"),
        (
            "timezone: Europe/Berlin\nopens: 2026-12-02T00:00\ndue: 2026-12-01T23:59\n",
            "",
            "line 3: due: 2026-12-01 23:59 CET is not after `opens`, 2026-12-02 00:00 CET.",
        ),
        ("grace: -1\n", "", "line 1: grace: must be at least 0."),
        ("late: {percent: 0}\n", "", "line 1: late.percent: must be more than 0."),
        (
            "late: {percents: 10}\n",
            "",
            "late.percents: unknown key; did you mean percent?",
        ),
        ("late: {days: three}\n", "", "line 1: late.days: `three` is not a whole number."),
        (POLICIES, "lat: accepted\n", ": lat: unknown key; did you mean late?"),
        (POLICIES, "foldr: x\n", ": foldr: unknown key; remove it, or correct its spelling."),
        ("late: {floor: 50}\n", "", "line 1: late: `floor` needs a `percent`"),
        ("attempts: {refill_hours: 4}\n", "", "line 1: attempts.most: Field required; add it."),
        (
            "counts: first\n",
            "",
            "line 1: counts: 'first' is not a possible value; write 'last', ",
        ),
        (POLICIES, "due: soon\n", "due: 'soon' is not a date with a time"),
        (
            POLICIES,
            "opens: 2027-01-01T12:00\n",
            "due: 2026-12-01 23:59 CET is not after `opens`, 2027-01-01 12:00 CET.",
        ),
    ],
    ids=count(),
)
def test_a_malformed_policy_is_one_line_with_path_line_field_and_remedy(copy, course_wide, own, said):
    """An invalid policy in either file is reported in one line with the path, the line, the field and how to fix it."""
    with pytest.raises(InputError) as caught:
        hints_of(copy, course_wide, own)
    message = str(caught.value)
    path = copy.assignments / "coalsTransp" / "assignment.yaml" if own else copy.assignments.parent / "course.yaml"
    assert message.startswith(f"{path}, line ")
    assert said in message
    assert "\n" not in message
    if own:
        assert f"line {path.read_text().count(chr(10))}: " in message


def test_a_part_of_a_suite_has_no_policies_of_its_own(copy):
    """Policies and `order` are refused in a part of a suite, because all parts are handed in together."""
    path = copy.assignments / "coalsTransp" / "assignment.yaml"
    fields = {**yaml.safe_load(path.read_text()), "groups": 2}
    part = {"kernel": fields.pop("kernel")}
    path.write_text(yaml.safe_dump({**fields, "parts": [part]}))
    suite = copy.load("coalsTransp")
    assert (suite.groups, suite.parts[0].groups) == (2, 1)
    for name in ("grace", "order"):
        path.write_text(yaml.safe_dump({**fields, "parts": [{**part, name: 5}]}))
        with pytest.raises(InputError, match=f"{name}: applies to the whole file; write it next to `parts`"):
            copy.load("coalsTransp")
