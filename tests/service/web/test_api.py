"""The API for students: programs hand in and read results with a token."""

import re

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from services import SOURCE

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.db.tables.submissions import AttemptRow


def caller(service, person=None, scopes="read submit"):
    client = service.browser()
    client.headers["authorization"] = f"Bearer {service.token(person or service.ada, scopes)}"
    return client


def rows(service, table):
    with service.database.reading() as session:
        return session.query(table).all()


def test_handing_in_twice_with_one_key_stores_once_and_a_result_is_read(service):
    """A terminal that repeats a request after a lost answer stores only one attempt, and can read its result later."""
    client, path = caller(service), "/api/v1/assignments/small/attempts?key=k"
    first, again = (client.post(path, content=SOURCE) for _ in range(2))
    assert first.json() == again.json()
    assert (first.status_code, first.json()["state"], first.json()["ahead"]) == (201, "waiting", 0)
    service.graded(rows(service, AttemptRow)[0].id)
    own = f"/api/v1/attempts/{first.json()['id']}"
    done = client.get(own).json()
    assert (done["state"], done["points"]) == ("done", done["max_points"])
    assert done["result"]["checks"]
    assert client.get(f"{own}/file").content == SOURCE
    assert client.get("/api/v1/assignments").json()[0]["points"] == done["points"]


@pytest.mark.parametrize(
    ("name", "data", "status", "words"),
    [
        ("small", b"", 409, "empty"),
        ("small", b"x" * (SIZE_LIMIT + 1), 409, "1 MiB"),
        ("small", b"x" * (3 * SIZE_LIMIT), 413, "1 MiB"),
        ("none", SOURCE, 404, "no such"),
    ],
)
def test_what_cannot_be_handed_in_is_a_sentence_and_stores_nothing(service, name, data, status, words):
    """A file that a page would refuse is also refused by the API with a sentence that gives the reason, and nothing is
    stored.
    """
    said = caller(service).post(f"/api/v1/assignments/{name}/attempts?key=k", content=data)
    assert said.status_code == status
    assert words in said.text
    assert rows(service, AttemptRow) == []


def test_the_description_of_the_api_has_every_address_and_no_page(service):
    """The OpenAPI description lists every API route and no page. The page about the API loads nothing from
    other sites.
    """
    client = service.browser()
    paths = client.get("/openapi.json").json()["paths"]
    assert "/api/v1/me" in paths
    assert all(path.startswith("/api/v1/") for path in paths)
    shown = client.get("/api").text
    assert "<code>note</code> (a step that begins" in shown
    assert "`" not in shown
    assert all(path in shown.replace("<wbr>", "") for path in paths)
    assert re.findall(r'src="([^"?]+)', shown) == ["/static/times.js"]


def test_the_description_of_the_api_is_valid_openapi(service):
    """An independent validator finds no error in the API's description, and does find an error after a required field
    is removed.
    """
    described = service.browser().get("/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    assert [error.message for error in OpenAPIV31SpecValidator(described).iter_errors()] == []
    del next(iter(described["paths"].values()))["get"]["responses"]["200"]["description"]
    assert not OpenAPIV31SpecValidator(described).is_valid()
