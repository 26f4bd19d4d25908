"""Gradings of programs whose launches read arguments, or their number of work-items, from arrays."""

import pytest
from courses import course_of
from gradings import grade
from untimed import UNTIMED

from grader.common.errors import InputError
from grader.results.verdicts import Verdict

CAPACITY = 20

KNAPSACK = """__kernel void add(__global const int *before, __global int *best, uint32_t n, int weight, int profit)
{
    const uint32_t room = get_global_id(0);
    if (room < n)
        best[room] = weight <= (int)room ? max(before[room], before[room - weight] + profit) : before[room];
}
"""

MOST_PROFIT = """import numpy as np
from grader.oracle import Truth

def inputs(generator, data, n, ITEMS, **_):
    return {"weights": generator.integers(1, 9, ITEMS), "profits": generator.integers(1, 99, ITEMS)}

def expected(weights, profits, n, **_):
    best = np.zeros(n, int)
    for weight, profit in zip(weights, profits):
        best[weight:] = np.maximum(best[weight:], best[:-weight] + profit) if weight < n else best[weight:]
    return {"best": Truth(value=best)}
"""

COMPACTION = """__kernel void compact(__global const int *x, __global int *kept, __global uint *count, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n && x[i] > 0)
        kept[atomic_inc(count)] = x[i];
}

__kernel void add(__global int *kept, __global const uint *count, __global uint *started)
{
    const uint32_t i = get_global_id(0);
    atomic_inc(started);
    if (i < *count)
        kept[i] *= 2;
}
"""

DOUBLED = """import numpy as np
from grader.oracle import Truth

def expected(x, n, **_):
    positive = x[x > 0]
    kept = np.concatenate([2 * positive, np.zeros(n - len(positive), int)])
    groups = max(1, -(-len(positive) // 8))
    return {"kept": Truth(value=kept), "started": Truth(value=np.array([8 * groups]))}
"""


def program_course(folder, kernel, oracle, **changes):
    """Return a course with an untimed assignment of this program."""
    fields = {name: value for name, value in UNTIMED.items() if name not in {"launches", "baseline", "memory"}}
    sizes = [{"name": "nine", "sizes": {"n": 9}}, {"name": "hundred", "sizes": {"n": 100}}]
    fields["correctness"] = {"points": 10, "tolerance": {"rule": "exact"}, "cases": sizes}
    fields["sanitizer"] = {"points": 5, "sizes": {"n": 16}}
    fields |= {**changes, "baseline_program": changes["program"]}
    return course_of(folder, fields, kernel, oracle)


def launch(kernel, *args, **fields):
    return {"kernel": kernel, "args": list(args), "global": ["ceil_to(n, 8)"], "local": [8], **fields}


ITEMS = {
    "constants": {"real": "float", "ITEMS": 5},
    "buffers": {
        "weights": {"type": "int", "shape": ["ITEMS"], "data": "made"},
        "profits": {"type": "int", "shape": ["ITEMS"], "data": "made"},
        "before": {"type": "int", "shape": ["n"], "role": "scratch"},
        "best": {"type": "int", "shape": ["n"]},
    },
    "scalars": {
        "weight": {"type": "int", "value": "weights[item]"},
        "profit": {"type": "int", "value": "profits[item]"},
    },
    "program": [
        {"fill": "best"},
        {
            "for": "item",
            "from": 0,
            "to": "ITEMS - 1",
            "next": "item + 1",
            "do": [{"swap": ["before", "best"]}, launch("add", "before", "best", "n", "weight", "profit")],
        },
    ],
}

KEPT = {
    "buffers": {
        "x": {"type": "int", "shape": ["n"], "data": "numbers"},
        "kept": {"type": "int", "shape": ["n"]},
        "count": {"type": "uint", "shape": [1], "role": "scratch"},
        "started": {"type": "uint", "shape": [1]},
    },
    "program": [
        *({"fill": name} for name in ("kept", "count", "started")),
        launch("compact", "x", "kept", "count", "n"),
        launch("add", "kept", "count", "started", items="count[0]"),
    ],
}


@pytest.fixture
def knapsack(tmp_path):
    """The best profit for each capacity. Each launch gets the weight and the profit of an item by value."""
    return program_course(tmp_path, KNAPSACK, MOST_PROFIT, **ITEMS).load("small")


@pytest.fixture
def compaction(tmp_path):
    """Positive numbers are kept, and the next launch has a work-item for each of them."""
    return program_course(tmp_path, COMPACTION, DOUBLED, **KEPT).load("small")


def verdicts(tmp_path, environment, assignment, source):
    """Return the verdicts on this source text, by check."""
    path = tmp_path / "kernels.cl"
    path.write_text(source)
    result = grade(assignment, path, environment, seed=4)
    return {check.label: (check.verdict, check.message) for check in result.checks}


def test_an_argument_is_an_element_of_an_array(tmp_path, environment, knapsack):
    """A kernel gets the elements of arrays that are not among its arguments. Other elements give wrong results."""
    found = verdicts(tmp_path, environment, knapsack, KNAPSACK)
    assert {verdict for verdict, _ in found.values()} == {Verdict.PASSED}, found


def test_a_launch_has_as_many_work_items_as_a_kernel_has_counted(tmp_path, environment, compaction):
    """The number of work-items that have run is the number of kept elements, rounded up to work-groups."""
    found = verdicts(tmp_path, environment, compaction, COMPACTION)
    assert {verdict for verdict, _ in found.values()} == {Verdict.PASSED}, found


@pytest.mark.parametrize("count", ["0xffffffffu", pytest.param("0u", marks=pytest.mark.whole)])
def test_any_count_that_a_kernel_writes_is_bounded(tmp_path, environment, compaction, count):
    """A student can make the judge neither fail nor leave a submission ungraded with a count."""
    body = "if (i < n && x[i] > 0)\n        kept[atomic_inc(count)] = x[i];"
    hostile = COMPACTION.replace(body, f"if (i == 0)\n        *count = {count};")
    found = verdicts(tmp_path, environment, compaction, hostile)
    assert {name for name, (verdict, _) in found.items() if verdict is Verdict.FAILED} >= {"nine", "hundred"}, found


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scalars": {"weight": {"type": "int", "value": "wieghts[item]"}}}, "wieghts, which is not a buffer; correct"),
        ({"scalars": {"weight": {"value": "weights[item]"}}}, "whose elements have type int, not float; use one type"),
        ({"scalars": {"weight": {"type": "int", "value": "weights[ITEMS]"}}}, "weights[ITEMS] has the index 5 at n 9"),
        ({"scalars": {"weight": {"type": "int", "value": "weights[row]"}}}, 'cannot evaluate "row"'),
        ({"scalars": {"weight": {"type": "int", "value": "best[0]"}}}, "best, which changes places; use an array that"),
        (
            {"buffers": {**ITEMS["buffers"], "weights": {"type": "int", "shape": ["ITEMS"], "role": "scratch"}}},
            "an element of weights, which no kernel writes; pass it to one, or add `data`",
        ),
    ],
)
def test_a_scalar_that_cannot_be_read_is_refused(tmp_path, changes, words):
    """An element that does not exist, or that no step writes, is an error of the file."""
    scalars = {**ITEMS["scalars"], **changes.get("scalars", {})}
    with pytest.raises(InputError, match=r"assignment\.yaml") as error:
        program_course(tmp_path, KNAPSACK, MOST_PROFIT, **{**ITEMS, **changes, "scalars": scalars}).load("small")
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ("n", "`items` of the launch of add is n, which is not an element of an array; write one such as count[0]"),
        ("found[0]", "but found is not a buffer; correct the name"),
        ("total[0]", "but total is not an array of whole numbers; use one, such as an array of uint"),
        ("count[1]", "count[1] has the index 1 at n 9, but count has 1 element; correct the index or the shape"),
    ],
)
def test_a_number_of_work_items_that_cannot_be_read_is_refused(tmp_path, items, words):
    """The number of work-items must be an element of an array of whole numbers."""
    *before, last = KEPT["program"]
    program = [*before, {**last, "items": items}]
    buffers = {**KEPT["buffers"], "total": {"shape": [1], "data": "zeros"}}
    with pytest.raises(InputError, match=r"assignment\.yaml") as error:
        program_course(tmp_path, COMPACTION, DOUBLED, buffers=buffers, program=program).load("small")
    assert words in str(error.value)
