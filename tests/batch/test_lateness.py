"""lateness.py: the due date that counts, the deduction for late work, and its mention in every file with points."""

import csv
import dataclasses
import json
from datetime import timedelta

import pytest
from courses import course_of
from fake_workforce import GOOD, handin, intake
from hidden_parts import WITHOUT_POINTS, Batch, points_in

from grader.batch.lateness import TAKEN_FOR_LATE, TAKEN_FOR_ON_TIME, apply_deadlines, deducted
from grader.batch.lists import CORRECTIONS, EXTENSIONS
from grader.common.record import replace
from grader.course.policies.deadlines import Extension
from grader.course.policies.rules import LateRule, read_date
from grader.lms.exports.moodle import MoodleWorksheet
from grader.lms.exports.sheet import read_sheet
from grader.results.withholding import released

DUE = {"timezone": "Europe/Berlin", "due": read_date("2026-12-01T23:59")}
TEN = LateRule(percent=10, floor=50)
MODIFIED = (
    "Identifier,Full name,Last modified (submission),Grade,Maximum grade,Feedback comments\r\n"
    "Participant 7,Anna,{},,{},\r\n"
)


@pytest.fixture
def applied(transposition):
    """Return a function that applies these policies to hand-ins. Its extensions are given by the student's label."""

    def applied(*handins, extensions=None, **policies):
        by_key = {(label, "coalsTransp"): each for label, each in (extensions or {}).items()}
        return apply_deadlines(intake(*handins), {"coalsTransp": replace(transposition, **policies)}, by_key)

    return applied


def at(label, text=None, **more):
    return handin(label, label.encode(), submitted=None if text is None else read_date(text), **more)


def late_in(found):
    return [each.student.label for each in found.intake.handins if each.late]


def why(found, label):
    return found.costs[label, "coalsTransp"].why


def test_without_policies_nothing_changes(applied):
    """Without policies, the late marks of the platform are kept, but they cost no points and are not reported."""
    given = (at("anna", "2026-12-24T12:00"), at("bob", late=True))
    found = applied(*given)
    assert (found.intake.handins, found.costs, found.lines) == (given, {}, ())


def test_the_due_date_of_the_course_beats_what_the_platform_calls_late(applied):
    """The due date of the course overrides the platform's late mark in both directions, and the run says so."""
    found = applied(at("anna", "2026-12-01T23:59", late=True), at("bob", "2026-12-01T22:59:01Z"), late=TEN, **DUE)
    assert late_in(found) == ["bob"]
    assert why(found, "bob") == (
        "1 day late: handed in 2026-12-01 23:59:01 CET, due 2026-12-01 23:59 CET by course.yaml; 10 % off"
    )
    assert found.lines == (
        "coalsTransp: due 2026-12-01 23:59 CET by course.yaml. The late marks of the platform do not count.",
        "Marked late by the platform, but on time by this due date (coalsTransp): anna.",
    )


def test_where_no_time_is_known_the_platform_is_believed(applied):
    """If the time of a hand-in is unknown, the platform's late mark decides and counts as 1 day.

    The run lists the students who count as on time and those who count as late.
    """
    found = applied(at("anna", late=True), at("bob"), late=TEN, **DUE)
    assert late_in(found) == ["anna"]
    assert why(found, "anna") == "marked late by the platform, which does not give the time: counted as 1 day; 10 % off"
    assert found.lines[1:] == (
        f"{TAKEN_FOR_ON_TIME} (coalsTransp): bob.",
        f"{TAKEN_FOR_LATE} (coalsTransp): anna.",
    )
    assert TAKEN_FOR_ON_TIME.endswith("not marked late, so they count as on time")
    assert TAKEN_FOR_LATE.endswith("the platform marks them late, so they count as 1 day late")


@pytest.mark.parametrize("file", ["course.yaml", "assignment.yaml"])
def test_the_file_in_which_the_due_date_stands_is_named(tmp_path, file):
    """The first line and the reason for a deduction name the file with the due date. assignment.yaml overrides
    course.yaml.
    """
    course = course_of(tmp_path)
    (tmp_path / "course.yaml").write_text("timezone: Europe/Berlin\ndue: 2026-12-01T23:59\nlate: {percent: 10}\n")
    with (course.assignments / "small" / "assignment.yaml").open("a") as text:
        text.write("due: 2026-12-01T23:59\n" if file == "assignment.yaml" else "")
    late = dataclasses.replace(at("anna", "2026-12-02T12:00"), assignment="small")
    found = apply_deadlines(intake(late), {"small": course.load("small")}, {})
    assert found.lines[0] == f"small: due 2026-12-01 23:59 CET by {file}. The late marks of the platform do not count."
    assert f"due 2026-12-01 23:59 CET by {file}; 10 % off" in found.costs["anna", "small"].why


def test_without_a_due_date_a_rule_holds_for_whom_the_platform_calls_late(applied):
    """Without a due date, the late rule applies to hand-ins that the platform marks as late.

    A course can therefore keep its dates in the platform and still deduct points.
    """
    found = applied(at("anna", "2026-12-24T12:00", late=True), late="refused")
    assert why(found, "anna").endswith("; not accepted any more")
    assert found.lines == ("coalsTransp: no due date in course.yaml, so the platform decides which work is late.",)


def test_late_work_that_is_accepted_is_marked_and_costs_nothing(applied):
    """By default, late work is marked as late but loses no points."""
    found = applied(at("anna", "2026-12-03T00:00"), **DUE)
    assert (late_in(found), found.costs) == (["anna"], {})


def test_an_extension_moves_the_date_of_one(applied):
    """An extension moves the due date of one student. The reason for a deduction states the extended date."""
    days = {"anna": Extension(extra=timedelta(days=2)), "bob": Extension(extra=timedelta(days=1))}
    found = applied(at("anna", "2026-12-03T23:59"), at("bob", "2026-12-03T23:59"), late=TEN, extensions=days, **DUE)
    assert late_in(found) == ["bob"]
    assert "1 day late: handed in 2026-12-03 23:59 CET, due 2026-12-02 23:59 CET extended; 10 %" in why(found, "bob")


def test_who_is_extended_and_of_unknown_time_is_taken_for_on_time(applied):
    """A student with an extension whose hand-in time is unknown counts as on time, and the run reports it.

    The platform may not know about the extension.
    """
    found = applied(at("anna", late=True), late="refused", extensions={"anna": Extension(extra=timedelta(1))}, **DUE)
    assert late_in(found) == []
    assert "Marked late by the platform, but extended, so they count as on time (coalsTransp): anna." in found.lines


def test_a_team_is_late_together(applied):
    """An extension for one member applies to the whole team, and every member uses the same number of late days."""
    both = (at("anna", "2026-12-03T12:00", team="t"), at("bob", "2026-12-03T12:00", team="t"))
    found = applied(*both, late=LateRule(days=2), **DUE)
    assert why(found, "anna") == why(found, "bob")
    assert why(found, "bob").endswith("by course.yaml; 2 late days used, 0 left, no points off")
    assert applied(*both, extensions={"bob": Extension(extra=timedelta(2))}, late="refused", **DUE).costs == {}
    three = (*both, at("carol", "2026-12-01T12:00", team="t"))
    assert "In a group of more than 2 (coalsTransp): anna, bob, carol." in applied(*three, groups=2, **DUE).lines
    assert not any("group" in line for line in applied(*both, groups=2, **DUE).lines)


def test_late_days_are_for_all_assignments_of_a_batch(transposition):
    """Late days are shared by all assignments of a batch and are used in the order in which work was handed in."""
    rule = {"late": LateRule(days=3), **DUE}
    works = {name: replace(transposition, name=name, **rule) for name in ("first", "second")}
    found = apply_deadlines(
        intake(at("anna", "2026-12-04T12:00", assignment="first"), at("anna", "2026-12-02T12:00", assignment="second")),
        works,
        {},
    )
    assert (found.costs["anna", "second"].lateness.left, found.costs["anna", "first"].lateness.accepted) == (2, False)
    assert "Late days are counted over the assignments of this batch: first, second." in found.lines


def test_what_a_batch_cannot_do_is_said(applied):
    """A batch has one hand-in per student, so it reports that it ignores `counts`. It lists early hand-ins."""
    found = applied(at("anna", "2026-11-01T12:00"), counts="best", opens=read_date("2026-11-16T08:00"), **DUE)
    assert "Handed in before it opened (coalsTransp): anna." in found.lines
    assert "`counts` applies only to the submission service" in found.lines[-1]


def test_points_are_deducted_from_what_was_earned(applied):
    """The points before the deduction plus the deduction give the points after it. Grades on time do not change."""
    found = applied(at("anna", "2026-12-02T12:00"), late=TEN, **DUE)
    after = deducted(GOOD, found.costs["anna", "coalsTransp"])
    assert (after.deduction.before, after.deduction.points, after.deduction.after) == (
        GOOD.points,
        -GOOD.points / 10,
        after.points,
    )
    assert deducted(GOOD, None) is GOOD


# --- in every file ------------------------------------------------------------------------------


class LateBatch(Batch):
    """A batch in which Anna, according to the worksheet, hands in two days after the due date in `DUE`."""

    def worksheet(self):
        text = MODIFIED.format('"Thursday, 3 December 2026, 12:10 AM"', f"{self.whole.max_points:g}")
        return MoodleWorksheet(sheet=read_sheet("worksheet.csv", text.encode()))

    def graded(self, **policies):
        """Run the batch with these policies and return the number of gradings that ran."""
        _, gradings = self.run(view=released, assignment=replace(self.assignment, **policies))
        return gradings


@pytest.fixture
def batch(tmp_path):
    return LateBatch(tmp_path, "practice")


def test_a_deduction_stands_in_every_file_with_points_and_runs_nothing(batch):
    """Every file shows the points before and after the deduction and its reason. A new policy needs no new grading."""
    assert batch.graded() == 1
    before = batch.whole.points
    as_it_was = {name: batch.read(name) for name in ("grades.csv", "batch.xml", "index.html")}
    assert points_in(batch) == pytest.approx(dict.fromkeys(points_in(batch), before))
    assert batch.graded(late=TEN, **DUE) == 0
    after = before * 0.8
    assert points_in(batch) == pytest.approx(dict.fromkeys(points_in(batch), after))
    words = (
        f"Late: {before:g} points before, {before * 0.2:g} deducted, {after:g} left (2 days late: handed in 2026-12-03"
    )
    with_points = {name: data for name, data in batch.for_students().items() if not name.endswith(WITHOUT_POINTS)}
    for name, data in with_points.items():
        assert words in data.decode() or '"why": "2 days late' in data.decode(), name
    assert words in batch.moodle()["Feedback comments"]
    for name in ("index.html", "batch.xml"):
        assert words in batch.read(name)
    assert "small: due 2026-12-01 23:59 CET by course.yaml" in batch.read("index.html")
    (row,) = csv.DictReader(batch.read("grades.csv").splitlines())
    kept = json.loads((batch.folder / "out" / "students" / "Anna Alt" / "small.json").read_text())["deduction"]
    assert (float(row["points_before_deduction"]), float(row["deduction"])) == (kept["before"], kept["points"])
    assert (row["deduction_reason"], row["late"]) == (kept["why"], "yes")
    assert f"{after:g} of {batch.whole.max_points:g} points ({-before * 0.2:+g} for lateness)" in batch.said[-1]
    assert batch.graded() == 0
    assert {name: batch.read(name) for name in as_it_was} == as_it_was


def test_corrections_come_last(batch):
    """A signed correction is added to the points after the deduction, and an unsigned one replaces them."""
    batch.graded()
    path = batch.folder / "out" / CORRECTIONS
    for points, after in (("+1", batch.whole.points * 0.8 + 1), ("12", 12)):
        path.write_text(f"student,assignment,points,comment\n7,small,{points},by hand\n")
        batch.graded(late=TEN, **DUE)
        assert points_in(batch) == pytest.approx(dict.fromkeys(points_in(batch), after))


def test_an_extension_beside_the_corrections_is_obeyed(batch):
    """An entry in extensions.csv among the results lifts a refusal. It may use the platform's key for the student."""
    batch.graded(late="refused", **DUE)
    assert set(points_in(batch).values()) == {0}
    (batch.folder / "out" / EXTENSIONS).write_text("student,assignment,extra\n7,small,2 days\n")
    batch.graded(late="refused", **DUE)
    assert points_in(batch) == pytest.approx(dict.fromkeys(points_in(batch), batch.whole.points))


def test_a_deduction_tells_nothing_of_hidden_checks(tmp_path):
    """A deduction is a percentage of the points that students see, so it reveals no outcome of hidden checks."""
    told = []
    for name in ("failed", "passed"):
        batch = LateBatch(tmp_path / name, "case")
        if name == "passed":
            right = batch.right()
            batch.whole = replace(batch.whole, checks=right.checks, points=right.points)
        batch.run(assignment=replace(batch.assignment, late=TEN, **DUE))
        told.append((batch.for_students(), batch.read("moodle-worksheet.csv"), batch.read("canvas-gradebook.csv")))
        assert "deducted" in batch.moodle()["Feedback comments"]
    assert told[0] == told[1]
