"""struct_definitions.py: the definitions that precede a text, and the ones that the text has itself."""

import pytest

from grader.course.structs import StructFields, all_laid_out, laid_out
from grader.grading.checks.compilation.struct_definitions import types_before
from grader.grading.explain.problem import Problem

PAIR = laid_out("Pair", StructFields(fields={"key": "uint", "value": "float"}), {})
TIGHT = laid_out("Tight", StructFields(fields={"key": "uchar", "value": "float"}, packed=True), {})

KERNEL = "__kernel void k(__global struct Pair *x) { struct Pair own = x[0]; }"


def before(*lines):
    """Return what precedes a text with these lines."""
    return types_before((PAIR, TIGHT), lines)


def test_a_text_without_definitions_gets_all():
    """The definitions of all structs precede a text that has none. Uses of a struct are no definitions."""
    assert before(KERNEL) == f"{PAIR.definition} {TIGHT.definition}"


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        ("typedef struct { uint key; float value; } Pair;", ""),
        ("typedef struct Pair { unsigned int key; float value; } Pair;", ""),
        ("typedef float real; typedef struct { uint key; real value; } Pair;", ""),
        ("struct pair_s { uint key; float value; }; typedef struct pair_s Pair;", ""),
        ("struct Pair { uint key; float value; };", "typedef struct Pair Pair; "),
        ("typedef struct Pair Pair;", "struct Pair { uint key; float value; }; "),
    ],
)
def test_a_text_with_the_same_layout_is_used(line, rest):
    """A definition with the same fields replaces the grader's, or the part of it that the text has."""
    assert before(line, KERNEL) == f"{rest}{TIGHT.definition}"


def test_a_packed_definition_is_the_same_if_its_offsets_are():
    """The attribute of a packed struct may stand at either place."""
    for line in (
        "typedef struct __attribute__((packed)) { uchar key; float value; } Tight;",
        "typedef struct { uchar key; float value; } __attribute__ ((__packed__)) Tight;",
    ):
        assert before(line) == PAIR.definition


@pytest.mark.parametrize(
    "line",
    [
        "typedef struct { uint key; float other; } Pair;",
        "typedef struct { float value; uint key; } Pair;",
        "typedef struct { uint key; float value, more; } Pair;",
        "typedef struct { uint key; float value[1]; } Pair;",
        "typedef struct { uint key; float value; } __attribute__((aligned(16))) Pair;",
        "typedef struct { uchar key; float value; } Tight;",
        "typedef uint2 Pair;",
        "struct Pair { float value; };",
        "typedef struct Pair { struct { uint key; } a; float value; } Pair;",
    ],
)
def test_a_text_with_another_layout_is_refused(line):
    """Another definition of the name is a problem with its line."""
    found = before("", line)
    assert isinstance(found, Problem)
    assert found.message.startswith("line 2 defines ")
    assert found.message.endswith(", which grader defines with another layout; remove it.")


@pytest.mark.parametrize(
    "line", ["typedef struct { uint key; float value; ", "typedef", "struct", "typedef struct Pair {"]
)
def test_an_incomplete_definition_is_left_to_the_compiler(line):
    """A definition without an end does not stop grader, and the compiler explains it."""
    found = before(line)
    assert isinstance(found, Problem) or PAIR.definition in found


NESTED = all_laid_out(
    {"In": StructFields(fields={"key": "uint"}), "Out": StructFields(fields={"part": "In", "value": "float"})}
)
IN, OUT = NESTED["In"], NESTED["Out"]


@pytest.mark.parametrize(
    ("lines", "rest"),
    [
        ((KERNEL,), f"{IN.definition} {OUT.definition}"),
        (("typedef struct { In part; float value; } Out;",), IN.definition),
        (("typedef struct { uint key; } In; typedef struct { struct In part; float value; } Out;",), ""),
        (("typedef struct In In;",), f"{IN.tag} {OUT.definition}"),
    ],
)
def test_structs_within_structs_are_compared_by_their_fields(lines, rest):
    """A text may define the outer struct alone, or both. Grader defines what the text lacks."""
    assert types_before((IN, OUT), lines) == rest


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("typedef struct { uint part; float value; } Out;", "defines Out, which grader defines with another layout"),
        ("struct Out { Out part; float value; };", "defines Out, which grader defines with another layout"),
        ("typedef struct { uint key; } In;", "defines In, but the file does not define Out, which contains In"),
    ],
)
def test_a_text_with_one_of_two_structs_is_refused(line, says):
    """A text cannot change an inner struct, or define it after grader's definition of the outer one."""
    found = types_before((IN, OUT), ("", line))
    assert isinstance(found, Problem)
    assert found.message == f"line 2 {says}; remove it."
