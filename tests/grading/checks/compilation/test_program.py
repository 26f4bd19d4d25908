"""program.py: functions of later OpenCL C versions are replaced by equivalents in OpenCL C 1.2. Functions without an
equivalent are refused.
"""

import re

import pytest

from grader.course.submissions.scan import scan
from grader.grading.checks.compilation.program import EQUIVALENTS, equivalents, first_later_call
from grader.worker.opencl.preprocess import preprocess


def expanded(source):
    """Return the text that drivers compile."""
    return preprocess(source, dict(equivalents(scan(source)))).strip()


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("work_group_barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE);"),
        (
            "work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device);",
            "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
        ),
        ("get_enqueued_local_size(0)", "get_local_size(0)"),
        (
            "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);",
            "mem_fence(CLK_LOCAL_MEM_FENCE);",
        ),
        ("get_global_id(0)", "get_global_id(0)"),
    ],
)
def test_what_has_another_name_gets_it(source, text):
    """A function that has another name in OpenCL C 1.2 is replaced by that name."""
    assert expanded(source) == text


@pytest.mark.parametrize("which", ["local", "global"])
def test_linear_ids_are_those_of_the_specification(which):
    """Linear ids are computed as in OpenCL C 2.0, section 6.13.1, with the first dimension varying fastest."""
    ids, sizes = {0: 3, 1: 5, 2: 7}, {0: 16, 1: 8, 2: 9}
    text = expanded(f"get_{which}_linear_id()")
    value = re.sub(
        r"get_\w+_(id|size)\((\d)\)", lambda call: str((ids if call[1] == "id" else sizes)[int(call[2])]), text
    )
    assert eval(value) == (7 * 8 + 5) * 16 + 3


@pytest.mark.parametrize(
    "own",
    [
        "size_t get_local_linear_id() { return 1; }",
        "#define get_local_linear_id() 1",
        "static inline uint get_local_linear_id(void) { return 1; }",
    ],
)
def test_what_a_text_defines_itself_is_its_own(own):
    """A function or macro that the submission defines itself is not replaced, because a student who knows that OpenCL C
    1.2 lacks it may define it.
    """
    source = f"{own}\nint a = get_local_linear_id();"
    assert len(equivalents(scan(source))) == len(EQUIVALENTS) - 1
    assert len(equivalents(scan("return get_local_linear_id();"))) == len(EQUIVALENTS)


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("x = work_group_reduce_add(y);", "local memory and barrier"),
        ("return work_group_scan_exclusive_max (y);", "local memory"),
        ("sub_group_barrier(CLK_LOCAL_MEM_FENCE);", "local memory"),
        ("x = get_sub_group_local_id();", "local memory"),
        ("x = get_num_sub_groups();", "local memory"),
        ("atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);", "atomic_add"),
        ("x = atomic_load(&n);", "atomic_cmpxchg"),
        ("x = ctz(y);", "popcount"),
        ("p = to_global(q);", "address space"),
    ],
)
def test_the_rest_is_named_with_its_line_and_what_to_do(call, advice):
    """A call to a function without an equivalent is reported with the name of the function, the line and advice, even
    if the installed driver accepts it.
    """
    (name,) = re.findall(r"(\w+) ?\(", call)[:1]
    found = first_later_call(["", call, "work_group_all(1);"])
    assert (found.line, found.name) == (2, name)
    assert advice in found.advice


@pytest.mark.parametrize(
    "code",
    [
        ("atomic_add(&n, 1); atomic_inc(&n); atomic_cmpxchg(&n, 0, 1); atomic_xchg(&n, 2);",),
        ("barrier(CLK_LOCAL_MEM_FENCE); popcount(x); clz(x); get_local_id(0); get_num_groups(0);",),
        ("float work_group_reduce_add(float x)", "{ return x; }", "y = work_group_reduce_add(x);"),
        ("int sub_group_size = 3; x = ctz + 1;",),
    ],
)
def test_what_the_language_has_or_the_text_defines_is_left_alone(code):
    """Functions of OpenCL C 1.2, functions that the submission defines, and names that are not called are accepted."""
    assert first_later_call(code) is None
