"""Errors of fields in the words of YAML. The messages of pydantic have names of Python's types."""

from typing import Any

UNKNOWN = "extra_forbidden"
"""Kind of error for an unknown key."""

MAPPING = "must be a mapping; write it in braces, such as {{name: value}}"

TRUTH_VALUE = "must be true or false"

MESSAGES = {
    "missing": "Field required; add it",
    "tuple_type": "must be a list; write it in brackets, such as [n]",
    "dict_type": MAPPING,
    "model_type": MAPPING,
    "model_attributes_type": MAPPING,
    "invalid_key": "the name of a field must be text; write it in quotation marks",
    "string_type": "must be text; write it in quotation marks",
    "bool_type": TRUTH_VALUE,
    "bool_parsing": TRUTH_VALUE,
    "path_type": "must be a path",
    "ip_any_network": "must be a network, such as 10.0.0.0/8",
    "greater_than_equal": "must be at least {ge:g}",
    "greater_than": "must be more than {gt:g}",
    "less_than_equal": "must be at most {le:g}",
    "less_than": "must be less than {lt:g}",
}
"""Message for each kind of error, with the limits that pydantic gives."""

NUMBERS = {
    **dict.fromkeys(("int_parsing", "int_type", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_parsing", "float_type"), "a number"),
}
"""Description of a valid value for each kind of error."""


def message(error: Any) -> str:
    """Return the message about a refused field. A mapping is not quoted, because it may contain secrets."""
    kind, value = error["type"], error["input"]
    if kind in {"literal_error", "enum"} and not isinstance(value, dict):
        return f"{value!r} is not a possible value; write {error['ctx']['expected']}."
    if value is None and kind != "missing":
        return "has no value; write one, or remove the field."
    if kind in NUMBERS and isinstance(value, str | int | float):
        return f"`{value}` is not {NUMBERS[kind]}."
    known = MESSAGES.get(kind)
    words = known.format(**error.get("ctx", {})) if known else error["msg"].removeprefix("Value error, ")
    return words if words.endswith("?") else f"{words}."
