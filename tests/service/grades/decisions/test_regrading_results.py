"""regrading_results.py: the page of a regrading lists the attempts whose points have changed."""

import re
from dataclasses import replace

import pytest
from services import graded, post


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
