"""final.py and its pages: deductions, late days and groups lead to the same points as in a batch."""

import csv
import io
from dataclasses import replace as changed
from datetime import timedelta

import pytest
from final_grades import DUE, handed_in, opened, standing
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import result
from services import NOON, graded, upload

from grader.batch.lateness import apply_deadlines, deducted
from grader.batch.lists import Order, corrected
from grader.course.policies.corrections import Amount
from grader.course.policies.deadlines import Extension
from grader.course.submissions.handin import HandIn, Intake, Student
from grader.service.db.tables.decisions import Decision, DecisionRow, ExtensionRow
from grader.service.db.tables.people import PersonRow
from grader.service.db.tables.submissions import ShareRow
from grader.service.submissions.accept import accept
from grader.service.submissions.queue import claim, finish


def test_a_deduction_is_in_every_page_and_file_and_says_why(tmp_path):
    """Each page and file shows the deduction for lateness with its reason. Ten points less 10 % are 9."""
    service = opened(tmp_path, DUE + "late: {percent: 10}\n")
    service.passes(hours=20)
    attempt = handed_in(service, 10.0)
    ada, staff = service.browser("ada"), service.browser("staff")
    page = ada.get("/assignments/small").text
    assert "9 of 15 points" in page
    assert "= 10 less 10 % for 1 day late" in page
    assert "10 % less for each day that has begun" in page
    assert "9 = 10 less 10 % for 1 day late" in ada.get(service.page_of(attempt)).text
    assert "9 / 15" in ada.get("/").text
    assert ">9</a> <small>late</small>" in staff.get("/course/points").text
    line = next(csv.DictReader(io.StringIO(staff.get("/course/points.csv").content.decode("utf-8-sig"))))
    assert (line["small points"], line["small why"]) == ("9", "10 less 10 % for 1 day late")
    bearer = {"authorization": f"Bearer {service.token(service.ada, 'read')}"}
    (told,) = service.browser().get("/api/v1/assignments", headers=bearer).json()
    assert (told["points"], told["why"]) == (9, "10 less 10 % for 1 day late")
    service.database.close()


BEFORE = "The report shows the points before this deduction."


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("late", "hours", "words"),
    [
        ("{percent: 10}", 20, f"<p>9 = 10 less 10 % for 1 day late. {BEFORE}</p>"),
        ("{days: 0}", 20, f"<p>10 points, but 1 day late: not accepted any more. {BEFORE}</p>"),
        ("{days: 2}", 20, "<p>1 day late (1 late day used, 1 left), nothing taken off.</p>"),
        ("{percent: 10}", 0, ""),
    ],
    ids=["deduction", "nothing accepted", "late day", "in time"],
)
def test_if_lateness_costs_points_the_page_says_that_the_report_shows_those_before(tmp_path, late, hours, words):
    """If lateness costs points, the page says that the report shows the points before the deduction, because the stored
    report does not change.
    """
    service = opened(tmp_path, DUE + "late: accepted\n")
    service.passes(hours=hours)
    attempt = handed_in(service, 10.0)
    (service.course.assignments.parent / "course.yaml").write_text(DUE + f"late: {late}\n")
    page = service.browser("ada").get(service.page_of(attempt)).text
    assert words in page
    assert (BEFORE in page) == (BEFORE in words)
    service.database.close()


@pytest.mark.whole
def test_late_days_are_spent_over_the_course_and_close_what_is_left(tmp_path):
    """Late days are shared by all assignments. Two assignments use both days, so the third is closed after its due
    date.
    """
    service = opened(tmp_path, DUE + "late: {days: 2}\n", ("small", "second", "third"))
    service.passes(hours=20)
    handed_in(service, 10.0, assignment="small")
    assert (
        "1 late day of 2 left; nothing is accepted after them" in service.browser("ada").get("/assignments/second").text
    )
    service.passes(minutes=1)
    handed_in(service, 10.0, assignment="second")
    assert (
        standing(service, service.ada, "second").in_words == "1 day late (1 late day used, 0 left), nothing taken off"
    )
    assert "This assignment is closed" in upload(service.browser("ada"), page="/assignments/third").text
    assert upload(service.browser("ben"), page="/assignments/third").status_code == 303
    service.database.close()


days = st.integers(0, 4)
amounts = st.none() | st.builds(Amount, to=st.none() | st.integers(0, 15), by=st.integers(-20, 20))


happenings = {
    "work": st.lists(st.tuples(days, st.integers(0, 15)), min_size=6, max_size=6),
    "rule": st.sampled_from(["{days: 3, percent: 10, floor: 50}", "{percent: 25}", "{days: 2}", "accepted"]),
    "given_by_hand": st.tuples(st.integers(0, 3), amounts),
    "together": st.booleans(),
}
some = settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
many = settings(some, max_examples=15)


@pytest.mark.whole
@some
@given(**happenings)
def test_a_batch_gives_the_same_points(tmp_path_factory, work, rule, given_by_hand, together):
    """The service and a batch compute equal points for three students with one attempt at each of two assignments. The
    lateness, the deduction, an extension, a group and a correction are random.
    """
    are_the_same(tmp_path_factory, work, rule, given_by_hand, together)


@pytest.mark.whole
@many
@given(**happenings)
def test_a_batch_gives_the_same_points_by_more_examples(tmp_path_factory, work, rule, given_by_hand, together):
    """The service and a batch also compute equal points for three times as many random examples."""
    are_the_same(tmp_path_factory, work, rule, given_by_hand, together)


def are_the_same(tmp_path_factory, work, rule, given_by_hand, together):
    service = opened(tmp_path_factory.mktemp("same"), DUE + f"late: {rule}\ngroups: 2\n", ("small", "second"))
    people = service.ada, service.ben, service.person("cleo", "student")
    extra, amount = given_by_hand
    names = ("small", "second")
    points = _records(service, people, work, together)
    with service.database.writing() as session:
        if extra:
            due = NOON + timedelta(days=extra)
            row = {"attempts": 0, "reason": "ill", "who": "staff", "at": NOON}
            session.add(ExtensionRow(person_id=people[0], assignment="second", due=due, **row))
        if amount is not None:
            kind = Decision.ADD if amount.to is None else Decision.SET
            stated = amount.by if amount.to is None else amount.to
            row = {"points": stated, "comment": "so", "who": "staff", "at": NOON}
            session.add(DecisionRow(person_id=people[1], assignment="small", kind=kind, **row))
    batch = _batch(service, people, points, extra, amount)
    assert {key: standing(service, *key).points for key in points} == pytest.approx(batch)
    assert set(points) == {(person, name) for person in people for name in names}
    service.database.close()


def _records(service, people, work, together):
    """Store the attempts, and return their times and points by person and assignment. The first member hands in for the
    group.
    """
    found = {}
    for number, (late, earned) in enumerate(work):
        person, name = people[number % 3], ("small", "second")[number // 3]
        if together and person == people[1]:
            found[person, name] = found[people[0], name]
            continue
        when = NOON + timedelta(days=late, minutes=number - 60)
        service.now = when
        with service.database.writing() as session:
            offer = service.offer(person=person, assignment=name)
            free = service.app_state.cache.assignment(name).rules
            row = accept(
                session, offer, changed(free, policies=free.policies.model_copy(update={"late": "accepted"})), when
            )
            outcome = changed(graded(service.course), points=float(earned), early_points=float(earned))
            assert finish(session, claim(session, "one", when), outcome, when)
            if together and person == people[0]:
                session.add(ShareRow(attempt_id=row.id, person_id=people[1]))
        found[person, name] = (when, float(earned))
    if together:
        with service.database.writing() as session:
            for each in people[:2]:
                session.get_one(PersonRow, each).team = "7"
    return found


def _batch(service, people, points, extra, amount):
    """Return the points that a batch computes from the same records."""
    label = {each: str(each) for each in people}
    team = {each: "7" if len({points[each, "small"], points[people[0], "small"]}) == 1 else "" for each in people}
    handins = tuple(
        HandIn(
            student=Student(label=label[person], name=label[person]),
            assignment=name,
            where="",
            data=b"",
            team=team[person],
            submitted=when,
        )
        for (person, name), (when, _) in points.items()
    )
    assignments = {name: service.course.load(name) for name in ("small", "second")}
    due = Extension(due=NOON + timedelta(days=extra)) if extra else Extension()
    late = apply_deadlines(Intake(shape="", handins=handins), assignments, {(label[people[0]], "second"): due})
    order = None if amount is None else Order(where="", comment="so", amount=amount)
    return {
        (person, name): corrected(
            deducted(result(points=earned, max_points=15), late.costs.get((label[person], name))),
            order if (person, name) == (people[1], "small") else None,
            15.0,
        ).points
        for (person, name), (_, earned) in points.items()
    }
