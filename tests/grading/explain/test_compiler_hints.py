"""compiler_hints.py: a hint is given only if it is certain. The recorded logs are tested in test_build_log.py."""

import re

import pytest
from compiler_logs import RECORDED

from grader.grading.explain.build_log import parse
from grader.grading.explain.compiler_hints import CUDA, SLIPS, hint

QUOTED = (
    # messages of compilers that are not installed here, each with its source line
    ("kernel parameter cannot be declared as a pointer to the __private address space", "__kernel void k(float *A)"),
    ("kernel parameter cannot be declared as a pointer to a pointer", "__kernel void k(__global float **A)"),
    ("Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)", ""),
    ("local memory (131072) exceeds limit (65536) in function 'k'", ""),
    ("assigning '__global float *' to '__private float *__private' changes address space of pointer", "p = A;"),
    ("passing '__local float *' to parameter of type '__global float *' changes address space of pointer", "f(t);"),
    (
        "initializing '__local float *' with an expression of type '__global float *' changes address space of pointer",
        "",
    ),
    ("passing 'float *' to parameter of type '__global float *' changes address space of pointer", "f(&x);"),
    ("expected ';' in 'for' statement specifier", "for (int i = 0; i < n, i++) {"),
)


def test_every_hint_has_an_error_that_calls_for_it():
    """Every hint matches at least one error, in a recorded log or in the list of messages from other compilers."""
    said = [*QUOTED]
    for slip in RECORDED:
        lines = slip.source.split("\n")
        for log in slip.logs.values():
            said += [(each.text, lines[each.line - 1] if each.line else "") for each in parse(log)]
    for slip in SLIPS:
        fits = [text for text, line in said if re.search(slip.says, text) and re.search(slip.line, line)]
        assert fits, slip
    assert all(hint(*quoted) for quoted in QUOTED)


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (QUOTED[4][0], "p = A;", "on the left with __global"),
        (QUOTED[5][0], "f(t);", "copy the elements"),
        (QUOTED[6][0], "__local float *t = A;", "copy the elements"),
        (QUOTED[7][0], "f(&x);", "copy the elements"),
        ("unknown type name 'int64_t'", "int64_t i;", "calls that type long."),
        ("unknown type name 'uint32_t'; did you mean 'uint2'?", "uint32_t i;", "calls that type uint."),
        ("implicit declaration of function 'sqrtf' is invalid in OpenCL", "x = sqrtf(y);", "OpenCL C has sqrt()."),
        ("use of undeclared identifier 'barier'", "barier(CLK_LOCAL_MEM_FENCE);", "OpenCL C has barrier()."),
        ("Unresolved extern function 'get_globl_id'", "", "OpenCL C has get_global_id()."),
        ("Unresolved extern function 'average'", "", "There is no function of that name"),
        ("no matching function for call to 'barrier'", "barrier ( );", "barrier(CLK_LOCAL_MEM_FENCE)"),
        (QUOTED[2][0], "", "take 64 KiB, and a work-group has 48 KiB on this device: make them smaller."),
        (QUOTED[3][0], "", "take 128 KiB, and a work-group has 64 KiB on this device: make them smaller."),
        ("Entry function 'k' uses too much shared data", "", "larger than the local memory of this device"),
    ],
)
def test_a_hint_fits_the_direction_and_the_name(error, code, words):
    """A hint takes into account the direction of an assignment and the name of a type or function."""
    assert words in hint(error, code)


COMBINED = "cannot combine with previous 'type-name' declaration specifier"


@pytest.mark.parametrize(
    ("error", "code", "name"),
    [
        (COMBINED, "for (uint half = WG / 2; half > 0; half /= 2)", "half"),
        ("expected ';' in 'for' statement specifier", "for (uint half = WG / 2; half > 0; half /= 2)", "half"),
        (COMBINED, "const real half = x;", "half"),
        (COMBINED, "int image2d_t;", "image2d_t"),
        ("expected identifier or '('", "float x, bool = 2;", "bool"),
        ("expected identifier or '('", "uint double3[4];", "double3"),
        (COMBINED, "float f(float complex)", "complex"),
    ],
)
def test_a_variable_with_the_name_of_a_type(error, code, name):
    """The hint says that the name is a type, for each kind of error that the compiler reports."""
    assert hint(error, code) == f"`{name}` is a type in OpenCL; use another name."


REALS = {"real": "float", "real4": "float4", "WG": "64"}


@pytest.mark.parametrize("error", ["use of undeclared identifier 'real3'", "unknown type name 'real3'"])
def test_a_vector_that_the_exercise_does_not_define(error):
    """The hint names the types that exist, and what to write."""
    assert hint(error, "real3 d = 0;", REALS) == (
        "The exercise defines real (float) and real4 (float4), but not real3: write float3."
    )
    assert hint("use of undeclared identifier 'WG2'", "WG2 d = 0;", REALS) is None


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (COMBINED, "unsigned int4 x = 0;"),
        (COMBINED, "float int x = 0;"),
        ("expected expression", "x = (const half)y +;"),
        ("expected expression", "half x = (float4)(1, ;"),
        ("expected expression", "if (halves == half_sum) x = ;"),
        ("use of undeclared identifier 'real3'", "real3 d = 0;"),
        ("use of undeclared identifier 'steps'", "B[steps] = 0;"),
        ("use of undeclared identifier 'get_globalid'; did you mean 'get_global_id'?", "get_globalid(0)"),
        ("expected ';' at end of declaration", "float x = a b;"),
        ("expected ')'", "f(a & b;"),
        ("too few arguments to function call, expected 2, have 1", "mine(1); barrier(CLK_LOCAL_MEM_FENCE);"),
        ("subscripted value is not an array, pointer, or vector", "x[0] = 1;"),
        ("invalid operands to binary expression ('float' and 'float2 *')", "x + y;"),
        ("redefinition of 'i'", "int i = 0; double_array[i][i] = std;"),
        ("'__private struct S' cannot be used as the type of a kernel parameter", "__kernel void k(struct S s)"),
        ("program scope variable must reside in constant address space", "f(x);"),
        ("initializer element is not a compile-time constant", "__constant float x = a[0];"),
        ("use of undeclared identifier 'CLK_ADDRESS'", "sampler_t s = CLK_ADDRESS;"),
        ("", ""),
    ],
)
def test_where_it_is_not_certain_there_is_no_hint(error, code):
    """If the cause of an error is uncertain, there is no hint, because a wrong hint costs a student more time than
    none.
    """
    assert hint(error, code) is None


@pytest.mark.parametrize("name", CUDA)
def test_cuda_is_told_by_its_name(name):
    """A name from CUDA is explained, whether the compiler takes it for a variable, a type or a function."""
    for error in ("use of undeclared identifier", "unknown type name", "implicit declaration of function"):
        assert f"OpenCL C has {CUDA[name]}" in hint(f"{error} '{name}'", f"{name}(0)")
