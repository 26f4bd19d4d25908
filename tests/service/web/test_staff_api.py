"""The API for staff: each noun of the course as JSON, with scopes, cursors, and errors in one sentence."""

import json
import re

import pytest
from services import Service, graded, post

from grader.service.db.tables.audit import AuditRow
from grader.service.db.tables.people import CourseRole, PersonRow
from grader.service.people.auth.api_tokens import INSTRUCTOR_SCOPES, OWN_SCOPES, TokenScope

DUE = "attempts: {most: 3}\ndue: 2026-12-01T23:59\ntimezone: Europe/Berlin\n"


@pytest.fixture
def dated(tmp_path):
    """Return a service whose assignment has a due date and a limit of attempts."""
    made = Service(tmp_path, policies=DUE)
    yield made
    made.database.close()


class Program:
    """A program with a token of a person."""

    def __init__(self, service, scopes, person=None):
        self.client = service.browser()
        self.client.headers["authorization"] = f"Bearer {service.token(person or service.staff, scopes)}"

    def get(self, path, **query):
        return self.client.get(f"/api/v1/course/{path}", params=query)

    def post(self, path, **body):
        return self.client.post(f"/api/v1/course/{path}", json=body)

    def delete(self, path, **query):
        return self.client.delete(f"/api/v1/course/{path}", params=query)


def test_lists_are_paged_by_cursor_without_gaps(service):
    """Pages of one row contain each person once, and the last page has no cursor."""
    program, seen, cursor = Program(service, "roster:read"), [], 0
    while cursor is not None:
        page = program.get("people", cursor=cursor, limit=1).json()
        seen += [each["key"] for each in page["items"]]
        cursor = page["next"]
    assert seen == ["ada", "ben", "staff"]
    assert program.get("people").json()["next"] is None


def test_attempts_results_and_grades_are_what_the_pages_show(service):
    """Attempts can be filtered, results come in each format, and the points include hidden checks."""
    attempt = service.graded(service.hand_in(), graded(service.course, passed=False))
    service.hand_in(person=service.ben)
    program = Program(service, "attempts:read results:read grades:read assignments:read")
    (one,) = program.get("attempts", student="ada", assignment="small").json()["items"]
    assert (one["id"], one["state"], one["graded"]) == (service.attempt(attempt).public, "done", True)
    assert program.get(f"attempts/{one['id']}").json() == one
    assert program.get(f"attempts/{one['id']}/file").content.startswith(b"__kernel")
    assert program.get(f"attempts/{one['id']}/results/result.json").json()["checks"]
    assert program.get(f"attempts/{one['id']}/results/junit.xml").text.startswith("<?xml")
    assert program.get(f"attempts/{one['id']}/results/report.sarif").json()["version"] == "2.1.0"
    assert program.get(f"attempts/{one['id']}/results/code-quality.json").json()[0]["location"]
    ada, ben = program.get("grades").json()["items"]
    assert (ada["student"], ada["grades"][0]["attempt"]) == ("ada", one["id"])
    assert ada["grades"][0]["points"] == service.gradings(attempt)[0].points
    assert (ben["grades"][0]["points"], ben["grades"][0]["state"]) == (None, "open")
    assert program.get("grades", assignment="small", cursor=service.ada).json()["items"] == [ben]
    assert program.get("assignments").json()[0]["name"] == "small"


def test_an_extension_is_given_listed_and_withdrawn(dated):
    """An extension by a program takes effect like one from the page, and the audit trail names the token's owner."""
    program = Program(dated, "extensions:read extensions:write")
    wanted = {"student": "ada", "assignment": "small", "until": "2026-12-03T12:00", "attempts": 1, "reason": "ill"}
    made = program.post("extensions", **wanted)
    assert made.status_code == 201
    assert (made.json()["due"], made.json()["given_by"]) == ("2026-12-03T11:00:00Z", "staff")
    assert program.get("extensions").json()["items"] == [made.json()]
    assert program.delete(f"extensions/{made.json()['id']}").status_code == 204
    assert program.get("extensions").json()["items"] == []
    with dated.database.reading() as session:
        assert [row.who for row in session.query(AuditRow).filter(AuditRow.what.contains("extension"))] == ["staff"] * 2


def test_a_decision_is_made_listed_and_withdrawn(service):
    """A decision by a program changes the points at once, and its withdrawal restores them."""
    program = Program(service, "overrides:read overrides:write grades:read")
    made = program.post("overrides", student="ada", assignment="small", points="12.5", comment="by hand")
    assert (made.status_code, made.json()["kind"]) == (201, "set")
    assert program.get("overrides").json()["items"] == [made.json()]
    assert program.get("grades").json()["items"][0]["grades"][0]["points"] == 12.5
    assert program.delete(f"overrides/{made.json()['id']}").status_code == 422  # a reason is needed
    assert program.delete(f"overrides/{made.json()['id']}", comment="mistake").status_code == 204
    assert program.get("overrides").json()["items"] == []


@pytest.mark.whole
def test_a_regrade_is_ordered_and_its_result_read(service):
    """A program orders a regrading, and reads which points have changed once it has ended."""
    attempt = service.graded(service.hand_in())
    program = Program(service, "regrades:read regrades:write")
    made = program.post("regrades", assignment="small", which="latest").json()
    assert (made["ended"], made["unfinished"], made["order"]["ordered_by"]) == (False, 1, "staff")
    service.graded(attempt, graded(service.course, passed=False))
    done = program.get(f"regrades/{made['order']['id']}").json()
    assert (done["ended"], done["changes"][0]["student"]) == (True, "ada")
    assert program.get("regrades").json()["items"] == [made["order"]]
    assert program.post("regrades", assignment="small", which="latest", matching="x").status_code == 409


WRONG = {
    "an unknown student": (422, {"student": "zoe"}, "No person of this course has the key 'zoe'"),
    "a date that is none": (422, {"until": "soon"}, "The date cannot be read"),
    "a missing reason": (422, {"reason": None}, "The field `reason` is not valid"),
    "an unknown field": (422, {"colour": "red"}, "The field `colour` is not valid"),
    "nothing given": (422, {"until": "", "attempts": 0}, "This extends nothing"),
    "an unknown assignment": (404, {"assignment": "none"}, "no such"),
}


@pytest.mark.sampled
@pytest.mark.parametrize("named", WRONG)
def test_a_wrong_request_is_refused_in_one_sentence(dated, named):
    """Each mistake in a body is answered with a sentence, and nothing is stored."""
    status, wrong, words = WRONG[named]
    right = {"student": "ada", "assignment": "small", "until": "2026-12-03T12:00", "attempts": 0, "reason": "ill"}
    program = Program(dated, "extensions:read extensions:write")
    said = program.post("extensions", **{**right, **wrong})
    assert said.status_code == status
    assert words in said.json()["detail"]
    assert said.json()["detail"].endswith(".")
    assert program.get("extensions").json()["items"] == []


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", json.dumps({"student": "a" * 300}).encode()], ids=len)
def test_a_body_that_is_no_object_is_refused_in_one_sentence(service, body):
    """A body that is not the JSON object that the API describes is refused with a sentence."""
    client = Program(service, "overrides:write").client
    headers = {"content-type": "application/json"}
    said = client.post("/api/v1/course/overrides", content=body, headers=headers)
    assert (said.status_code, list(said.json())) == (400 if body == b"\xff" else 422, ["detail"])


def test_a_token_serves_only_people_whose_role_allows_its_scope(service):
    """A person who no longer teaches, and an assistant whose token has an instructor's scope, are refused."""
    tom = service.person("tom", CourseRole.ASSISTANT)
    reading, deciding = Program(service, "roster:read", tom), Program(service, "overrides:write", tom)
    assert reading.get("people").status_code == 200
    said = deciding.post("overrides", student="ada", assignment="small", points="1", comment="so")
    assert (said.status_code, "instructor" in said.json()["detail"]) == (401, True)
    with service.database.writing() as session:
        session.get_one(PersonRow, tom).role = CourseRole.STUDENT
    assert reading.get("people").status_code == 401


@pytest.mark.whole
def test_the_page_offers_only_scopes_that_the_role_may_use(service):
    """Students get no scopes for the course, assistants none for decisions, also with a form that names them."""
    service.person("tom", CourseRole.ASSISTANT)
    for key, offered in {
        "ada": set(OWN_SCOPES),
        "tom": {*TokenScope} - INSTRUCTOR_SCOPES,
        "staff": {*TokenScope},
    }.items():
        client = service.browser(key)
        assert {each for each in TokenScope if f'name="{each}"' in client.get("/tokens").text} == offered
        fields = {"name": "x", "days": "7", "overrides:write": "yes"}
        said = post(client, "/tokens", form="/tokens", **fields)
        assert said.status_code == (200 if key == "staff" else 422)


def test_a_terminal_gets_no_scope_for_the_course(service):
    """The device flow refuses scopes for the course, because one click confirms it."""
    asked = {"client_id": "laptop", "scope": "read grades:read"}
    said = service.browser().post("/api/v1/device/code", data=asked)
    assert said.json() == {"error": "invalid_scope"}


def test_each_request_for_staff_names_its_scope_in_the_description(service):
    """Each route for staff refuses a token with all other scopes, and its description names the scope."""
    paths = service.browser().get("/openapi.json").json()["paths"]
    scopes = {}
    for path, methods in paths.items():
        for method, told in methods.items():
            if path.startswith("/api/v1/course/"):
                (scopes[f"{method} {path}"],) = re.findall(
                    r"Needs the scope `([a-z:]+)`\.", " ".join(told["description"].split())
                )
    assert {*scopes.values()} == {*TokenScope} - {*OWN_SCOPES}
    for route, scope in scopes.items():
        method, _, path = route.partition(" ")
        others = " ".join(each for each in TokenScope if each != scope)
        there = re.sub(r"\{\w+\}", "1", path)
        said = Program(service, others).client.request(method, there, json={} if method == "post" else None)
        assert (route, said.status_code, scope in said.json()["detail"]) == (route, 401, True)
