"""helpers/corpus/mutations.py: each mutation is a single mistake on known lines with a known effect.

helpers/oracles/explanations.py judges an explanation by these lines and by claims that cannot be true of the mistake.
helpers/oracles/second_judge.py decides independently of grader whether a kernel is correct.
"""

import difflib

import pytest
from explanations import Judgement, judged
from kernels import PRODUCT, TRANSPOSITION
from mutation_operators import Kind
from mutations import mutations
from opencl_parser import parse
from project import ASSIGNMENTS, ROOT
from second_judge import Fault, fault

from grader.common.record import replace
from grader.course.rubric import AskedCheck
from grader.course.rubric import Kind as Checked
from grader.results.check import full_marks
from grader.results.verdicts import Reason, Verdict

MODELS = {name: (ROOT / "reference" / name / "kernels.cl").read_text() for name in ASSIGNMENTS}


def all_of(source):
    """Return the mutations of all kernels and functions in a text."""
    return mutations(source, {function.name for function in parse(source).functions})


def changed_lines(before, after):
    pairs = zip(before.split("\n"), after.split("\n"), strict=True)
    return {number for number, (old, new) in enumerate(pairs, start=1) if old != new}


def found(source, kind, new):
    """Return the only mutation of this kind whose text contains `new`."""
    (only,) = [each for each in all_of(source) if each.kind is kind and new in each.source]
    return only


def numbers(source, *words):
    """Return the numbers of the lines that contain any of these words."""
    return {number for number, line in enumerate(source.split("\n"), start=1) if any(each in line for each in words)}


@pytest.mark.sampled
@pytest.mark.parametrize("name", MODELS)
def test_mutations_change_the_lines_that_they_say(name):
    """A mutation changes exactly the lines that it lists and keeps the number of lines. All mutated texts differ from
    each other.
    """
    source = MODELS[name]
    made = all_of(source)
    assert made
    assert len({each.source for each in made}) == len(made)
    for each in made:
        assert changed_lines(source, each.source) == each.lines, "\n".join(
            difflib.unified_diff(source.splitlines(), each.source.splitlines())
        )
        assert not each.lines & each.effect


@pytest.mark.whole
def test_model_solutions_have_mutations_of_every_kind():
    """The model solutions have mutations of every kind."""
    assert {each.kind for source in MODELS.values() for each in all_of(source)} == set(Kind)


def test_comments_and_directives_are_left_alone():
    """Mutations never change comments or preprocessor directives."""
    source = "#define N (n < 4)\n// a < b\n__kernel void k(uint n) {}\n"
    assert all_of(source) == ()


def test_other_kernels_are_left_alone():
    """Mutations change only the selected kernel and the functions that it may call."""
    source = (
        "int f(int a) { return a < 1; }\n__kernel void k(int a) { a = a < 2; }\n__kernel void l(int a) { a = a < 3; }\n"
    )
    assert {line for each in mutations(source, {"k"}) for line in each.lines} == {1, 2}


MADE = [
    (Kind.RELATION, "if (y0 + ly <= height && x0"),
    (Kind.BOUND, "x0 + lx < width - 1)"),
    (Kind.EXCHANGE, "uint32_t lx = get_local_id(1)"),
    (Kind.EXCHANGE, "= tile[ly][lx];"),
    (Kind.TERM, "A[(y0 + ly) * width ]"),
    (Kind.SIGN, "A[(y0 - ly) * width"),
    (Kind.OPERAND, "A[(y0 + ly) + width"),
    (Kind.CONSTANT, "x0 = get_group_id(0) * (TILE - 1)"),
    (Kind.NO_BARRIER, "\n    ;\n"),
    (Kind.MOVED_BARRIER, "barrier(CLK_LOCAL_MEM_FENCE); if (y0"),
    (Kind.GUARD, "if (true)\n        tile"),
    (Kind.GUARD, "if (y0 + ly < height )"),
    (Kind.LOGIC, "y0 + ly < height || x0"),
    (Kind.ARRAY, "tile[ly][lx] = B["),
    (Kind.SIZE, "(x0 + ly < height && y0"),
    (Kind.ACCUMULATOR, "tile[ly][lx] += A"),
    (Kind.LENGTH, "tile[TILE][TILE + 1 - 1]"),
    (Kind.LENGTH, "tile[TILE - 1][TILE + 1]"),
    (Kind.RETURN, "if (!(x0 + ly < width && y0 + lx < height)) return; barrier("),
]


@pytest.mark.parametrize(("kind", "new"), MADE)
def test_mistakes_that_students_make_are_among_them(kind, new):
    """The mutations of a transposition include typical mistakes that students make."""
    assert found(TRANSPOSITION, kind, new)


@pytest.mark.parametrize(
    ("kind", "new"),
    [
        (Kind.INITIAL, "real sum = 1;"),
        (Kind.INITIAL, "real sum ;"),
        (Kind.INITIAL, "uint32_t k0 = 1;"),
        (Kind.TYPE, "int sum = 0;"),
        (Kind.ACCUMULATOR, "sum = Ash[ly][k] * Bsh"),
        (Kind.EXCHANGE, "A[k0 + lx) * widthA"),
        (Kind.EXCHANGE, "C[col * widthB + row]"),
    ],
)
def test_mistakes_of_sums_are_among_them(kind, new):
    """The mutations of a product include typical mistakes in sums. Row and column are exchanged only if the column is a
    single name.
    """
    made = [each for each in all_of(PRODUCT) if each.kind is kind and new in each.source]
    assert len(made) == (0 if "k0 + lx)" in new else 1)


EFFECTS = [
    (TRANSPOSITION, Kind.NO_BARRIER, "\n    ;\n", ("= A[", "B[")),
    (TRANSPOSITION, Kind.GUARD, "if (true)\n        tile", ("tile[ly][lx]", "= tile[lx][ly]")),
    (TRANSPOSITION, Kind.EXCHANGE, "y0 = get_group_id(0)", ("if (", "A[(y0", "B[(x0")),
    (TRANSPOSITION, Kind.LENGTH, "tile[TILE - 1]", ("tile[ly][lx]", "= tile[lx][ly]")),
    (TRANSPOSITION, Kind.RETURN, "if (!(", ()),
    (PRODUCT, Kind.INITIAL, "real sum = 1;", ("sum +=", "= sum;")),
    (PRODUCT, Kind.TERM, "A[row * widthA ]", ("Ash[ly][k]",)),
]


@pytest.mark.parametrize(("source", "kind", "new", "words"), EFFECTS)
def test_a_mutation_knows_where_it_shows(source, kind, new, words):
    """The effect of a mutation consists of the lines with a changed value, with an access that the mutation controls or
    with a race.
    """
    mutation = found(source, kind, new)
    assert mutation.effect == numbers(source, *words) - mutation.lines if words else not mutation.effect


def test_a_value_that_a_function_returns_shows_where_it_is_called():
    """A mistake in a return value has its effect on the line with the call, which uses the value as an index."""
    source = TRANSPOSITION.replace("__kernel", "uint at(uint i, uint j) { return i * 9 + j; }\n__kernel", 1).replace(
        "= A[", "= at(1, 2) + A["
    )
    assert found(source, Kind.OPERAND, "return i + 9").effect == numbers(source, "at(1, 2)")


HELPER = """void fill(__local real *t, __global const real *A, uint n)
{
    for (uint i = 0; i < n; i++)
        t[i] = A[i];
}
__kernel void k(__global const real *A, __global real *B, uint n, uint m)
{
    __local real t[64];
    fill(t, A, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    B[0] = t[m];
}
"""


def test_what_a_function_fills_shows_in_its_callers():
    """A mistake in a function that fills an array has its effect in the function's callers. A wrong argument in a call
    has its effect in the function.
    """
    assert numbers(HELPER, "t[m]") <= found(HELPER, Kind.RELATION, "i <= n").effect
    assert numbers(HELPER, "t[i] = A[i]") <= found(HELPER, Kind.SIZE, "fill(t, A, m)").effect


def test_a_barrier_in_a_loop_orders_round_its_end():
    """Without the second barrier in the loop of a tiled product, writes of the next iteration race with reads of the
    current one.
    """
    barriers = [each for each in all_of(PRODUCT) if each.kind is Kind.NO_BARRIER]
    assert [each.effect for each in barriers] == [numbers(PRODUCT, "Ash[ly]", "Bsh[ly]")] * 2


def test_a_barrier_has_the_lines_around_its_place():
    """The place of a removed barrier is given by the lines of the statements around it."""
    spread = TRANSPOSITION.replace("    barrier(", "\n    // as one group\n\n    barrier(", 1)
    (removed,) = [each for each in all_of(spread) if each.kind is Kind.NO_BARRIER]
    before, after = max(numbers(spread, "= A[")), min(numbers(spread, "barrier(")) + 2
    assert removed.around == {before, after}


# --- explanations -----------------------------------------------------------------------------


def said(message, reason=Reason.WRONG_OUTPUT, cause=""):
    check = full_marks(AskedCheck(kind=Checked.CORRECTNESS, points=1.0))
    return replace(check, verdict=Verdict.FAILED, points=0.0, reason=reason, message=message, cause=cause)


WRONG_ROW = found(TRANSPOSITION, Kind.TERM, "A[(y0 + ly) * width ]")
HERE, STORE = min(WRONG_ROW.lines), max(numbers(TRANSPOSITION, "= tile[lx][ly]"))


@pytest.mark.parametrize(
    ("check", "judgement"),
    [
        (said(f"line {HERE} reads outside `A`.", Reason.OUT_OF_BOUNDS), Judgement.NAMED),
        (said(f"line {STORE} reads words of tile that nobody wrote.", Reason.UNINITIALISED), Judgement.NAMED),
        (said("line 6 reads outside `A`.", Reason.OUT_OF_BOUNDS), Judgement.FALSE),
        (said(f"line {HERE} ... A barrier(X) is missing between them.", Reason.DATA_RACE), Judgement.FALSE),
        (said("rows of A are taken to be height long: ...", cause="rows of A ..."), Judgement.WORDS),
        (said("the kernel crashed.", Reason.CRASH), Judgement.WORDS),
        (said("3 of 9 elements of B are wrong."), Judgement.NONE),
        (said(f"3 of 9 elements are wrong. Follow one element by hand: line {HERE} reads `A`."), Judgement.NONE),
    ],
)
def test_explanations_are_judged_by_the_lines_that_they_name(check, judgement):
    """An explanation is judged by the lines in it, except lines that are listed for every wrong result. A claim that
    cannot be true of the mutation is false.
    """
    assert judged(WRONG_ROW, check) is judgement


def test_a_claim_is_false_only_where_it_cannot_hold():
    """The claim that a barrier is missing is true of a mutation that removed one. A claim about the length of rows is
    false of it.
    """
    mutation = found(TRANSPOSITION, Kind.NO_BARRIER, "\n    ;\n")
    race = said(f"line {HERE} ... A barrier(X) is missing between them.", Reason.DATA_RACE)
    assert judged(mutation, race) is Judgement.NAMED
    assert judged(mutation, said("rows of A are taken to be height long: ...", cause="x")) is Judgement.FALSE


@pytest.mark.whole
@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_other_judge_finds_model_solutions_right(environment, course, name):
    """The second judge accepts every model solution. Otherwise it would consider every mutant wrong."""
    with environment.worker() as worker:
        for part in course.load(name).parts:
            assert fault(part, MODELS[name], worker, 25) is Fault.NONE
