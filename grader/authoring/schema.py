"""The published JSON schemas: assignment.yaml and course.yaml for editors, and the JSON report for programs that read
it.

The assignment.yaml of a suite has `parts`. Each part states its differences from the fields next to `parts`. With
`parts`, a required field may therefore be in either place, and a mapping in either place may be incomplete. Lists
replace each other as a whole, so a list is always complete.
"""

import ast
import inspect
from itertools import pairwise
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core.core_schema import ModelSchema

from grader.common.record import Record
from grader.course.assignment import Assignment
from grader.course.catalogue import CourseRules
from grader.course.computation import PROGRAMS
from grader.course.folders import NOT_IN_THE_FILE
from grader.course.policies.rules import POLICIES
from grader.course.suite import Suite
from grader.results.result import Result

Fields = dict[str, Any]
"""A JSON schema, or part of one."""

REFERENCE = "#/$defs/"


def result_schema() -> Fields:
    """Return the schema of the JSON report."""
    return _schema(Result, "serialization")


def assignment_schema() -> Fields:
    """Return the schema of assignment.yaml."""
    record = _stated(_schema(Assignment))
    definitions: Fields = record["$defs"]
    fields = {name: field for name, field in record["properties"].items() if name not in NOT_IN_THE_FILE}
    required = [name for name in record["required"] if name not in {*NOT_IN_THE_FILE, *PROGRAMS.values()}]
    either = [{"if": {"required": [one]}, "else": {"required": [other]}} for one, other in PROGRAMS.items()]
    some = {name: _partial(field) for name, field in fields.items()}
    parts = _schema(Suite)["properties"]["parts"]
    return {
        "title": "assignment.yaml",
        "description": "What an assignment asks for: of one kernel or, with `parts`, of several in one kernels.cl.",
        "type": "object",
        "additionalProperties": False,
        "properties": {**some, "parts": {**parts, "items": {"$ref": f"{REFERENCE}Part"}}},
        "required": ["title"],
        "if": {"required": ["parts"]},
        "else": {"$ref": f"{REFERENCE}Whole"},
        "$defs": {
            **definitions,
            **{_partial_name(name): _relaxed(each) for name, each in definitions.items()},
            "Whole": {"description": "Of one kernel.", "properties": fields, "required": required, "allOf": either},
            "Part": {
                "description": "Fields of this kernel that differ from the fields next to `parts`.",
                "type": "object",
                "additionalProperties": False,
                "properties": {name: field for name, field in some.items() if name not in POLICIES},
                "required": ["kernel"],
            },
        },
    }


def course_schema() -> Fields:
    """Return the schema of course.yaml."""
    return {**_stated(_schema(CourseRules)), "title": "course.yaml"}


def _schema(record: type[Record], mode: JsonSchemaMode = "validation") -> Fields:
    return record.model_json_schema(schema_generator=_Explained, mode=mode)


class _Explained(GenerateJsonSchema):
    """Describes each field with the string below it. pydantic can do this only while it defines a record, which would
    slow down every command.
    """

    def model_schema(self, schema: ModelSchema) -> Fields:
        """Return the schema of one record."""
        made, record = super().model_schema(schema), schema["cls"]
        for name, words in _said_below_fields(record).items():
            if name in record.model_fields:  # strings below class constants do not describe a field
                made["properties"][record.model_fields[name].alias or name].setdefault("description", words)
        return made


def _said_below_fields(record: type) -> dict[str, str]:
    """Return the string below each field, by field name, including the fields of base records."""
    said: dict[str, str] = {}
    for each in (each for each in reversed(record.__mro__) if issubclass(each, Record)):
        (written,) = ast.parse(inspect.getsource(each)).body
        assert isinstance(written, ast.ClassDef)
        for field, below in pairwise(written.body):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                    said[name] = inspect.cleandoc(words)
    return said


def _stated(schema: Any) -> Any:
    """Return the schema without nulls, so that editors show simpler text. Authors do not write nulls in the file."""
    if isinstance(schema, list):
        return [_stated(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: _stated(each) for name, each in schema.items() if (name, each) != ("default", None)}
    choices = [each for each in kept.get("anyOf", ()) if each != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        return {**choices[0], **kept}
    return {**kept, "anyOf": choices} if choices else kept


def _relaxed(schema: Fields) -> Fields:
    """Return the schema of a mapping without required fields, since some of them may be in the other place. Other
    schemas are returned unchanged.
    """
    if "properties" not in schema:
        return schema
    fields = {name: _partial(field) for name, field in schema["properties"].items()}
    return {**{name: each for name, each in schema.items() if name != "required"}, "properties": fields}


def _partial(schema: Fields) -> Fields:
    """Return the schema with mappings that may be incomplete. Lists must still be complete."""
    relaxed = dict(schema)
    if "$ref" in schema:
        relaxed["$ref"] = REFERENCE + _partial_name(schema["$ref"].removeprefix(REFERENCE))
    if "anyOf" in schema:
        relaxed["anyOf"] = [_partial(each) for each in schema["anyOf"]]
    if isinstance(schema.get("additionalProperties"), dict):
        relaxed["additionalProperties"] = _partial(schema["additionalProperties"])
    return relaxed


def _partial_name(name: str) -> str:
    return f"Partial{name}"
