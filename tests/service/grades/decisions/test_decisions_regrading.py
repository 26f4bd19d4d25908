"""regrading.py: attempts that are graded again wait behind hand-ins, and their selection reveals nothing hidden."""

import re
from dataclasses import replace

import pytest
from hidden_parts import failing, hiding_course, right
from services import FREE, Service, graded, post

from grader.service.db.tables.grading_states import State
from grader.service.station.grader import ready
from grader.service.submissions.accept import REGRADING_PRIORITY
from grader.service.submissions.queue import fail, give_up


@pytest.mark.parametrize(
    ("fields", "chosen", "after"),
    [
        ({"which": "best"}, [[1], [1]], [[2], [1]]),
        ({"which": "all", "matching": "WRONG_OUTPUT"}, [[], []], [[1], [2]]),
        pytest.param({"which": "latest", "matching": "ragged"}, [[], []], [[], [2]], marks=pytest.mark.whole),
    ],
)
def test_a_regrading_before_the_release_does_not_show_who_fails_a_hidden_check(tmp_path, fields, chosen, after):
    """Before the release, a regrading does not reveal which of two similar attempts fails a hidden check. In both
    cases, a selection takes the same attempts, and the student's pages are identical. After the release, hidden checks
    also select attempts.
    """

    def regraded(worse, *, released):
        folder = tmp_path / f"{worse} {released}"
        course = hiding_course(folder / "course", "case")
        service, assignment = Service(folder, course=course), course.load("small")
        outcomes = {True: failing(right(assignment), 2), False: right(assignment)}
        for number in (1, 2):
            service.graded(service.hand_in(), ready(outcomes[number == worse], assignment))
        staff, ada = service.browser("staff"), service.browser("ada")
        if released:
            post(staff, "/course/assignments/small/release", "/course/assignments/small")
        said = post(staff, "/course/regrade", "/course", assignment="small", **fields)
        again = [number for number in (1, 2) if len(service.gradings(number)) == 2]
        assert said.status_code == (303 if again else 422)
        assert again or "Before release, hidden checks do not select attempts" in said.text or released
        publics = "|".join(service.attempt(number).public for number in (1, 2))
        pages = (ada.get(each).text for each in ("/", "/assignments/small", *map(service.page_of, (1, 2))))
        drawn_by_lot = rf'{publics}|(?<=name="form_token" value=")[^"]*|(?<=name="form_key" value=")[^"]*'
        seen = [re.sub(drawn_by_lot, "", each) for each in pages]
        service.database.close()
        return again, seen

    before = [regraded(worse, released=False) for worse in (1, 2)]
    assert [again for again, _ in before] == chosen
    assert before[0][1] == before[1][1]
    assert [regraded(worse, released=True)[0] for worse in (1, 2)] == after


def test_a_regrading_that_matches_nothing_says_so(service):
    """A regrading that matches no attempt is refused with this reason and is not listed."""
    service.graded(service.hand_in())
    staff = service.browser("staff")
    said = post(staff, "/course/regrade", "/course", assignment="small", which="all", matching="DATA_RACE")
    assert said.status_code == 422
    assert "No regradings yet" in staff.get("/course/regradings").text


@pytest.fixture
def staff(service):
    return service.browser("staff")


def test_what_failed_by_our_fault_is_listed_and_tried_again(service, staff):
    """An attempt that failed because of a fault is listed and can be tried again, which adds a new grading to the
    queue.
    """
    attempt = service.hand_in()
    claimed = service.claim()
    with service.database.writing() as session:
        give_up(session, claimed, "no device <b>", service.now)
    assert "no device &lt;b&gt;" in staff.get("/course/system").text
    assert '<a class="attention" href="/course/system#faults">1</a>' in staff.get("/course").text
    assert post(staff, f"/course/faults/{claimed.grading_id}/again").status_code == 303
    assert post(staff, f"/course/faults/{claimed.grading_id}/again").status_code == 409
    assert "no device" not in staff.get("/course/system").text
    service.graded(attempt)
    assert [row.state for row in service.gradings(attempt)] == [State.FAULTED, State.DONE]
    assert "tries again after a fault" in staff.get("/course/audit").text


@pytest.mark.parametrize(("which", "chosen"), [("latest", 1), ("best", 0)])
def test_a_course_is_graded_again_behind_everybody(service, staff, which, chosen):
    """A regrading waits behind all hand-ins. The old points count until the new ones exist and are kept afterwards."""
    attempts = [
        service.graded(service.hand_in()),
        service.graded(service.hand_in(), graded(service.course, passed=False)),
    ]
    before = service.gradings(attempts[chosen])[0].points
    assert post(staff, "/course/regrade", "/course", assignment="small", which=which).status_code == 303
    row = service.gradings(attempts[chosen])[-1]
    assert (row.state, row.priority, row.why) == (State.WAITING, REGRADING_PRIORITY, "regraded")
    assert len(service.gradings(attempts[1 - chosen])) == 1
    assert f">{before:g}<" in staff.get("/course/points").text or which == "latest"
    ada = service.browser("ada")
    assert "being graded again" in ada.get("/assignments/small").text
    assert "/cancel" not in ada.get(service.page_of(attempts[chosen])).text
    assert post(ada, f"{service.page_of(attempts[chosen])}/cancel").status_code == 303
    assert service.state(attempts[chosen]) == State.WAITING
    service.graded(attempts[chosen])
    assert "graded again: " in staff.get("/course/audit?by=stations").text


def test_a_regrading_that_fails_leaves_the_old_result(service, staff):
    """If a regrading fails, the old result still counts."""
    attempt = service.graded(service.hand_in(FREE))
    old = service.attempt(attempt).counted_id
    post(staff, "/course/regrade", "/course", assignment="small", which="best")
    for _ in range(3):
        claimed = service.claim()
        with service.database.writing() as session:
            fail(session, claimed, "no device", service.now)
        service.passes(minutes=1)
    assert (service.attempt(attempt).counted_id, service.state(attempt)) == (old, State.FAULTED)
    assert re.search("<b>([0-9.]+)</b> / \\1 points", service.browser("ada").get(service.page_of(attempt)).text)


@pytest.mark.whole
@pytest.mark.parametrize("fields", [{"assignment": "small", "which": "worst"}, {"assignment": "x", "which": "best"}])
def test_a_regrading_of_nothing_we_know_is_refused(staff, fields):
    """A regrading with an unknown selection or assignment is refused."""
    assert post(staff, "/course/regrade", "/course", **fields).status_code in {404, 422}


def worth(service, points):
    return replace(graded(service.course), points=points, early_points=points)


@pytest.mark.parametrize(
    ("fields", "chosen"),
    [
        pytest.param({"which": "all"}, {1, 2, 3}, marks=pytest.mark.whole),
        ({"which": "latest"}, {2, 3}),
        pytest.param({"which": "best"}, {1, 3}, marks=pytest.mark.whole),
        pytest.param({"which": "all", "matching": "wrong_output"}, {2}, marks=pytest.mark.whole),
        ({"which": "all", "matching": "correctness"}, {2}),
    ],
)
def test_the_chosen_attempts_are_graded_again_and_the_page_says_what_changed(service, fields, chosen):
    """The selected attempts are graded again, here with 3 points, and the page lists their old and new points. Ada's
    second attempt was wrong before.
    """
    service.graded(service.hand_in())
    service.graded(service.hand_in(), graded(service.course, passed=False))
    service.graded(service.hand_in(person=service.ben))
    staff = service.browser("staff")
    said = post(staff, "/course/regrade", "/course", assignment="small", **fields)
    assert said.headers["location"] == "/course/regradings/1"
    assert {number for number in (1, 2, 3) if len(service.gradings(number)) == 2} == chosen
    for _ in chosen:
        service.finish(service.claim(), worth(service, 3.0))
    page = staff.get("/course/regradings/1").text
    assert f"{len(chosen)} attempt" in page
    assert page.count('<td data-name="to">3</td>') == len(chosen)
    before = [f"{service.gradings(number)[0].points:g}" for number in sorted(chosen)]
    assert re.findall('<td data-name="from">(.*?)</td>', page) == before
    assert "/course/regradings/1" in staff.get("/course/regradings").text
