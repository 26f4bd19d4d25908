"""schema.py: the JSON schema accepts and rejects the same files as the grader."""

import json
from copy import deepcopy
from datetime import datetime
from functools import cache

import pytest
import yaml
from jsonschema import Draft202012Validator
from project import ASSIGNMENTS, ROOT

from grader.authoring.schema import assignment_schema, course_schema, result_schema


@cache
def validator():
    """Return the validator of assignments."""
    return Draft202012Validator(assignment_schema())


def fields_of(name):
    """Return the fields of a shipped assignment.yaml."""
    return yaml.safe_load((ROOT / "assignments" / name / "assignment.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def fields():
    """The fields of an assignment with one kernel."""
    return fields_of("blockMMM")


@pytest.fixture
def suite(fields):
    """The fields of a suite of two kernels that share sizes, buffers and most of the checks."""
    common = deepcopy(fields)
    launches = common.pop("launches")
    del common["kernel"]
    del common["buffers"]["C"]["shape"]
    cases = common["correctness"].pop("cases")
    own = {"launches": launches, "correctness": {"cases": cases}, "buffers": {"C": {"shape": ["heightA", "widthB"]}}}
    return {**common, "parts": [{**deepcopy(own), "kernel": name} for name in ("first", "second")]}


def read(text):
    """Read YAML with dates as strings."""
    fields = yaml.safe_load(text)
    return {name: str(value) if isinstance(value, datetime) else value for name, value in fields.items()}


def said(fields):
    """Return each distinct error of the schema as a pair of its place and its message."""
    return sorted(
        {(".".join(map(str, error.absolute_path)), error.message) for error in validator().iter_errors(fields)}
    )


@pytest.mark.whole
def test_the_schema_is_one():
    """The schema is a valid JSON schema."""
    Draft202012Validator.check_schema(assignment_schema())


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_shipped_assignment_is_right_by_it(name):
    """The schema accepts every shipped assignment."""
    assert said(fields_of(name)) == []


def test_where_an_assignment_was_found_is_no_field_of_the_file(fields):
    """The schema has no fields for where an assignment was found. It requires only the title of every file."""
    for name in ("name", "folder", "reference", "part"):
        assert name not in validator().schema["properties"]
        assert said({**fields, name: "somewhere"}) != []
    assert validator().schema["required"] == ["title"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ((), "kernal"),
        (("buffers", "A"), "shapes"),
        (("launches", 0), "globals"),
        (("correctness",), "case"),
        (("correctness", "cases", 3), "size"),
        (("memory", "checks", 0), "at_least"),
        (("performance", "classes", "cpu"), "band"),
    ],
)
def test_a_misspelt_field_is_marked_where_it_stands(fields, path, name):
    """A misspelt field is reported with its name and its place, at any depth."""
    place = fields
    for step in path:
        place = place[step]
    place[name] = 1
    places = dict(said(fields))
    assert set(places) == {".".join(map(str, path))}
    assert name in next(iter(places.values()))


@pytest.mark.parametrize("name", ["title", "kernel", "sizes", "buffers", "launches", "baseline", "correctness"])
def test_a_missing_field_is_named(fields, name):
    """A missing field is reported with its name if the grader requires it of an assignment with one kernel."""
    del fields[name]
    assert said(fields) == [("", f"'{name}' is a required property")]


def test_a_missing_field_inside_is_named_where_it_should_be(fields):
    """If a field is missing in a nested mapping or list, the error gives the place of that mapping or list."""
    del fields["correctness"]["points"]
    del fields["launches"][0]["local"]
    assert said(fields) == [
        ("correctness", "'points' is a required property"),
        ("launches.0", "'local' is a required property"),
    ]


def test_a_part_of_a_suite_says_only_what_differs(suite):
    """The required fields of a suite may be given next to `parts`, inside the parts, or in both places."""
    assert said(suite) == []


def test_a_part_names_its_kernel(suite):
    """A part must have a kernel. It has no other required field."""
    del suite["parts"][1]["kernel"]
    assert said(suite) == [("parts.1", "'kernel' is a required property")]


def test_a_misspelt_field_of_a_part_is_marked(suite):
    """A misspelt field of a part is reported at that part."""
    suite["parts"][0]["corectness"] = suite["parts"][0].pop("correctness")
    ((where, message),) = said(suite)
    assert where == "parts.0"
    assert "corectness" in message


def test_what_stands_in_a_list_of_a_suite_is_complete(suite):
    """The items of a list in a part must be complete, because the list replaces the common list instead of being merged
    with it.
    """
    del suite["parts"][0]["correctness"]["cases"][2]["sizes"]
    assert said(suite) == [("parts.0.correctness.cases.2", "'sizes' is a required property")]


def test_policies_hold_for_a_whole_suite(suite):
    """Policies such as the due date are accepted next to `parts` and rejected inside a part, because they apply to the
    whole suite.
    """
    assert said({**suite, "due": "2026-12-01T23:59", "late": {"percent": 10}}) == []
    suite["parts"][0]["due"] = "2026-12-01T23:59"
    assert [where for where, _ in said(suite)] == ["parts.0"]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("hints: part\ntimezone: Europe/Berlin\ndue: 2026-12-01 23:59\nlate: {days: 3, percent: 10}\n", []),
        ("late: refuse\n", ["late"]),
        ("late: {percents: 10}\n", ["late"]),
        ("attempts: {refill_hours: 4}\n", ["attempts"]),
        ("deu: 2026-12-01T23:59\n", [""]),
    ],
)
def test_what_course_yaml_may_say(text, places):
    """The schema of course.yaml accepts and rejects the same texts as the grader. Dates are strings."""
    schema = course_schema()
    Draft202012Validator.check_schema(schema)
    found = Draft202012Validator(schema).iter_errors(read(text))
    assert [".".join(map(str, error.absolute_path)) for error in found] == places


@pytest.mark.whole
def test_every_field_says_what_it_is_for():
    """Every field has a description, because editors show it."""
    schema = assignment_schema()
    for kind in (course_schema(), *schema["$defs"].values()):
        for name, field in kind.get("properties", {}).items():
            assert field.get("description") or "$ref" in field or "anyOf" in field, name


@pytest.mark.whole
def test_the_texts_are_json_with_descriptions():
    """The generated text of a schema contains the descriptions of fields, and the text for results contains the version
    of the format.
    """
    assert '"description"' in json.dumps(assignment_schema())
    assert '"grader-result/' in json.dumps(result_schema())
