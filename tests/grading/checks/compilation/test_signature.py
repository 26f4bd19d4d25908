"""signature.py: the kernel must have the requested name and parameters."""

import pytest

from grader.common.record import replace
from grader.course.tolerance import Tolerance
from grader.execution.plan import Binding
from grader.grading.checks.compilation.signature import bind
from grader.grading.explain.problem import Problem
from grader.protocol.kernel import ArgFacts, KernelFacts
from grader.protocol.wire import FEW
from grader.results.verdicts import Reason

A = ("global", "float*", "A")
B = ("global", "float*", "B")
HEIGHT = ("private", "uint", "height")
WIDTH = ("private", "uint", "width")
LMEM = ("local", "float*", "lmem")


def kernel(*args, name="coalsTransp"):
    facts = tuple(ArgFacts(address_space=space, type=kind, name=word) for space, kind, word in args)
    return KernelFacts(program="submission", name=name, args=facts)


CODE = (
    "// grader",
    "__kernel void coalsTransp(__global float *A,",
    "                          __global float *B, uint height, uint width)",
)


def bound(assignment, *kernels, code=()):
    return bind(assignment, assignment.student_launches[0], kernels, code)


@pytest.mark.parametrize(
    "args",
    [
        (A, B, HEIGHT, WIDTH),
        (A, B, ("private", "int", "h"), ("private", "uint32_t", "w")),
        (("global", "float4*", "A"), B, HEIGHT, WIDTH),
        (("global", "uint*", "A"), ("global", "uint*", "B"), HEIGHT, WIDTH),
        (("global", "my_real*", "A"), B, HEIGHT, ("private", "my_size", "width")),
    ],
)
def test_reasonable_spellings_of_the_parameters_are_accepted(transposition, args):
    """The type of a size can be any 32-bit integer, and a pointer can point to 32-bit elements or to vectors of them.
    The names of parameters are free.
    """
    assert bound(transposition, kernel(*args)) == Binding(name="coalsTransp", takes_local=False)


def test_the_optional_local_parameter_is_noticed(transposition):
    """An optional local parameter is passed if the kernel declares it."""
    assert bound(transposition, kernel(A, B, HEIGHT, WIDTH, LMEM)) == Binding(name="coalsTransp", takes_local=True)


def test_an_alias_is_as_good_as_the_name(course):
    """An alias of the kernel's name is accepted, because the course uses both names."""
    fused = course.load("optimProgram")
    assert bound(fused, kernel(A, B, HEIGHT, WIDTH, name="optimProgrm")).name == "optimProgrm"


@pytest.mark.parametrize(
    "args",
    [
        (A, B, HEIGHT),
        (A, B, HEIGHT, WIDTH, WIDTH),
        (A, HEIGHT, B, WIDTH),
        (("global", "double*", "A"), B, HEIGHT, WIDTH),
        (("local", "float*", "A"), B, HEIGHT, WIDTH),
        (A, B, ("private", "ulong", "height"), WIDTH),
        (A, B, ("private", "float", "height"), WIDTH),
        (),
    ],
)
def test_a_wrong_parameter_list_shows_expected_and_found(transposition, args):
    """If the parameters are wrong, the detail shows the expected and the actual declaration on two lines."""
    problem = bound(transposition, kernel(*args))
    assert isinstance(problem, Problem)
    assert problem.reason is Reason.WRONG_ARGUMENTS
    expected, found = problem.detail.splitlines()
    assert expected.endswith(
        "__kernel void coalsTransp(__global real *A, __global real *B, uint32_t height, uint32_t width)"
    )
    assert found.startswith("found:    __kernel void coalsTransp(")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (
            (A, HEIGHT, B, WIDTH),
            "line 3: the parameters height and B are exchanged. Write __global real *B before uint32_t height.",
        ),
        (
            (B, HEIGHT, A, WIDTH),
            (
                "line 3: the parameters are in a different order than the assignment passes them. Write "
                "__global real *A, __global real *B, uint32_t height, uint32_t width."
            ),
        ),
        (
            (A, B, ("private", "float", "height"), WIDTH),
            "line 3: the parameter height has the wrong type, float height. Write uint32_t height.",
        ),
        (
            (("local", "float*", "A"), B, HEIGHT, WIDTH),
            "line 2: the parameter A has the wrong type, __local float *A. Write __global real *A.",
        ),
        ((A, B, HEIGHT), "line 2: coalsTransp has 3 parameters, and the assignment passes 4. Add uint32_t width."),
        (
            (A, B, HEIGHT, ("private", "uint", "n"), WIDTH),
            "line 2: coalsTransp has 5 parameters, and the assignment passes 4. Remove n.",
        ),
        ((("global", "float*", "in"),), "line 2: coalsTransp has 1 parameter, and the assignment passes 4."),
    ],
)
def test_a_wrong_parameter_is_named_with_its_line_and_what_to_write(transposition, args, words):
    """A wrong parameter is named with its line. The message says what to add or remove only if this is certain."""
    assert bound(transposition, kernel(*args), code=CODE).message == words


def test_sizes_in_another_order_are_noticed(transposition):
    """If two sizes are exchanged, the kernel still builds, because both are sizes. `misordered` describes the exchange,
    so that it can explain wrong results later. An unknown parameter name is not taken as an exchange.
    """
    found = bound(transposition, kernel(A, B, WIDTH, HEIGHT), code=CODE)
    assert found.misordered == (
        "line 3: the parameters width and height are exchanged. Write uint32_t height before uint32_t width."
    )
    assert bound(transposition, kernel(B, A, ("private", "uint", "n"), WIDTH)).misordered == ""


@pytest.mark.parametrize(
    ("rule", "code", "words"),
    [
        ("rounding", CODE, "line 2: the parameter A has the wrong type, __global int *A. Write __global real *A."),
        ("exact", CODE, ""),
        ("rounding", (*CODE, "    as_float(A[i]);"), ""),
    ],
    ids=["computed", "moved", "reinterpreted"],
)
def test_whole_numbers_in_place_of_floats_are_noticed(transposition, rule, code, words):
    """An array of floats may be declared as whole numbers, which is right if a kernel only moves or reinterprets them.
    In other kernels, `retyped` describes the type, so that it can explain wrong results.
    """
    tolerance = Tolerance(rule="rounding", factor=4) if rule == "rounding" else Tolerance(rule="exact")
    asked = replace(transposition, correctness=replace(transposition.correctness, tolerance=tolerance))
    found = bound(asked, kernel(("global", "int*", "A"), B, HEIGHT, WIDTH), code=code)
    assert found.retyped == words


def test_a_forgotten_keyword_is_named_with_its_line(transposition):
    """If the kernel's function lacks `__kernel`, the message names its line, even if the file contains other
    kernels.
    """
    code = (CODE[0], CODE[1].removeprefix("__kernel "), *CODE[2:])
    for others in ((), (kernel(A, name="coalsTranspose"),)):
        problem = bound(transposition, *others, code=code)
        assert problem.reason is Reason.KERNEL_MISSING
        assert problem.message == "line 2: coalsTransp is not a kernel yet. Write __kernel void coalsTransp(...)."


def test_a_kernel_behind_too_many_others_is_not_called_missing(transposition):
    """A worker reports only the first kernels of a file. If the kernel is not among them, the message says this, and
    not that its `__kernel` is missing.
    """
    others = (kernel(name=f"k{number}") for number in range(FEW))
    problem = bound(transposition, *others, code=CODE)
    assert problem.reason is Reason.KERNEL_MISSING
    assert problem.message.startswith("the grader reads only the first 256 kernels of a file, and coalsTransp is")


def test_a_found_declaration_reads_like_one(transposition):
    """The actual declaration is shown as a student would write it."""
    problem = bound(transposition, kernel(A, HEIGHT, LMEM))
    assert problem.detail.endswith("__kernel void coalsTransp(__global float *A, uint height, __local float *lmem)")


def test_a_missing_kernel_names_the_nearest(transposition):
    """If the kernel is missing, the message names the kernel with the nearest name, because the name may be
    misspelt.
    """
    problem = bound(transposition, kernel(name="blockMMM"), kernel(name="coalsTranspose"))
    assert problem.reason is Reason.KERNEL_MISSING
    assert "no kernel named coalsTransp; the nearest is coalsTranspose" in problem.message


def test_a_file_without_kernels_says_so(transposition):
    """If the file has no kernels, the message says so, because `__kernel` was probably forgotten."""
    assert "the file has no kernel" in bound(transposition).message
