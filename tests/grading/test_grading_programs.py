"""Gradings of assignments with `program`: loops over numbers, fills, and a repetition until a value is written."""

import pytest
from courses import course_of
from gradings import grade
from pydantic import TypeAdapter
from untimed import UNTIMED

from grader.common.errors import InputError
from grader.common.record import replace
from grader.course.places import placed
from grader.course.program import Program, launches_in
from grader.course.rubric import Kind
from grader.course.run_sequence import CopyAt, RepeatAt, SumBelow, unroll
from grader.results.verdicts import Reason, Verdict

SORT = """__kernel void add(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    const uint32_t i = get_global_id(0), other = i ^ j;
    if (i < n && other > i) {
        const int a = data[i], b = data[other];
        if ((a > b) == ((i & k) == 0)) {
            data[i] = b;
            data[other] = a;
        }
    }
}
"""

SORTED = """import numpy as np
from grader.oracle import Truth

def expected(data, **_):
    return {"data": Truth(value=np.sort(data))}
"""

STEP = {"kernel": "add", "args": ["data", "n", "k", "j"], "global": ["ceil_to(n, GROUP)"], "local": ["GROUP"]}
LOOPS = [
    {
        "for": "k",
        "from": 2,
        "to": "n",
        "next": "2*k",
        "do": [{"for": "j", "from": "k // 2", "to": 1, "next": "j // 2", "do": [STEP]}],
    }
]

REACH = """__kernel void add(__global int *level, __global uint *changed, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i + 1 < n && level[i] < 0 && level[i + 1] >= 0) {
        level[i] = level[i + 1] + 1;
        *changed = 1;
    }
}
"""

LEVELS = """import numpy as np
from grader.oracle import Truth

def inputs(generator, data, n, **_):
    level = np.full(n, -1)
    level[-1] = 0
    return {"level": level}

def expected(n, **_):
    return {"level": Truth(value=np.arange(n)[::-1])}
"""

REACHED = {
    "level": {"type": "int", "shape": ["n"], "data": "made", "role": "updated"},
    "changed": {"type": "uint", "shape": [1], "role": "scratch"},
}
RELAX = {"kernel": "add", "args": ["level", "changed", "n"], "global": ["ceil_to(n, GROUP)"], "local": ["GROUP"]}
UNTIL = [
    {
        "repeat": "n",
        "until": {"sum": "changed", "below": 1},
        "do": [{"fill": "changed", "value": 0}, RELAX],
    }
]


def with_program(folder, program, buffers, kernel, oracle):
    """Return an untimed assignment with this program, whose naive program is the same."""
    fields = {name: value for name, value in UNTIMED.items() if name not in {"launches", "baseline", "memory"}}
    sizes = [{"name": "eight", "sizes": {"n": 8}}, {"name": "sixty-four", "sizes": {"n": 64}}]
    fields |= {"program": program, "baseline_program": program, "buffers": buffers}
    fields["correctness"] = {"points": 10, "tolerance": {"rule": "exact"}, "cases": sizes}
    fields["sanitizer"] = {"points": 5, "sizes": {"n": 16}}
    return course_of(folder, fields, kernel, oracle).load("small")


@pytest.fixture
def sorting(tmp_path):
    """A sort by bitonic merges, launched once for each distance of each merge."""
    buffers = {"data": {"type": "int", "shape": ["n"], "data": "numbers", "role": "updated"}}
    return with_program(tmp_path, LOOPS, buffers, SORT, SORTED)


@pytest.fixture
def reaching(tmp_path):
    """A repetition until no element has changed."""
    return with_program(tmp_path, UNTIL, REACHED, REACH, LEVELS)


def graded(tmp_path, environment, assignment, source):
    """Return the result of this source text."""
    path = tmp_path / "kernels.cl"
    path.write_text(source)
    result = grade(assignment, path, environment, seed=4)
    assert not any(check.faults for check in result.checks)
    return result


@pytest.mark.whole
def test_a_sort_with_launches_from_two_loops(sorting, tmp_path, environment):
    """The numbers of the loops reach the kernel, and 21 launches sort 64 elements. A wrong direction does not."""
    assert len(sorting.sequence({"n": 64}).launches) == 21
    right = graded(tmp_path, environment, sorting, SORT)
    assert {check.verdict for check in right.checks} == {Verdict.PASSED}
    wrong = graded(tmp_path, environment, sorting, SORT.replace("(i & k) == 0", "(i & j) == 0"))
    assert [check.reason for check in wrong.checks if check.kind is Kind.CORRECTNESS] == 2 * [Reason.WRONG_OUTPUT]


@pytest.mark.whole
def test_a_repetition_until_a_kernel_writes_nothing(reaching, tmp_path, environment):
    """The repetition fills the flag before each iteration, and ends when no work-item has set it."""
    right = graded(tmp_path, environment, reaching, REACH)
    assert {check.verdict for check in right.checks if check.kind is Kind.CORRECTNESS} == {Verdict.PASSED}
    wrong = graded(tmp_path, environment, reaching, REACH.replace("*changed = 1;", ""))
    assert {check.reason for check in wrong.checks if check.kind is Kind.CORRECTNESS} == {Reason.WRONG_OUTPUT}


REDUCE = """__kernel void halve(__global uint *values, __global uint *moved, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n && values[i] % 2 == 0) {
        values[i] /= 2;
        *moved = 1;
    }
}

__kernel void add(__global uint *values, __global int *steps, __global uint *changed, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n && values[i] > 1) {
        values[i]++;
        steps[i]++;
        *changed = 1;
    }
}
"""

REDUCED = """import numpy as np
from grader.oracle import Truth

def inputs(generator, data, n, **_):
    return {"values": generator.integers(1, 2**20, n)}

def expected(values, **_):
    steps = np.zeros(values.size, int)
    while (values > 1).any():
        while (even := values % 2 == 0).any():
            values = np.where(even, values // 2, values)
        steps += values > 1
        values = np.where(values > 1, values + 1, values)
    return {"steps": Truth(value=steps)}
"""


@pytest.mark.whole
def test_a_repetition_within_another_one(tmp_path, environment):
    """Numbers are halved until all are odd, and the larger ones get one more, until all are 1. The simulator sees the
    launches of both repetitions. If a number stays even, the counts of steps are wrong.
    """
    buffers = {
        "values": {"type": "uint", "shape": ["n"], "data": "made", "role": "scratch"},
        "steps": {"type": "int", "shape": ["n"], "data": "zeros", "role": "updated"},
        "moved": {"type": "uint", "shape": [1], "role": "scratch"},
        "changed": {"type": "uint", "shape": [1], "role": "scratch"},
    }
    size = {"global": ["ceil_to(n, GROUP)"], "local": ["GROUP"]}
    halving = [{"fill": "moved"}, {"kernel": "halve", "args": ["values", "moved", "n"], **size}]
    inner = {"repeat": 30, "until": {"sum": "moved", "below": 1}, "do": halving}
    adding = {"kernel": "add", "args": ["values", "steps", "changed", "n"], **size}
    outer = {"repeat": 30, "until": {"sum": "changed", "below": 1}, "do": [{"fill": "changed"}, inner, adding]}
    reducing = with_program(tmp_path, [outer], buffers, REDUCE, REDUCED)
    right = graded(tmp_path, environment, reducing, REDUCE)
    assert {check.verdict for check in right.checks} == {Verdict.PASSED}
    wrong = graded(tmp_path, environment, reducing, REDUCE.replace("*moved = 1;", ""))
    assert {check.reason for check in wrong.checks if check.kind is Kind.CORRECTNESS} == {Reason.WRONG_OUTPUT}


@pytest.mark.whole
def test_a_kernel_that_never_ends_a_repetition(tmp_path, environment):
    """Each repetition of a loop runs all its iterations. Then the results are compared as usual."""
    loop = {"for": "k", "from": 1, "to": 3, "next": "k + 1", "do": UNTIL}
    thrice = with_program(tmp_path, [loop], REACHED, REACH, LEVELS)
    endless = REACH.replace("*changed = 1;", "").replace("    if (", "    *changed = 0xffffffff;\n    if (")
    result = graded(tmp_path, environment, thrice, endless)
    assert {check.verdict for check in result.checks if check.kind is Kind.CORRECTNESS} == {Verdict.PASSED}


def changed(program, **fields):
    """Return the program with other fields of its first step."""
    return [{**program[0], **fields}]


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (changed(LOOPS, next="k"), "does not end"),
        (
            changed(LOOPS, do=[{**STEP, "args": ["data", "n", "k", "k"]}, {"fill": "nothing"}]),
            "nothing, which is not a buffer",
        ),
        (changed(LOOPS, do=[STEP, {"fil": "data"}]), "one of kernel, fill, for, repeat, swap"),
        (changed(LOOPS, next="k + 1", to=10**6), "more than 2,000 steps"),
        (
            [{"repeat": 100, "do": changed(UNTIL, repeat=1000)}],
            "line [0-9]+: all iterations together have up to 200,101 steps at n 8, more than 100,000; choose",
        ),
        ([{"repeat": 3, "do": changed(UNTIL, repeat="n - 8")}], "0 iterations at .*; state from 1 to 10,000"),
        (changed(UNTIL, repeat="n - 8"), "0 iterations at .*; state from 1 to 10,000"),
        (
            [{"repeat": 10**6, "do": [{"repeat": 10**6, "do": [RELAX]}]}],
            "1,000,000 iterations at n 8; state from 1 to 10,000",
        ),
        (
            [{"repeat": 3, "do": [{"swap": ["level", "spare"]}, RELAX]}],
            "after an iteration of `repeat`, level and spare are",
        ),
        (changed(LOOPS, do=[{**STEP, "args": ["data", "n", "q", "k"]}]), "argument q"),
        (changed(UNTIL, until={"sum": "data", "below": 1}), "`until` sums data, which no kernel of the repetition"),
        (changed(UNTIL, swap=[["level", "given"]]), "a step of the program fills, swaps or tests given, an input"),
        (
            changed(LOOPS, **{"for": "is"}),
            "line [0-9]+: oracle.py gets is as an argument, but `is` is a Python keyword",
        ),
        (changed(LOOPS, upto="n"), "program.0.upto: unknown key; did you mean to"),
        (changed(UNTIL, do=[{**RELAX, "locl": [1]}]), "program.0.do.0.locl: unknown key; did you mean local"),
        ({"kernel": "add"}, "`program` must be a list of steps"),
        (changed(LOOPS, **{"from": 9}), "launches no kernel at n 8; choose larger sizes"),
        (changed(UNTIL, repeat="10001"), "10,001 iterations at .*; state from 1 to 10,000"),
        (changed(UNTIL, do=[{"fill": "changed", "value": -1}, RELAX]), "a fill of changed: -1.* the type uint32_t"),
        (
            changed(LOOPS, **{"from": "1 - n", "next": "k + 8"}, do=[{**STEP, "args": ["data", "n", "k", "k"]}]),
            "k at .*: -7 does not fit the type uint32_t",
        ),
    ],
    ids=[
        *("endless", "no-buffer", "no-step", "too-long", "in-all", "never-within", "never"),
        *("long-nest", "unbalanced", "no-value", "no-sum", "input", "keyword", "misspelt"),
        *("misspelt-within", "no-list", "no-launch", "too-often", "no-fill", "negative"),
    ],
)
def test_a_program_that_cannot_run_is_refused(program, words, tmp_path):
    """The message names what is wrong with the program."""
    buffers = {
        "data": {"type": "int", "shape": ["n"], "data": "numbers", "role": "updated"},
        "level": {"type": "int", "shape": ["n"], "data": "made", "role": "updated"},
        "changed": {"type": "uint", "shape": [1], "role": "scratch"},
        "given": {"type": "int", "shape": ["n"], "data": "numbers"},
        "spare": {"type": "int", "shape": ["n"], "role": "scratch"},
    }
    with pytest.raises(InputError, match=words):
        with_program(tmp_path, program, buffers, SORT, SORTED)


BLOCKS = """__kernel void sumBlocks(__global const int *data, __global int *sums, uint32_t n)
{
    int sum = 0;
    for (uint32_t i = 8 * get_global_id(0); i < 8 * get_global_id(0) + 8; i++)
        sum += data[i];
    sums[get_global_id(0)] = sum;
}

__kernel void add(__global const int *sums, __global int *total, uint32_t n)
{
    *total = 0;
    for (uint32_t i = 0; i < n / 8; i++)
        *total += sums[i];
}
"""

SUMS = """import numpy as np
from grader.oracle import Truth

def expected(data, **_):
    sums = data.reshape(-1, 8).sum(axis=1)
    return {"total": Truth(value=sums.sum(keepdims=True)), "sums": Truth(value=sums)}
"""


def test_the_first_wrong_intermediate_array_is_explained(tmp_path, environment):
    """If the total is wrong because of the sums of the blocks, the message is about the sums and names their launch,
    without a number if launches are repeated. If only the second kernel is wrong, it is about the total.
    """
    buffers = {
        "data": {"type": "int", "shape": ["n"], "data": "numbers"},
        "sums": {"type": "int", "shape": ["n // 8"], "role": "scratch"},
        "total": {"type": "int", "shape": [1]},
    }
    program = [
        {"kernel": "sumBlocks", "args": ["data", "sums", "n"], "global": ["n // 8"], "local": [1]},
        {"kernel": "add", "args": ["sums", "total", "n"], "global": [1], "local": [1]},
    ]
    assignment = with_program(tmp_path, program, buffers, BLOCKS, SUMS)
    first = graded(tmp_path, environment, assignment, BLOCKS.replace("sum += data[i];", "sum += 2 * data[i];"))
    (case, _) = (check for check in first.checks if check.kind is Kind.CORRECTNESS)
    assert case.reason is Reason.WRONG_OUTPUT
    assert "sums" in case.message
    assert "`sums` is already wrong after launch 1, sumBlocks" in case.detail
    twice = with_program(tmp_path / "twice", [{"repeat": 2, "do": program}], buffers, BLOCKS, SUMS)
    first = graded(tmp_path, environment, twice, BLOCKS.replace("sum += data[i];", "sum += 2 * data[i];"))
    (case, _) = (check for check in first.checks if check.kind is Kind.CORRECTNESS)
    assert "`sums` is already wrong after the last launch of sumBlocks;" in case.detail
    second = graded(tmp_path, environment, assignment, BLOCKS.replace("i < n / 8", "i + 1 < n / 8"))
    case = [check for check in second.checks if check.kind is Kind.CORRECTNESS][-1]
    assert case.message.startswith("total")


@pytest.mark.whole
def test_a_program_of_more_than_three_hundred_launches_runs(sorting, tmp_path, environment):
    """A sort of 2^24 elements has 300 launches. As many launches of a small sort are timed step by step."""
    (first, *others) = sorting.correctness.cases
    program = tuple(replace(step, first="2", last="n * n * n * n") for step in sorting.program)
    longer = replace(sorting, program=program, correctness=replace(sorting.correctness, cases=(first, *others)))
    assert len(longer.sequence({"n": 64}).launches) == 300
    result = graded(tmp_path, environment, longer, SORT.replace("other > i", "other > i && other < n"))
    assert {check.verdict for check in result.checks if check.kind is Kind.CORRECTNESS} == {Verdict.PASSED}


STEP_OF = {"kernel": "add", "args": ["a", "b"], "global": [1], "local": [1]}


def sequence_of(program, judged):
    """Return the sequence of a program, whose arrays with these names are judged."""
    steps = TypeAdapter(Program).validate_python(program)
    return unroll(
        placed("program", steps), launches_in(steps), {"n": 3}, lambda sizes: sizes, lambda name: name in judged
    )


SWAPPED = {"repeat": 3, "swap": [["a", "b"]], "do": [STEP_OF]}
TEST = {"repeat": "n", "until": {"sum": "b", "below": 1}, "do": [STEP_OF]}


def loop(*steps):
    """Return a step that runs these steps for k = 1 and 2."""
    return {"for": "k", "from": 1, "to": 2, "next": "k + 1", "do": steps}


def outline(steps):
    """Return the kernels' arrays of each step. A repetition is a tuple of its iterations, its pairs and its steps."""
    return [
        (step.times, *map("".join, step.swap), *outline(step.steps))
        if isinstance(step, RepeatAt)
        else "".join(step.args)
        for step in steps
    ]


def test_a_repetition_in_a_loop_becomes_several():
    """The worker gets one repetition after the other. Its bounds may depend on the loop."""
    assert outline(sequence_of([loop(SWAPPED)], ()).steps) == 2 * [(3, "ab", "ab")]
    assert outline(sequence_of([loop({**TEST, "repeat": "k"})], ()).steps) == [(1, "ab"), (2, "ab")]
    test = {**TEST, "until": {"sum": "b", "below": "2*k"}}
    assert [step.until for step in sequence_of([loop(test)], ()).steps] == [
        SumBelow(buffer="b", below=2),
        SumBelow(buffer="b", below=4),
    ]


def test_repetitions_are_in_the_order_of_the_program():
    """Repetitions keep their order, and an inner repetition is a step of the outer one."""
    sequence = sequence_of([SWAPPED, STEP_OF, {"repeat": 2, "do": [STEP_OF, TEST]}, TEST], {"b"})
    assert outline(sequence.steps) == [(3, "ab", "ab"), "ab", (2, "ab", (3, "ab")), (3, "ab")]
    assert len(sequence.launches) == 5


def test_a_loop_in_a_repetition_is_a_part_of_each_iteration():
    """The worker repeats all launches of the loop. Arrays may change places in it if they are back at its end."""
    sequence = sequence_of([{"repeat": "n", "do": [loop(STEP_OF, {"swap": ["a", "b"]})]}], {"b"})
    assert outline(sequence.steps) == [(3, "ab", "ba")]


def test_a_repetition_whose_loops_have_no_values_is_left_out():
    """The sequence has no repetition without steps."""
    nothing = {**loop(STEP_OF), "from": 3}
    assert outline(sequence_of([STEP_OF, {"repeat": 5, "do": [nothing]}], {"b"}).steps) == ["ab"]


def test_a_repetition_after_a_swap_uses_the_swapped_arrays():
    """Pairs and the tested array of a repetition are those that earlier swaps have left in their places."""
    repeat = {**SWAPPED, "until": {"sum": "a", "below": 1}}
    repetition, copied = sequence_of([{"swap": ["a", "b"]}, repeat], {"b"}).steps
    assert repetition.swap == (("b", "a"),)
    assert repetition.until.buffer == "b"
    assert repetition.steps[0].args == ("b", "a")
    assert copied == CopyAt(source="a", target="b")


def test_results_are_copied_before_their_arrays_are_overwritten():
    """After two swaps, the result of c is in a and the result of a in b, so a is copied first."""
    sequence = sequence_of([STEP_OF, {"swap": ["a", "b"]}, {"swap": ["b", "c"]}, {"swap": ["a", "b"]}], {"a", "b"})
    copies = [(step.source, step.target) for step in sequence.steps if isinstance(step, CopyAt)]
    written = [target for _, target in copies]
    assert copies
    assert all(source not in written[:number] for number, (source, _) in enumerate(copies))
