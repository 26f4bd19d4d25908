"""The type `real` in assignment.yaml: the floating type that the constant `real` names.

An exercise changes its precision in one line if its arrays have this type. Kernels get the constant as a macro.
"""

from collections.abc import Mapping
from typing import Any

from grader.course.elements import REAL, SCALARS

TYPED = ("buffers", "scalars", "local")
"""Sections of assignment.yaml with a field `type` for each name."""


def without_real(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of assignment.yaml with the named type in place of `real`. They are unchanged if no constant
    names a floating type.
    """
    constants = fields.get("constants")
    named = constants.get(REAL) if isinstance(constants, dict) else None
    if not isinstance(named, str) or named not in SCALARS or not SCALARS[named].is_floating:
        return dict(fields)
    changed = {section: _each(fields.get(section), lambda each: _typed(each, named)) for section in TYPED}
    changed["structs"] = _each(fields.get("structs"), lambda each: _fielded(each, named))
    return {**fields, **{section: value for section, value in changed.items() if section in fields}}


def _each(named: Any, change: Any) -> Any:
    """Apply a change to each value of a mapping. Anything else is returned unchanged for the validation."""
    return {name: change(value) for name, value in named.items()} if isinstance(named, dict) else named


def _typed(value: Any, named: str) -> Any:
    return {**value, "type": _resolved(value["type"], named)} if isinstance(value, dict) and "type" in value else value


def _fielded(value: Any, named: str) -> Any:
    if not isinstance(value, dict) or "fields" not in value:
        return value
    return {**value, "fields": _each(value["fields"], lambda kind: _resolved(kind, named))}


def _resolved(kind: Any, named: str) -> Any:
    is_real = isinstance(kind, str) and kind.rstrip("0123456789") == REAL
    return f"{named}{kind.removeprefix(REAL)}" if is_real else kind
