"""schema_tokens.py: functions take a key with the number of an edit, loops end, and indexes stay in the arrays of their
edit.
"""

import re

import pytest

from grader.grading.search.mutants.mutant_schema import mutant_schema
from grader.grading.search.mutants.schema_tokens import key
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


def test_names_that_the_text_uses_are_not_used_again():
    """Generated names differ from all names in the source, for example if a student uses the name `grader_key`."""
    source = SOURCE.replace("(float x)", "(float grader_key)").replace("x + x", "grader_key")
    text = mutant_schema(outline(source, ["k"]), ()).text
    assert "float twice(float grader_key, ulong grader_key_)" in text


def test_a_key_holds_the_edit_its_words_and_its_iterations():
    """A key contains the number of the edit, the number of words and the number of iterations. All three fit into 64
    bits, even for huge arrays.
    """
    assert key(7, words=5, iterations=100) == (100 * 2**24 + 5) * 2**16 + 7
    assert key(7, 2**40, 2**40) == 2**64 - 2**16 + 7
