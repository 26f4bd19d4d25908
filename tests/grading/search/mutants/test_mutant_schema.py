"""mutant_schema.py: one program contains all edits of a source, and a key selects the edit to run."""

import re
from itertools import groupby
from textwrap import dedent

from grader.grading.search.edits import edits
from grader.grading.search.mutants import mutant_schema as module
from grader.grading.search.mutants.mutant_schema import AT_ONCE, edited, mutant_schema, mutant_schemas
from grader.grading.source.reading import outline

SOURCE = """\
float twice(float x) { return x + x; }
__kernel void k(__global float *A, uint n)
{
    #pragma unroll
    for (;;) {
        if (get_global_id(0) < n)
            A[n] = twice(1.0f);
    }
}
"""


def schema_of(source):
    """Return the outline of a source, some of its edits, and the program that contains them."""
    seen = outline(source, ["k"])
    made = edits(seen, most=30)
    return seen, made, mutant_schema(seen, made)


def test_the_docstring_shows_what_is_generated():
    """The docstring of the module shows a kernel and the program that is generated for two of its edits, apart from
    white space.
    """
    blocks = re.findall(r"(?:^    .*\n)+", module.__doc__, re.MULTILINE)
    seen = outline(dedent(blocks[0]), ["scale"])
    shown = [edit for edit in edits(seen, most=100) if (edit.line, edit.text) in {(3, "<="), (4, "+ 1")}]
    assert "".join(mutant_schema(seen, shown).text.split()) == "".join(blocks[1].split())


def test_each_edit_has_a_line_of_its_own():
    """Each edit is on its own line of the program, so a compiler error in this line identifies the edit that must be
    omitted.
    """
    _, made, schema = schema_of(SOURCE)
    lines = schema.text.split("\n")
    assert set(schema.numbers) == set(schema.lines.values()) == set(made)
    assert sorted(schema.numbers.values()) == list(range(1, len(made) + 1))
    assert all(edit.text in lines[line - 1] for line, edit in schema.lines.items())
    line, third = next((line, edit) for line, edit in schema.lines.items() if schema.numbers[edit] == 3)
    assert set(schema.without({line}).numbers) == set(made) - {third}
    assert len(schema.without({line - 1, line}).numbers) < len(made) - 1


def test_the_edits_of_an_expression_follow_each_other():
    """Edits of the same expression have consecutive numbers, so that a launch of any other edit skips all of them with
    one comparison. Each edit belongs to the smallest expression around it.
    """
    seen, _, schema = schema_of(SOURCE)
    spans = [edit.span for edit in sorted(schema.numbers, key=schema.numbers.get)]
    assert len(set(spans)) == len(list(groupby(spans))) > 3
    assert {"x + x", "get_global_id(0) < n", "n", "1.0f"} & {seen.between(*span) for span in spans}


def test_many_edits_are_several_programs():
    """Many edits are divided into several programs, because the time to compile grows faster than their number. An edit
    of a type is a separate program, because a key cannot select a type.
    """
    body = " ".join(f"A[{n}] += A[{n} + 1] * B;" for n in range(40))
    source = f"__kernel void k(__global float *A, float B) {{ int sum = 0; sum += B; {body} }}"
    seen = outline(source, ["k"])
    made = edits(seen, most=AT_ONCE + 50)
    last, *schemas = mutant_schemas(seen, made)
    assert [len(schema.numbers) for schema in schemas] == [AT_ONCE, 49]
    ((retyped, number),) = last.numbers.items()
    assert (retyped.part, retyped.text, number) == ("the type of sum", "float", 0)
    assert "float sum = 0;" in " ".join(last.text.split()).replace(" ;", ";")


def test_an_edited_text_keeps_its_lines():
    """An edited source has the line numbers of the student's file, so that findings in it have the right line."""
    source = SOURCE.replace("get_global_id(0) < n", "get_global_id(0)\n < n")
    seen, made, _ = schema_of(source)
    assert {edited(seen, edit).count("\n") for edit in made} == {source.count("\n")}


def test_a_loop_after_a_pragma_of_a_macro_is_edited():
    """`_Pragma("unroll")`, which a macro can contain, does not hide the loop after it, and is left out of the
    schema.
    """
    source = """\
__kernel void k(__global float *A, uint n)
{
    if (n > 1) _Pragma("unroll") for (uint i = 0; i < n; i++) A[i] = 0;
}
"""
    seen = outline(source, ["k"])
    assert {"loop condition", "step"} <= {region.role for region in seen.regions}
    text = mutant_schema(seen, edits(seen, most=100)).text
    assert "_Pragma" not in text
