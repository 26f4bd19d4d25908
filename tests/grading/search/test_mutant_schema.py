"""mutant_schema.py: one program contains all edits of a source, and a key selects the edit to run."""

import re
from itertools import groupby
from textwrap import dedent

import pytest

from grader.grading.search import mutant_schema as module
from grader.grading.search.edits import edits
from grader.grading.search.mutant_schema import AT_ONCE, edited, key, mutant_schema, mutant_schemas
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


def test_every_function_takes_the_key_and_every_loop_has_an_end():
    """All functions and calls get the key as an additional argument, a loop without a condition gets one, and a
    `#pragma` for speed is removed.
    """
    text = mutant_schema(outline(SOURCE, ["k"]), ()).text
    assert "float twice(float x, ulong grader_key)" in text
    assert "__kernel void k(__global float *A, uint n, ulong grader_key)" in text
    assert " = twice(1.0f, grader_key);" in text
    assert "for (;(grader_iterations -= 16) >= 0;)" in text
    assert "#pragma" not in text


def test_iterations_of_inner_loops_count_less():
    """An iteration counts less if the loop is inside another loop, with or without braces, and as usual after it."""
    body = "for (uint i = 0; i < n; i++) for (uint j = 0; j < n; j++) { while (A[j] > 1) A[j] -= 1; } while (n--) ;"
    text = mutant_schema(outline(f"__kernel void k(__global float *A, uint n) {{ {body} }}", ["k"]), ()).text
    assert re.findall(r"grader_iterations -= (\d+)", text) == ["16", "4", "1", "16"]


def test_each_group_has_the_arrays_of_its_edit():
    """In a launch of many edits, each kernel moves its pointers to the part of the arrays that belongs to its edit.
    Constant pointers and pointers to local memory are not moved.
    """
    head = "__kernel void k(__global float *A, __global int *const B, __constant float *F, __local float *t, uint n)"
    text = mutant_schema(
        outline(f"{head} {{ A[0] = twice(F[0]); }} float twice(float x) {{ return x; }}", ["k"]), ()
    ).text
    assert "A += get_group_id(2) * ((grader_words + 31) / 32 * 256) / sizeof(A[0]);" in text
    assert "F += get_group_id(2) * " in text
    assert "B += " not in text
    assert "t += " not in text
    assert text.count("& 65535) + get_group_id(2);") == 2


@pytest.mark.parametrize("pointer", ["*const A", "*restrict const A", "*const restrict A"])
def test_a_pointer_that_is_constant_stays_however_it_is_declared(pointer):
    """A constant pointer is not moved, however its declaration is written, because the program would not compile."""
    text = mutant_schema(outline(f"__kernel void k(__global float {pointer}, uint n) {{ A[n] = 1; }}", ["k"]), ()).text
    assert "A += " not in text


def test_a_pointer_to_what_is_constant_is_moved():
    """A pointer to constant elements is moved, because the pointer itself is not constant."""
    head = "__kernel void k(const __global float *A, __global const float *restrict B, __global float *C)"
    text = mutant_schema(outline(f"{head} {{ C[0] = A[0] + B[0]; }}", ["k"]), ()).text
    assert text.count("+= get_group_id(2) * ") == 3


def test_every_index_stays_in_its_array():
    """Every index is limited, for a pointer to the number of words of the launch in both directions, and for an array
    to its declared size.
    """
    source = (
        "__kernel void k(__global float *A, __global float4 *B) { __local float t[3][4]; A[1] = t[i + 1][2] * B[3].x; }"
    )
    text = mutant_schema(outline(source, ["k"]), ()).text
    assert "A[grader_inside(1, -(grader_words), grader_words)]" in text
    vectors = "grader_words * 4 / (long)sizeof(B[0])"
    assert f"B[grader_inside(3, -({vectors}), {vectors})].x" in text
    rows, columns = "(long)(sizeof(t) / sizeof(t[0]))", "(long)(sizeof(t[0]) / sizeof(t[0][0]))"
    assert f"t[grader_inside(i + 1, 0, {rows})][grader_inside(2, 0, {columns})]" in text


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


def test_names_that_the_text_uses_are_not_used_again():
    """Generated names differ from all names in the source, for example if a student uses the name `grader_key`."""
    _, _, schema = schema_of(SOURCE.replace("(float x)", "(float grader_key)").replace("x + x", "grader_key"))
    assert "float twice(float grader_key, ulong grader_key_)" in schema.text


def test_an_edited_text_keeps_its_lines():
    """An edited source has the line numbers of the student's file, so that findings in it have the right line."""
    source = SOURCE.replace("get_global_id(0) < n", "get_global_id(0)\n < n")
    seen, made, _ = schema_of(source)
    assert {edited(seen, edit).count("\n") for edit in made} == {source.count("\n")}


def test_a_key_holds_the_edit_its_words_and_its_iterations():
    """A key contains the number of the edit, the number of words and the number of iterations. All three fit into 64
    bits, even for huge arrays.
    """
    assert key(7, words=5, iterations=100) == (100 * 2**24 + 5) * 2**16 + 7
    assert key(7, 2**40, 2**40) == 2**64 - 2**16 + 7


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
