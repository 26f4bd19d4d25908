"""docs/writing-assignments.md: every command works, and the tables list every field of the files."""

import re

import pytest
from documents import commands_in, run_all
from project import ROOT

from grader.authoring.golden import Expectation
from grader.authoring.schema import REFERENCE, assignment_schema

pytestmark = pytest.mark.long

TEXT = (ROOT / "docs" / "writing-assignments.md").read_text(encoding="utf-8")
COMMANDS = commands_in(TEXT)
ROW = re.compile(r"^\| (\**)`([\w.]+)`\1 \|", re.MULTILINE)

ON_THE_MODEL_SOLUTION = [command for command in COMMANDS if " my-course/reference/" in command]


TIMED = [command for command in COMMANDS if command.split()[1] in {"validate", "selftest"}]


@pytest.mark.whole
def test_the_commands_work_in_the_order_they_stand(tmp_path, locks):
    """The commands without timing work in the document's order.

    In an empty folder, they lead from a draft to the grading of its skeleton.
    """
    assert all(command.startswith("grader ") for command in COMMANDS)
    verbs = [command.split()[1] for command in COMMANDS]
    assert verbs == ["new", "validate", "show", "init", "grade", "grade", "profile", "export", "selftest", "schema"]
    run_all([command for command in COMMANDS if command not in {*TIMED, *ON_THE_MODEL_SOLUTION}], tmp_path, locks)
    assert (tmp_path / "my-solution" / "HANDOUT.md").is_file()


@pytest.mark.whole
@pytest.mark.timed
def test_the_draft_holds(tmp_path, locks):
    """The draft passes the commands that time its model solution."""
    assert len(TIMED) == 2
    _, validated, _ = run_all([COMMANDS[0], *TIMED], tmp_path, locks)
    assert "axpy: all of it holds" in validated
    assert max(map(len, validated.splitlines())) <= 80


@pytest.mark.whole
@pytest.mark.timed
def test_the_model_solution_of_the_draft_passes(tmp_path, locks, simulator):  # noqa: ARG001 - it is installed
    """The draft's model solution passes `grade` and `profile`."""
    assert len(ON_THE_MODEL_SOLUTION) == 2
    run_all([COMMANDS[0], *ON_THE_MODEL_SOLUTION], tmp_path, locks, grade=0, profile=0)


def documented(section):
    """Return the fields in a section's tables and True for those marked as required."""
    return {name: bool(stars) for stars, name in ROW.findall(section)}


def sections():
    """Return the sections about assignment.yaml by heading."""
    text = TEXT.partition("\n## assignment.yaml\n")[2].partition("\n## ")[0]
    return dict(each.split("\n", 1) for each in text.split("\n### ")[1:])


def fields_of(schema, path="", *, required=False):
    """Yield the path of each innermost field below a part of the schema, and True if it is required."""
    for inside in (schema.get("items"), schema.get("additionalProperties"), schema):
        if isinstance(inside, dict) and "$ref" in inside:
            schema = DEFINITIONS[inside["$ref"].removeprefix(REFERENCE)]
    if "properties" not in schema:
        yield path, required
    for name, field in schema.get("properties", {}).items():
        below = f"{path}.{name}" if path else name
        yield from fields_of(field, below, required=name in schema.get("required", ()))


DEFINITIONS = assignment_schema()["$defs"]


def test_every_field_of_the_file_is_in_a_table_and_no_other():
    """The tables list exactly the fields of assignment.yaml, with required ones in bold."""
    found = {}
    for heading, text in sections().items():
        named = re.findall(r"`(\w+)`", heading)
        one = [""] if not named or heading == "`scalars` and `local`" else [f"{name}." for name in named]
        found |= {f"{prefix}{field}": bold for prefix in one for field, bold in documented(text).items()}
    assert found == dict(fields_of(DEFINITIONS["Whole"]))


def values_of(schema):
    """Yield the words that fields of the file accept as values."""
    if isinstance(schema, dict):
        yield from schema.get("enum", ())
        yield from (value for below in schema.values() for value in values_of(below))
    elif isinstance(schema, list):
        yield from (value for below in schema for value in values_of(below))


def test_every_value_that_a_field_may_have_is_explained():
    """The document contains each accepted value as code."""
    assert {value for value in values_of(assignment_schema()) if f"`{value}`" not in TEXT} == set()


def test_the_sections_that_are_required_are_named():
    """The document names the required sections and has a section about `parts`."""
    top = sections()["The top"]
    containers = {name for name in DEFINITIONS["Whole"]["required"] if name not in documented(top)}
    assert containers == {"buffers", "launches", "baseline", "correctness"}
    assert "`buffers`, `launches`, `baseline` and `correctness` are required" in top
    assert "`parts`" in sections()


def test_every_field_of_expected_yaml_is_in_its_table():
    """The table lists exactly the fields of expected.yaml, with required ones in bold."""
    section = TEXT.partition("\n## Golden submissions\n")[2].partition("\n## ")[0]
    required = {name: field.is_required() for name, field in Expectation.model_fields.items()}
    assert documented(section) == required


def test_it_is_short():
    """The document has at most 350 lines, because readers stop at a longer one."""
    assert len(TEXT.splitlines()) <= 350
