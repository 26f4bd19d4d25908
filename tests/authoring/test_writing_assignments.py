"""docs/writing-assignments.md and docs/assignment-reference.md: the example works, and the tables list every field."""

import re
from dataclasses import dataclass

import pytest
import yaml
from courses import ADDITION, course_of
from documents import commands_in, run_all
from jsonschema import Draft202012Validator
from project import ROOT

from grader.authoring.golden import Expectation
from grader.authoring.schema import REFERENCE, assignment_schema
from grader.course.computation import PROGRAMS
from grader.course.elements import REAL, SCALARS, STATED, VECTORS
from grader.course.program import launches_in

pytestmark = pytest.mark.long

GUIDE = (ROOT / "docs" / "writing-assignments.md").read_text(encoding="utf-8")
FIELDS = (ROOT / "docs" / "assignment-reference.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\**)`([\w.]+)`\1 \|", re.MULTILINE)

BLOCK = re.compile(
    r"(?:`(?P<file>my-course/\S+)`:\n\n)?^(?P<fence>`{3,})(?P<kind>\w+)\n(?P<text>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
"""A code block of the guide, preceded by the name of the file if the block is the content of a file."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A command of the guide, the content of the files that readers have edited before it, and the output that the
    guide shows.
    """

    command: str
    files: dict[str, str]
    shown: str = ""


def steps_of(text):
    """Return the commands of the guide, in order."""
    steps, files = [], {}
    for block in BLOCK.finditer(text):
        if block["file"]:
            files = {**files, block["file"]: block["text"]}
        elif block["kind"] == "sh":
            steps += [Step(command=each, files=files) for each in commands_in(block[0])]
        elif block["kind"] == "text":
            last = steps.pop()
            steps.append(Step(command=last.command, files=last.files, shown=block["text"]))
    return steps


EXAMPLES = [block["text"] for block in BLOCK.finditer(GUIDE) if block["kind"] == "yaml" and not block["file"]]
"""Fields of assignments of other kinds than the guide's example."""

STEPS = steps_of(GUIDE)
NEW, *AFTER = STEPS
ON_RIGHT_KERNELS = [each for each in AFTER if re.search("/reference/|/adds-in-place", each.command)]
TIMED = [
    each for each in AFTER if each.command.split()[1] in {"validate", "selftest"} and "--quick" not in each.command
]


@pytest.fixture
def follow(tmp_path, locks):
    """Return a function that drafts the example in an empty folder, follows the given steps and returns the output of
    the last one.
    """
    run_all([NEW.command], tmp_path, locks)

    def run(steps, code):
        for step in steps:
            for name, text in step.files.items():
                assert (tmp_path / name).is_file(), "the guide edits a file that is not in the draft"
                (tmp_path / name).write_text(text)
            verb = step.command.split()[1]
            (said,) = run_all([step.command], tmp_path, locks, **{verb: code})
            assert step.shown in "".join(f"{line.rstrip()}\n" for line in said.splitlines())
        return said

    return run


def test_each_command_of_the_guide_is_run_by_one_of_these_tests():
    """The guide contains exactly the commands that these tests run, in this order."""
    assert all(each.command.startswith("grader ") for each in STEPS)
    verbs = [each.command.split()[1] for each in STEPS]
    example = ["new", "validate", "validate", "grade", "grade"]
    assert verbs == [*example, "show", "init", "grade", "grade", "profile", "selftest", "schema", "export"]
    assert len(ON_RIGHT_KERNELS) == 3
    assert len(TIMED) == 2
    assert len([each for each in STEPS if each.shown]) == 1
    assert len(AFTER[-1].files) == 8


@pytest.mark.whole
def test_the_commands_work_in_the_order_of_the_guide(follow, tmp_path):
    """The commands that do not time kernels work in the order of the guide and print the output that it shows. The
    first validation finds a stale handout, and the following steps lead to the grading of the skeleton.
    """
    failing = {"validate", "grade"}
    for step in AFTER:
        if step not in (*TIMED, *ON_RIGHT_KERNELS):
            said = follow([step], int(step.command.split()[1] in failing))
            assert "old-y-left-out --" not in step.command or "the old y is left out" in " ".join(said.split())
    assert (tmp_path / "my-solution" / "HANDOUT.md").is_file()


@pytest.mark.whole
@pytest.mark.timed
def test_the_example_holds(follow):
    """The example passes the commands that time its model solution. The output of `grader validate` fits into 80
    columns.
    """
    validated, selftested = (follow([each], 0) for each in TIMED)
    assert "stridedAxpy: all statements are true\n" in validated
    assert max(map(len, validated.splitlines())) <= 80
    assert "FALSE" not in selftested


@pytest.mark.whole
@pytest.mark.timed
def test_the_right_kernels_of_the_example_pass(follow, simulator):  # noqa: ARG001 - it is installed
    """The correct golden submission earns all points, and `grade` and `profile` accept the model solution."""
    right, *model = ON_RIGHT_KERNELS
    assert re.search(r"total +100 / 100", follow([right], 0))
    follow(model, 0)


def assignment_with(example):
    """Return the fields of an assignment with these ones. Its only launch, unless they have a program, gets all arrays
    and sizes.
    """
    fields = {**ADDITION, **example, "performance": {**ADDITION["performance"], **example.get("performance", {})}}
    sizes = dict.fromkeys(fields["sizes"], 64)
    case = {"name": "small", "sizes": sizes}
    fields["correctness"] = {
        **ADDITION["correctness"],
        "cases": [case, *example.get("correctness", {}).get("cases", ())],
    }
    (goal,) = ADDITION["performance"]["classes"].values()
    fields["performance"]["classes"] = {"cpu": {**goal, "sizes": sizes}}
    fields["performance"]["verifier"] = "oracle"
    launch = {"kernel": "add", "args": [*fields["buffers"], *sizes], "global": [64], "local": [64]}
    if "program" in example:
        fields |= {"kernel": launches_in(example["program"])[0]["kernel"]}
        fields.pop("launches")
    else:
        fields["launches"] = [launch]
    return {**fields, "baseline": [launch]}


@pytest.mark.sampled
@pytest.mark.parametrize("text", EXAMPLES, ids=["bytes", "vectors", "structs", "program"])
def test_an_example_of_another_kind_can_be_read(text, tmp_path):
    """grader and the schema accept an assignment with the fields of the example."""
    fields = assignment_with(yaml.safe_load(text))
    assignment = course_of(tmp_path, fields).load("small")
    assert set(assignment.buffers) == set(fields["buffers"])
    assert list(Draft202012Validator(assignment_schema()).iter_errors(fields)) == []


def test_the_examples_have_what_the_reference_explains():
    """The examples show types of all kinds, an image, constant memory, a kernel that runs alone, all kinds of steps
    except a swap, and three rules.
    """
    kinds = {"uchar", "float4", "structs", "real", "image", "constant", "alone"}
    words = {*kinds, "kernel", "fill", "for", "repeat", "until", "share", "multiset", "judge", "count"}
    assert {word for word in words if not re.search(rf"\b{word}\b", "".join(EXAMPLES))} == set()


def documented(section):
    """Return the fields in a section's tables, each with True if it is marked as required."""
    return {name: bool(stars) for stars, name in ROW.findall(section)}


def sections():
    """Return the sections about assignment.yaml by their headings."""
    text = FIELDS.partition("\n## expected.yaml\n")[0]
    return dict(each.split("\n", 1) for each in text.split("\n## ")[1:])


def fields_of(schema, path="", *, required=False):
    """Yield the path of each innermost field of a schema, and True if the field is required."""
    for inside in (schema.get("items"), schema.get("additionalProperties"), schema):
        if isinstance(inside, dict) and "$ref" in inside:
            schema = DEFINITIONS[inside["$ref"].removeprefix(REFERENCE)]
    if "properties" not in schema:
        yield path, required
    for name, field in schema.get("properties", {}).items():
        below = f"{path}.{name}" if path else name
        yield from fields_of(field, below, required=name in schema.get("required", ()))


DEFINITIONS = assignment_schema()["$defs"]


STEPS_OF_A_PROGRAM = "Steps of a program"


def test_every_field_of_the_file_is_in_a_table_and_no_other():
    """The tables list exactly the fields of assignment.yaml. Required fields are in bold."""
    found = {}
    for heading, text in sections().items():
        if heading == STEPS_OF_A_PROGRAM:
            continue
        named = re.findall(r"`(\w+)`", heading)
        one = [""] if not named or heading == "`scalars` and `local`" else [f"{name}." for name in named]
        found |= {f"{prefix}{field}": bold for prefix in one for field, bold in documented(text).items()}
    assert found == dict(fields_of(DEFINITIONS["Whole"]))


def fields_of_steps():
    """Yield the fields of each kind of step except launches: the field that tells the kind, then KIND.FIELD."""
    for kind in ("Fill", "Swap", "For", "Repetition"):
        first = next(iter(DEFINITIONS[kind]["properties"]))
        for path, required in fields_of(DEFINITIONS[kind]):
            yield path if path == first else f"{first}.{path}", required


def test_every_field_of_a_step_is_in_its_table():
    """The table lists `kernel`, whose fields have a table of their own, and all fields of the other steps."""
    assert documented(sections()[STEPS_OF_A_PROGRAM]) == {"kernel": True, **dict(fields_of_steps())}


def values_of(schema):
    """Yield the words that a field of the file can have as its value."""
    if isinstance(schema, dict):
        yield from schema.get("enum", ())
        yield from (value for below in schema.values() for value in values_of(below))
    elif isinstance(schema, list):
        yield from (value for below in schema for value in values_of(below))


@pytest.mark.whole
def test_every_value_that_a_field_may_have_is_explained():
    """The reference mentions each accepted value in code font. A sentence explains the vectors."""
    vectors = {*STATED} - SCALARS.keys() - {REAL}
    values = set(values_of(assignment_schema())) - vectors
    assert {value for value in values if f"`{value}`" not in FIELDS} == set()
    *numbers, last = map(str, VECTORS)
    assert f"with {', '.join(numbers)} or {last}, such as" in FIELDS


def test_the_sections_that_are_required_are_named():
    """The reference names the required sections and has a section about `parts`."""
    top = sections()["The top"]
    containers = {name for name in DEFINITIONS["Whole"]["required"] if name not in documented(top)}
    assert {*containers, *PROGRAMS.values()} == {"buffers", "launches", "baseline", "correctness"}
    assert "`buffers`, `launches`, `baseline` and `correctness` are required" in top
    assert all(f"With `{program}`, leave out" in top for program in PROGRAMS)
    assert "`parts`" in sections()


def test_every_field_of_expected_yaml_is_in_its_table():
    """The table lists exactly the fields of expected.yaml. Required fields are in bold."""
    section = FIELDS.partition("\n## expected.yaml\n")[2]
    required = {name: field.is_required() for name, field in Expectation.model_fields.items()}
    assert documented(section) == required


@pytest.mark.parametrize("text", [GUIDE, FIELDS], ids=["guide", "reference"])
def test_it_is_short(text):
    """Each document has at most 350 lines, because readers give up on longer ones."""
    assert len(text.splitlines()) <= 350
