"""sanitizer_run.py, messages.py and oclgrind.py: messages of the simulator become findings for the student."""

import random
import re
import time
from dataclasses import replace

import pytest
from cost_growth import assert_linear
from oclgrind_messages import (
    ARRAYS,
    ASH,
    ATOMIC,
    DECLARED,
    LINE,
    PLANE,
    READ,
    SOURCE,
    WRITE,
    A,
    C,
    at,
    entity,
    invalid,
    kernel,
    message,
    only,
    race,
    unset,
)
from project import ROOT

from grader.common.phrases import quoted
from grader.grading.checks.simulation.sanitizer_run import LIMIT, findings
from grader.grading.explain.simulator.locations import Scene
from grader.grading.explain.simulator.races import MOVE
from grader.protocol.messages import REPLY_LIMIT
from grader.protocol.observation import SeenAccess
from grader.results.findings import Place
from grader.results.verdicts import Reason

LOCAL_RACE = race(
    "Read-write",
    at("local", ASH + 60),
    entity(17, READ, item=(3, 0, 0), group=(1, 0, 0)),
    entity(13, WRITE, item=(7, 2, 0), group=(1, 0, 0)),
    times=4096,
)


GUARDED = """\
__kernel void k(__global const float *A, __global float *C, uint n, uint width)
{
    const uint i = get_global_id(0);
    const uint whole = n * 4;
    if (i < whole)

        C[i] = A[i];
}
"""


def test_an_access_that_a_guard_lets_pass():
    """For an access beyond an array, the message names the lines that decide about the index: the guard, and the line
    that computes the bound of the guard.
    """
    beyond = f"Invalid read of size 4 at global memory address 0x{A + 400:x}\n{entity(7, READ)}"
    found = only(kernel(message(beyond)), replace(LINE, source=GUARDED, expanded=GUARDED))
    assert found.message.endswith("; the index depends on lines 4 and 5.")
    assert "depends" not in only(kernel(message(beyond))).message


def test_a_word_that_is_overwritten_too_early():
    """If a race in local memory has a barrier between the write and the read below it, the help asks for another
    barrier after the read.
    """
    source = SOURCE.replace("line 15;", "barrier(CLK_LOCAL_MEM_FENCE);")
    found = only(kernel(LOCAL_RACE), replace(PLANE, source=source))
    assert found.reason is Reason.DATA_RACE
    assert found.message == (
        "a barrier is missing after line 17: line 13 overwrites words of `Ash` that another work-item still reads in "
        "line 17."
    )
    assert "after line 17, before the next step writes `Ash` again" in found.help
    assert found.places == (
        Place(line=13, text="line 13;", words="work-item (7, 2) of group (1, 0) writes `Ash`"),
        Place(line=17, text="line 17;", words="work-item (3, 0) of group (1, 0) reads `Ash`"),
    )
    assert found.times == 4096


def test_a_write_above_a_read_with_nothing_between():
    """If a race in local memory has no barrier between the write and the read, the help asks for a barrier after the
    write.
    """
    found = only(kernel(LOCAL_RACE), PLANE)
    assert found.message == (
        "a barrier is missing after line 13: line 17 reads words of `Ash` that another work-item writes in line 13."
    )
    assert "after line 13, before any work-item reads" in found.help


def test_a_word_that_is_read_too_early():
    """If the race reads words that were never written, the help asks for a barrier after the write. The unwritten words
    are a consequence of the race and are not reported separately.
    """
    found = only(kernel(LOCAL_RACE, unset=[unset(line=17, name="Ash", space=3)]))
    assert found.message == (
        "a barrier is missing after line 13: line 17 reads words of `Ash` that another work-item writes in line 13."
    )
    assert "after line 13, before any work-item reads" in found.help


STEPS = SOURCE.replace("line 13;", "Ash[lid] += Ash[lid - 4];")


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        (
            STEPS.replace("line 1;", "volatile __local float Ash[64];"),
            13,
            "Add barrier(CLK_LOCAL_MEM_FENCE) after each",
        ),
        (
            STEPS.replace("line 1;", "__local volatile float *Ash"),
            17,
            "after each step",
        ),
        (STEPS.replace("line 12;", "Ash[lid - 2];").replace("line 14;", "Ash[lid-8u];"), 13, "after each step"),
    ],
    ids=["volatile", "volatile-pointer", "distances"],
)
def test_steps_of_a_warp_without_barriers(source, line, says):
    """The help for a race in a warp-synchronous scan says that OpenCL's memory model does not allow it. Signs of such a
    scan are an array that is volatile, or several steps with constant distances and no barrier between them.
    """
    code = source.replace("line 17;", "sum = Ash[lid - 1];")
    seen = race("Read-write", at("local", ASH), entity(13, WRITE, (8, 2, 0)), entity(line, READ), array="Ash")
    found = only(kernel(seen), replace(LINE, source=code))
    assert "(warp-synchronous) is a race by OpenCL's memory model." in found.help
    assert says in found.help


@pytest.mark.parametrize(
    "source",
    [STEPS, STEPS.replace("line 12;", "Ash[lid - 1];").replace("line 14;", "barrier(CLK_LOCAL_MEM_FENCE);")],
    ids=["one-step", "barriers"],
)
def test_a_stencil_is_not_warp_synchronous(source):
    """The help for a race between neighbours in a stencil does not mention warps."""
    seen = race("Read-write", at("local", ASH), entity(13, WRITE, (8, 2, 0)), entity(13, READ), array="Ash")
    assert "warp" not in only(kernel(seen), replace(LINE, source=source)).help


LOOP = SOURCE.replace("line 12;", "for (;;) {").replace("line 20;", "}")


def with_barriers(*lines):
    """Return the scene of a loop in lines 12 to 20 with barriers in these lines."""
    source = LOOP
    for line in lines:
        source = source.replace(f"line {line};", "barrier(CLK_LOCAL_MEM_FENCE);")
    return replace(PLANE, source=source)


@pytest.mark.parametrize(
    ("barriers", "message", "cause"),
    [
        ((), "line 17 reads words", "after line 13, before any work-item reads"),
        ((15,), "line 13 overwrites words", "after line 17, before the next step"),
        ((18,), "line 17 reads words", "after line 13, before any work-item reads"),
        ((15, 18), "line 13 overwrites words", "A barrier cannot separate"),
        ((15, 22), "line 13 overwrites words", "after line 17, before the next step"),
    ],
)
def test_a_barrier_is_missing_only_where_one_can_stand(barriers, message, cause):
    """The help asks for a barrier between the write and the read, or between the read and the write of the next
    iteration, depending on which one is missing. A barrier after the loop does not count as either.
    """
    found = only(kernel(LOCAL_RACE), with_barriers(*barriers))
    assert message in found.message
    assert cause in found.help


def test_one_barrier_serves_all_stores_before_a_read():
    """If a second line stores to local memory before the read, the barrier belongs after this line, and after the loop
    of the stores if the read is not in the loop. A store in the loop of the read does not count.
    """
    counts = {"requests": 1, "mostly_idle": 0, "active": 0, "bytes": 128, "unused": 0, "conflicts": 0, "sectors": 1}
    counts |= {"fewest": 1, "worst": 1.0, "stride": 4, "column": 1, "array": "Bsh", "space": 3, "writes": True}

    def message_with_store(line, source=SOURCE):
        seen = kernel(LOCAL_RACE).model_copy(update={"accesses": (SeenAccess(line=line, **counts),)})
        return only(seen, replace(PLANE, source=source)).message

    assert message_with_store(14).startswith("a barrier is missing after line 14: line 17 reads words of `Ash`")
    assert message_with_store(18).startswith("a barrier is missing after line 13: ")
    stored_in_a_loop = SOURCE.replace("line 12;", "for (;;) {").replace("line 15;", "}")
    assert message_with_store(14, stored_in_a_loop).startswith("a barrier is missing after line 15: ")
    read_in_a_loop = SOURCE.replace("line 14;", "for (;;) {").replace("line 18;", "}")
    assert message_with_store(16, read_in_a_loop).startswith("a barrier is missing after line 13: ")


def test_a_barrier_of_either_name_is_one():
    """A barrier is recognised by both names, `barrier` and the OpenCL 2.0 name `work_group_barrier`."""
    scene = with_barriers(15, 18)
    renamed = replace(scene, source=scene.source.replace("barrier(", "work_group_barrier("))
    assert "A barrier cannot separate" in only(kernel(LOCAL_RACE), renamed).help


def test_a_race_within_a_line():
    """In a race within one line, a barrier helps only in a loop that has no barrier. Otherwise, the help says that a
    barrier cannot separate the work-items.
    """
    told = race("Read-write", at("local", ASH), entity(17, READ, item=(3, 0, 0)), entity(17, WRITE))
    causes = [only(kernel(told), scene).help for scene in (with_barriers(14), PLANE, with_barriers())]
    assert ["barrier cannot separate" in cause for cause in causes] == [True, True, False]


def test_words_of_another_step_that_nobody_has_written():
    """If a barrier already separates the write from the read, words that were never written are reported instead of the
    race, because the write does not store them.
    """
    uses = [unset(line=17, name="Ash", space=3)]
    found = only(kernel(LOCAL_RACE, unset=uses), with_barriers(15))
    assert found.reason is Reason.UNINITIALISED
    assert found.message.startswith("line 17 reads words of `Ash` that no work-item has written")


def test_a_result_that_all_work_items_write():
    """If all work-items write the same result from racing words, the help advises to let a single work-item write it
    after a barrier.
    """
    counts = {"requests": 1, "mostly_idle": 0, "active": 0, "bytes": 128, "unused": 0, "conflicts": 0, "sectors": 1}
    counts |= {"fewest": 1, "worst": 1.0}
    store = SeenAccess(line=17, column=1, array="C", space=1, writes=True, stride=0, **counts)
    found = only(kernel(LOCAL_RACE).model_copy(update={"accesses": (store,)}), with_barriers(15))
    assert found.message.startswith(
        "line 17: all work-items of a group write the same element, computed from words of `Ash`"
    )
    assert found.help.startswith("Let one work-item")


ADDITION = Scene(source="\n".join(["a;"] * 16 + ["total[0] += x;"]), dimensions=1, extent=None)
LOCKED = "while (waiting)\nif (atomic_cmpxchg(&lock, 0, 1) == 0) {\ntotal[0] += x; atomic_xchg(&lock, 0); }"
LOCKING = Scene(source="\n".join(["a;"] * 14 + [LOCKED]), dimensions=1, extent=None)


def stored(scene):
    """Return the scene with the addition replaced by a store."""
    return replace(scene, source=scene.source.replace("+=", "="))


@pytest.mark.parametrize(("scene", "advice"), [(ADDITION, "its own element"), (LOCKING, "a lock does not protect")])
def test_an_element_that_all_work_items_add_to(scene, advice):
    """If all work-items add to one element, the help says that each needs its own element. If a lock is used, the help
    says that a lock does not protect the element.
    """
    counts = {"requests": 1, "mostly_idle": 0, "active": 0, "bytes": 128, "unused": 0, "conflicts": 0, "sectors": 1}
    counts |= {"fewest": 1, "worst": 1.0}
    store = SeenAccess(line=17, column=1, array="Ash", space=3, writes=True, stride=0, **counts)
    told = race("Read-write", at("local", ASH), entity(17, READ, item=(3, 0, 0)), entity(17, WRITE))
    found = only(kernel(told).model_copy(update={"accesses": (store,)}), scene)
    assert found.message.startswith("line 17: work-items of a group read and write the same element of `Ash`")
    assert advice in found.help


@pytest.mark.parametrize(
    ("scene", "says", "advice"),
    [
        (stored(ADDITION), "which one is last", "The index is the same for all work-items."),
        (stored(LOCKING), "in an undefined order", "a lock does not protect"),
        (ADDITION, "add to the same element of `total` at the same time", "Let each work-item use its own element"),
        (LOCKING, "an addition can be lost", "a lock does not protect"),
    ],
    ids=["store", "store in a lock", "addition", "addition in a lock"],
)
def test_two_that_write_an_element_of_a_constant_index(scene, says, advice):
    """If two work-items write an element with a constant index, the help does not suggest checking the ids. If a lock
    is used, the message does not claim that the last write decides the result. An addition is reported as an addition.
    """
    both = race("Write-write", at("local", ASH), entity(17, WRITE), entity(17, WRITE, item=(1, 0, 0)))
    arrays = [each.model_copy(update={"name": "total"}) if each.name == "Ash" else each for each in ARRAYS]
    found = only(kernel(both).model_copy(update={"arrays": tuple(arrays)}), scene)
    assert says in found.message
    assert advice in found.help


def test_a_read_and_a_write_come_before_two_writes():
    """A race between a read and a write is reported before a race between two writes. The order in which the simulator
    sees them does not matter, because it depends on the values.
    """
    read = race("Read-write", at("global", C), entity(6, READ), entity(5, WRITE, item=(1, 0, 0)))
    both = race("Write-write", at("global", C), entity(5, WRITE), entity(5, WRITE, item=(1, 0, 0)))
    orders = [[each.message for each in findings(kernel(*told), LINE)] for told in ((read, both), (both, read))]
    assert orders[0] == orders[1]
    assert orders[0][0].startswith("line 6 reads `C` while line 5 writes it")


def test_two_that_write_in_a_line_come_before_a_missing_barrier():
    """A race between two writes in one line is reported before a missing barrier, because a barrier would not separate
    the two writes.
    """
    both = race("Write-write", at("global", C), entity(6, WRITE), entity(6, WRITE, item=(1, 0, 0)))
    first, second = findings(kernel(LOCAL_RACE, both), LINE)
    assert first.message.startswith("line 6: two work-items write")
    assert second.message.startswith("a barrier is missing after line ")


def test_an_atomic_function_writes():
    """In a race with an atomic function and a plain read, the atomic function is the writer, in either order of the two
    accesses.
    """
    sides = entity(4, READ), entity(8, ATOMIC)
    told = [only(kernel(race("Read-write", at("local", ASH), *pair))) for pair in (sides, sides[::-1])]
    (said,) = {each.message for each in told}
    assert said.endswith("line 8 overwrites words of `Ash` that another work-item still reads in line 4.")


@pytest.mark.parametrize(("other", "where"), [(6, "line 6"), (9, "lines 6 and 9")])
def test_two_that_write_the_same_element(other, where):
    """The message about two writes to one element names their lines. If one of the work-items lies beyond the edge, the
    help names this work-item. An image has no index that runs into the next row.
    """
    first = entity(6, WRITE, item=(50, 3, 0))
    told = race("Write-write", at("global", C + 4), first, entity(other, WRITE, item=(0, 4, 0)))
    assert only(kernel(told)).message.startswith(f"{where}: two work-items write the same element of `C`,")
    assert "row length" in only(kernel(told)).help
    beyond = "Work-item (50, 3) lies beyond the edge and must not store."
    assert only(kernel(told), PLANE).help == f"{beyond} Its index runs into the next row."
    image = replace(PLANE, source=PLANE.source.replace("__global float *C", "write_only image2d_t C"))
    assert only(kernel(told), image).help == f"{beyond} Compare its coordinates with the size of the image."


def test_a_pixel_outside_an_image_is_no_race_with_the_next_row():
    """A write outside an image is not also reported as a race with a pixel of the next row. A race in another line is
    still reported.
    """
    scene = replace(PLANE, source=PLANE.source.replace("__global float *C", "write_only image2d_t C"))
    text = "Image coordinates outside (50,3) of width 50 and height 35\n\tKernel: k\n\tEntity: "
    outside = message(text + entity(6, WRITE, item=(50, 3, 0)), array="C", writes=(True,))
    same, other = (
        race("Write-write", at("global", C + 4), *(entity(line, WRITE, item=item) for item in ((50, 3, 0), (0, 4, 0))))
        for line in (6, 9)
    )
    assert only(kernel(outside, same), scene).reason is Reason.OUT_OF_BOUNDS
    reasons = [each.reason for each in findings(kernel(outside, other), scene)]
    assert reasons == [Reason.OUT_OF_BOUNDS, Reason.DATA_RACE]


def test_two_lines_that_write_the_same_word_of_local_memory():
    """If two lines write the same word of local memory, a barrier between them is missing. If there is one already, the
    indices are wrong.
    """
    told = race("Write-write", at("local", ASH), entity(13, WRITE), entity(17, WRITE, item=(1, 0, 0)))
    parted = replace(PLANE, source=SOURCE.replace("line 15;", "barrier(CLK_LOCAL_MEM_FENCE);"))
    assert only(kernel(told)).help == "A barrier(CLK_LOCAL_MEM_FENCE) is missing between lines 13 and 17."
    assert only(kernel(told), parted).help.startswith("Both work-items compute the same index")


def test_an_index_from_an_array_that_the_kernel_computes():
    """If an index outside an array is an element of the kernel's own array, the help names the lines that compute it.
    A line that computes the element itself has no other line to check.
    """
    lines = ["__kernel void k(__global const float *A, __global float *C, uint n)", "{", "uint to[2];"]
    lines += ["for (uint i = 0; i < 2; i++)", "to[i] = get_global_id(0) * n + i;", "C[0] = A[to[1]];", "}"]
    scene = replace(LINE, source="\n".join(lines), expanded="\n".join(lines))
    found = only(kernel(invalid("read", at("global", A + 400), entity(6, READ))), scene)
    assert found.help == "The index depends on values of `to`. First check how they are computed in line 5."
    direct = scene.source.replace("A[to[1]]", "A[get_global_id(0)]")
    found = only(
        kernel(invalid("read", at("global", A + 400), entity(6, READ))),
        replace(scene, source=direct, expanded=direct),
    )
    assert "depends on values" not in found.help


def test_a_condition_that_lets_two_work_items_write_the_same_word():
    """If a condition with an equality chooses the work-items that write, it may choose too many. A guard that tests
    sizes does not choose single work-items.
    """
    told = race("Write-write", at("local", ASH), entity(5, WRITE), entity(5, WRITE, item=(0, 1, 0)))
    lines = ["__kernel void k(__global const float *A, __local float *Ash, uint n)", "{"]
    lines += ["const uint c = get_local_id(0);", "if (c == 0)", "Ash[c] = 1;", "}"]
    scene = replace(PLANE, source="\n".join(lines), expanded="\n".join(lines))
    assert only(kernel(told), scene).help == (
        "The condition in line 4 lets both work-items write, and their indexes are equal. Check the condition and the "
        "index."
    )
    guarded = scene.source.replace("c == 0", "c < n")
    help_ = only(kernel(told), replace(PLANE, source=guarded, expanded=guarded)).help
    assert help_.startswith("Both work-items compute the same index")


def test_two_lines_that_write_the_same_word_in_turns_of_a_loop():
    """Even with a barrier between them, two lines in a loop can write the same word in different iterations. Then a
    barrier is missing at the end of the loop.
    """
    told = race("Write-write", at("local", ASH), entity(13, WRITE), entity(17, WRITE, item=(1, 0, 0)))
    source = SOURCE.replace("line 10;", "for (;;) {").replace("line 15;", "barrier(CLK_LOCAL_MEM_FENCE);")
    looped = source.replace("line 20;", "}")
    assert only(kernel(told), replace(PLANE, source=looped)).help == (
        "Write barrier(CLK_LOCAL_MEM_FENCE) after line 17, before the next step writes `Ash` again."
    )
    closed = looped.replace("line 19;", "barrier(CLK_LOCAL_MEM_FENCE);")
    assert only(kernel(told), replace(PLANE, source=closed)).help.startswith("Both work-items compute the same index")


def test_two_lines_that_mean_the_same_word_of_local_memory_and_write_another():
    """If one of two writes has exchanged indices, the help names the index first, because a barrier would remove the
    race but not the wrong results.
    """
    told = race("Write-write", at("local", ASH), entity(13, WRITE), entity(17, WRITE, item=(1, 0, 0)))
    source = SOURCE.replace("line 13;", "Ash[y][x] = 0;").replace("line 17;", "Ash[ x ] [y] = A[i];")
    assert only(kernel(told), replace(PLANE, source=source)).help == (
        "Lines 13 and 17 need the same index, or a barrier(CLK_LOCAL_MEM_FENCE) between them."
    )
    alike = source.replace("[ x ] [y]", "[y] [x]")
    cause = only(kernel(told), replace(PLANE, source=alike)).help
    assert cause == "A barrier(CLK_LOCAL_MEM_FENCE) is missing between lines 13 and 17."


def test_a_race_between_groups():
    """For a race in global memory between work-groups, the help says that a barrier orders only work-items of one
    group.
    """
    found = only(kernel(race("Read-write", at("global", A), entity(4, READ, group=(1, 0, 0)), entity(5, WRITE))))
    assert found.message == "line 4 reads `A` while line 5 writes it, in an undefined order."
    assert "a barrier orders only work-items of one group" in found.help


def test_a_race_with_a_copy_by_the_group():
    """In a race with a copy by the work-group, the simulator gives no line for the copy. The message then has only the
    work-item's line.
    """
    text = race("Read-write", at("local", ASH), "Group(0,0,0)\n\t(location unknown)\n\t", entity(4, READ))
    found = only(kernel(text))
    assert found.message == "line 4 reads `Ash` while a copy by the group still uses it."
    assert "wait_group_events" in found.help


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (4, "Write barrier(CLK_LOCAL_MEM_FENCE) after line 4, before the copy."),
        (9, "Call wait_group_events, then a barrier, before you use it."),
    ],
)
def test_the_line_of_a_copy_by_the_group_is_named(line, said):
    """If the source shows the line of the copy, the message names this line. The advice depends on which of the two
    lines comes first.
    """
    source = SOURCE.replace("line 7;", "e = async_work_group_copy(Ash, A, 32, 0);")
    text = race("Read-write", at("local", ASH), "Group(0,0,0)\n\t(location unknown)\n\t", entity(line, READ))
    found = only(kernel(text), replace(LINE, source=source))
    assert (found.message, found.help) == (f"line {line} reads `Ash` while the copy in line 7 still uses it.", said)


def test_a_copy_beyond_an_array_is_told_with_its_own_line():
    """A copy beyond an array is reported with the line of the copy, although the simulator performs the copy at the
    wait and reports the line of the wait. The help does not suspect `nodebug`.
    """
    source = SOURCE.replace("line 7;", "e = async_work_group_copy(Ash, A, 500, 0);")
    waits = "Group(0,0,0)\n\t  call wait_group_events\n\tAt line 8 (column 5) of input.cl:\n\t  x;\n\t"
    found = only(kernel(invalid("read", at("global", A + 400), waits)), replace(LINE, source=source))
    assert found.message == "the copy in line 7 reads outside `A`, 1 element past its end."
    assert "nodebug" not in found.help


COPIES = (
    """\
const __global float *row = A;
e = async_work_group_copy(Ash[0], A + (x + 1) * n, min(n, 4u), 0);
e = async_work_group_copy(C + n, Ash[0], 4, e);
e = async_work_group_copy(Ash[1], row, 4, e);
"""
    + DECLARED
)


@pytest.mark.parametrize(
    ("kind", "address", "said"),
    [
        ("read", A + 400, "the copy in line 2 reads outside `A`, 1 element past its end."),
        ("write", C + 4096, "the copy in line 3 writes outside `C`, 1 element past its end."),
        ("write", A + 400, "the copy in line 3 writes outside `A`, 1 element past its end."),
    ],
)
def test_of_several_copies_the_one_beyond_an_array_is_named(kind, address, said):
    """If the kernel has several copies, the message names the one that reads or writes this array. If no copy does, it
    names the copy that uses a pointer.
    """
    waits = "Group(0,0,0)\n\t  call wait_group_events\n\tAt line 8 (column 5) of input.cl:\n\t  x;\n\t"
    source = COPIES if "outside `A`" not in said or kind == "read" else COPIES.replace("C + n", "row")
    found = only(kernel(invalid(kind, at("global", address), waits)), replace(LINE, source=source))
    assert found.message == said


def test_all_copies_that_may_be_the_one_beyond_an_array_are_named():
    """If several copies may be the cause, the message names all their lines."""
    waits = "Group(0,0,0)\n\t  call wait_group_events\n\tAt line 8 (column 5) of input.cl:\n\t  x;\n\t"
    source = COPIES.replace("row, 4", "A, 4")
    found = only(kernel(invalid("read", at("global", A + 400), waits)), replace(LINE, source=source))
    assert found.message == "one of the copies in lines 2 and 4 reads outside `A`, 1 element past its end."


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (SOURCE, "is complete."),
        (COPIES[: COPIES.index("e = async_work_group_copy(C")], "is complete: nothing waits for the copy in line 2."),
        (COPIES, "is complete: nothing waits for one of the copies in lines 2, 3 and 4."),
    ],
)
def test_a_copy_that_is_not_waited_for_is_told_with_its_line(source, said):
    """A copy that the kernel never waits for is reported with its line. If there are several copies, all their lines
    are given.
    """
    text = f"Work-item finished without waiting for events\n\tKernel: k\n\tEntity: {entity(5, READ)}"
    assert only(kernel(message(text)), replace(LINE, source=source)).message.endswith(said)


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (
            "barrier(CLK_GLOBAL_MEM_FENCE);",
            "the barrier in line 15 orders global memory only, but `Ash` is in local memory.",
        ),
        ("mem_fence(CLK_LOCAL_MEM_FENCE);", "mem_fence in line 15 does not wait for other work-items."),
        ("write_mem_fence(CLK_LOCAL_MEM_FENCE);", "write_mem_fence in line 15 does not wait for other work-items."),
    ],
)
def test_a_fence_that_orders_nothing_here(statement, what):
    """If there is a barrier for other memory, or a fence instead of a barrier, the message names this mistake and the
    help says which barrier to write.
    """
    found = only(kernel(LOCAL_RACE), replace(PLANE, source=SOURCE.replace("line 15;", statement)))
    assert (found.message, found.help) == (what, "Write barrier(CLK_LOCAL_MEM_FENCE) in line 15.")
    both = race("Write-write", at("local", ASH), entity(13, WRITE), entity(17, WRITE, item=(1, 0, 0)))
    assert only(kernel(both), replace(PLANE, source=SOURCE.replace("line 15;", statement))).message == what


INSIDE = """\
__kernel void k(__local float *Ash)
{
uint me = get_local_id(0);
if (me < 32) {
Ash[me] += Ash[me + 2];
Ash[me] += Ash[me + 1];
}
float x = Ash[0];
}
"""


@pytest.mark.parametrize(
    ("reader", "advice"),
    [
        (
            6,
            MOVE.format("if", 4),
        ),
        (8, "Write barrier(CLK_LOCAL_MEM_FENCE) after line 7, before any work-item reads."),
    ],
)
def test_no_barrier_is_proposed_where_not_all_work_items_come(reader, advice):
    """If only some work-items enter an `if`, a barrier is proposed after it. If both lines of the race are inside, the
    help says to move them out.
    """
    told = race("Read-write", at("local", ASH), entity(reader, READ), entity(5, WRITE, item=(1, 0, 0)))
    scene = replace(LINE, source=INSIDE, expanded=INSIDE)
    assert only(kernel(told), scene).help == advice


REPEATED = """\
__kernel void k(__global const float *A, __local float *Ash)
{
const uint me = get_local_id(0);
for (uint step = 1; step < 8; step *= 2) {
if (me < step) {
float x = Ash[me + step];
Ash[me] = x;
Ash[me + 1] = x;
}
more;
}
}
"""
UNBRACED = REPEATED.replace("*= 2) {", "*= 2)").replace("more;\n}\n", "\n\n")
DIVIDED = REPEATED.replace("for (uint step = 1; step < 8; step *= 2) {", "for (uint step = 1; step < me; step *= 2) {")


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        (REPEATED, "Write barrier(CLK_LOCAL_MEM_FENCE) after line 9, before the next step writes `Ash` again."),
        (UNBRACED, "before the next step writes `Ash` again. The body of the loop then needs braces."),
        (REPEATED.replace("more;", "barrier(CLK_LOCAL_MEM_FENCE);"), MOVE.format("if", 5)),
        (DIVIDED, MOVE.format("for", 4)),
    ],
    ids=["open", "unbraced", "barrier", "divided"],
)
def test_a_barrier_after_a_condition_separates_the_steps_of_a_loop(source, advice):
    """If the `if` with both lines is in a loop, a barrier after the `if` separates the steps. The steps have to be
    moved if this barrier is there already, or if not all work-items run the loop.
    """
    told = race("Read-write", at("local", ASH), entity(6, READ), entity(7, WRITE, item=(1, 0, 0)))
    found = only(kernel(told), replace(LINE, source=source, expanded=source))
    assert found.help.endswith(advice)
    if found.barrier:
        assert (found.barrier.line, found.barrier.otherwise) == (9, MOVE.format("if", 5))


def test_two_lines_of_a_step_that_write_the_same_word_in_the_next_step():
    """Two lines in an `if` in a loop may write the same word in different iterations. If no barrier separates these,
    one after the `if` is proposed, and the same index only if the barrier does not help.
    """
    told = race("Write-write", at("local", ASH), entity(7, WRITE), entity(8, WRITE, item=(1, 0, 0)))
    found = only(kernel(told), replace(LINE, source=REPEATED, expanded=REPEATED))
    assert found.help == "Write barrier(CLK_LOCAL_MEM_FENCE) after line 9, before the next step writes `Ash` again."
    same = "Lines 7 and 8 need the same index, or a barrier(CLK_LOCAL_MEM_FENCE) between them."
    assert found.barrier.otherwise == same
    closed = REPEATED.replace("more;", "barrier(CLK_LOCAL_MEM_FENCE);")
    assert only(kernel(told), replace(LINE, source=closed, expanded=closed)).help == same


def test_an_access_beyond_the_edge_by_its_guards():
    """If a guard lets an access beyond the array pass, the help names the guard. If there is no guard, the help says
    so.
    """
    beyond = invalid("read", at("global", A + 400), entity(7, READ, item=(60, 0, 0)))
    guarded = replace(LINE, source=GUARDED, expanded=GUARDED, extent=(50,))
    assert only(kernel(beyond), guarded).help.startswith(
        "Work-item 60 lies beyond the edge, but the condition in line 5 lets it pass. Check the sizes."
    )
    bare = GUARDED.replace("    if (i < whole)", "")
    found = only(kernel(beyond), replace(LINE, source=bare, expanded=bare))
    assert (
        found.help == "No condition guards line 7. Add a condition that compares the index with the size of the array."
    )


def test_no_line_0_is_named():
    """Line 0 means that the simulator does not know the line, so the finding gives no line and no place."""
    found = only(kernel(race("Read-write", at("local", ASH), entity(0, READ), entity(0, WRITE))))
    assert "line 0" not in f"{found.message} {found.help}"
    assert found.places == ()


def test_a_copy_that_not_all_work_items_reach():
    """If only some work-items of a group reach an asynchronous copy, the message gives their number."""
    text = (
        "Work-group divergence detected (async copy)\n\tKernel:     k\n\tWork-group: (0,0,0)\n\tOnly 5 out of 32 "
        "work-items executed copy\n\t  call\n\tAt line 7 (column 9) of input.cl:\n\t  x;\n\t"
    )
    assert only(kernel(message(text))).message.startswith(
        "line 7: 5 of 32 work-items of group 0 reach the copy, 27 do not"
    )


@pytest.mark.parametrize(
    ("kind", "where", "expected"),
    [
        ("read", at("global", A + 400), "line 7 reads outside `A`, 1 element past its end."),
        ("write", at("global", C + 4096 + 48), "line 7 writes outside `C`, 13 elements past its end."),
        ("read", at("global", A - 4), "line 7 reads outside `A`, 1 element before its start."),
        ("write", at("global", C - 80), "line 7 writes outside `C`, 20 elements before its start."),
        (
            "read",
            at("global", A + 4 * (2**32 - 20)),
            "line 7 reads outside `A`: the index has fallen below 0 and, as it is unsigned, become 4,294,967,276.",
        ),
        ("read", at("global", A + 396), "line 7 reads outside `A`, from its last element on."),
        ("read", at("global", A + 392), "line 7 reads outside `A`, from its last 2 elements on."),
        ("read", at("local", ASH + 1028), "line 7 reads outside `Ash`, 2 elements past its end."),
        ("write", at("global", 9 << 48), "line 7 writes outside `given`."),
        ("read", at("private", 1 << 33), "line 7 reads outside `given`."),
    ],
)
def test_accesses_outside(kind, where, expected):
    """The message about an access outside an array names the array and, if it is known, the distance from the nearer
    end.
    """
    found = only(kernel(invalid(kind, where, entity(7, READ, item=(4, 0, 0)), array="given", times=5)))
    assert found.reason is Reason.OUT_OF_BOUNDS
    assert found.message == expected
    assert found.times == 5
    assert found.places[0].words.startswith(
        "work-item 4 of group 0 reads " if kind == "read" else "work-item 4 of group 0 w"
    )


def test_accesses_beyond_the_edge():
    """If the work-item lies beyond the edge, the help asks for a guard. For any other work-item, it asks to check the
    index.
    """
    told = [
        only(kernel(invalid("write", at("global", C + 5000), entity(7, WRITE, item=item))), PLANE).help
        for item in ((49, 35, 0), (49, 34, 0))
    ]
    assert told[0] == "Work-item (49, 35) lies beyond the edge. Guard the store with the sizes."
    assert told[1].startswith("Check the row length in the index")
    (line,) = [only(kernel(invalid("read", at("global", C + 5000), entity(7, READ))), LINE).help]
    assert line == "Check the index, and that a guard compares it with the size of this array."


@pytest.mark.parametrize(("index", "how"), [(16, ""), (-1, ""), (2**32 - 2, ": an unsigned index has fallen below 0")])
def test_indices_of_arrays_of_known_size(index, how):
    """If the simulator reports both an address and an index with the size of the array, the finding uses the index."""
    culprit = entity(7, WRITE, item=(16, 0, 0))
    of_index = message(f"Index ({index}) exceeds static array size (16)\n\tKernel: k\n\tEntity: {culprit}", array="cs")
    for told in ([of_index], [invalid("write", at("private", 1 << 33), culprit), of_index]):
        found = only(kernel(*told))
        assert found.reason is Reason.OUT_OF_BOUNDS
        assert found.message == f"line 7 accesses element {index} of `cs`, which has elements 0 to 15{how}."


def test_addresses_that_suit_no_vector():
    """An access to a vector at a misaligned address is reported, because it works on some devices only."""
    text = "Invalid memory load - source pointer is not aligned to the pointed type\n\tKernel: k\n\tEntity: "
    found = only(kernel(message(text + entity(5, READ), array="A")))
    assert found.message == "line 5 reads `A` at an address that is not a multiple of the size of the value."
    assert "vload4" in found.help


@pytest.mark.parametrize(
    ("text", "reason", "says"),
    [
        ("Unaligned address on atomic_inc", Reason.OUT_OF_BOUNDS, "calls an atomic function with an address in `A`"),
        ("Work-item finished without waiting for events", Reason.DATA_RACE, "ends before an asynchronous copy"),
        ("Invalid wait event", Reason.DATA_RACE, "line 5 waits for an event that belongs to no copy."),
    ],
)
def test_misused_atomics_and_copies(text, reason, says):
    """Misused atomic functions and copies are reported with their line."""
    found = only(kernel(message(f"{text}\n\tKernel: k\n\tEntity: {entity(5, READ)}", array="A")))
    assert found.reason is reason
    assert says in found.message
    assert [place.line for place in found.places] == [5]


REACHED = """\
Work-group divergence detected (barrier)
\tKernel:     k
\tWork-group: (1,0,0)
\tOnly 19 out of 32 work-items executed barrier
\t  call spir_func void @_Z7barrierj(i32 noundef 1) #5, !dbg !26
\tAt line 13 (column 2) of input.cl:
\t  barrier(CLK_LOCAL_MEM_FENCE);
\t"""


def test_a_barrier_after_a_return():
    """If work-items returned before a barrier, the message names the lines of their returns."""
    found = only(kernel(message(REACHED, endings=((4, 12), (6, 1), (20, 19)))))
    assert found.reason is Reason.BARRIER_DIVERGENCE
    assert found.message == (
        "13 of 32 work-items of group 1 end in line 4 or 6 and do not reach the barrier in line 13."
    )
    assert [(each.line, each.words) for each in found.places[:3]] == [
        (13, "some work-items wait at this barrier"),
        (4, "12 work-items ended here"),
        (6, "1 work-item ended here"),
    ]


def test_a_return_in_the_line_of_the_barrier():
    """A return in the line of the barrier is taken to be before the barrier. The message does not say that its
    work-item went past the barrier.
    """
    found = only(kernel(message(REACHED.replace("19 out", "31 out"), endings=((13, 1), (20, 31)))))
    assert found.message == ("1 of 32 work-items of group 1 ends in line 13 and does not reach the barrier in line 13.")


def test_a_barrier_in_a_condition():
    """Work-items that end after the line of a barrier without waiting at it have gone past it, and the message says
    so.
    """
    found = only(kernel(message(REACHED, endings=((20, 13),))))
    assert found.message.endswith("13 do not. They went past it.")


def test_a_barrier_that_must_leave_its_condition():
    """If a barrier is inside a statement that only some work-items execute, the help says to move the barrier out of
    the statement.
    """
    source = "__kernel void k(uint n)\n{" + "\n" * 9 + "if (get_global_id(0) < n) {\nbarrier(1);\n}\n}\n"
    found = only(kernel(message(REACHED.replace("line 13", "line 12"))), replace(LINE, source=source, expanded=source))
    assert found.help.startswith("Move the barrier out of the `if` in line 11. Work-items with nothing to do")


def test_different_barriers():
    """If work-items of one group wait at two different barriers, the message names both lines."""
    text = (
        "Work-group divergence detected (barrier)\n\tKernel:     k\n\tWork-group: (1,0,0)\n\t\n\tWork-item:  "
        f"{entity(9, 'call spir_func void @_Z7barrierj(i32 noundef 1) #5')}fence=0x1, num_events=0\n\t\n"
        "\tPrevious work-items executed:\n\t  call spir_func void @_Z7barrierj(i32 noundef 1) #5, !dbg !26\n"
        "\tAt line 5 (column 2) of input.cl:\n\t  barrier(CLK_LOCAL_MEM_FENCE);\n\tfence=0x1, num_events=0\n\t"
    )
    found = only(kernel(message(text)))
    assert found.message == "work-items of group 1 wait at different barriers, in lines 5 and 9."
    assert [each.line for each in found.places] == [9, 5]


def test_a_write_to_an_input():
    """A write to an input is reported with the name of the input, and the help recommends `const`."""
    text = f"Invalid write to read-only buffer\n\tKernel: k\n\tEntity: {entity(8, WRITE)}"
    found = only(kernel(message(text, array="A")))
    assert (found.reason, found.message) == (
        Reason.INPUT_CHANGED,
        "line 8 writes `A`, which is an input and may only be read.",
    )
    assert "const" in found.help


def test_a_loop_that_does_not_end():
    """If the simulator stops a kernel, the message names the innermost loop around the line that was running. If the
    source has no loop at that place, it names this line.
    """
    head = "OCLGRIND FATAL ERROR (observer.cpp:770)\na loop that does not end\n\tKernel: k\n\tEntity: "
    found = only(kernel(message(head + entity(8, "br label %for.cond, !dbg !1"))))
    assert (found.reason, found.message) == (
        Reason.TIME_LIMIT,
        "line 8 was still running when the simulator stopped the kernel.",
    )
    looped = SOURCE.replace("line 4;", "for (;;) {").replace("line 6;", "while (e != last) {").replace("line 9;", "}}")
    found = only(kernel(message(head + entity(8, "br label %for.cond, !dbg !1"))), replace(LINE, source=looped))
    assert found.message == "line 6: this loop was still running when the simulator stopped the kernel."


def test_what_the_simulator_does_not_know():
    """An instruction that the simulator does not support is reported with its line, and not as a mistake of the
    student.
    """
    head = "OCLGRIND FATAL ERROR (WorkItem.cpp:282)\nUnsupported instruction: atomicrmw\n\tKernel: k\n\tEntity: "
    found = only(kernel(message(head + entity(8, ATOMIC))))
    assert found.reason is Reason.CRASH
    assert found.message == "line 8: the simulator stopped at an instruction that it does not support."


@pytest.mark.parametrize(
    ("seen", "message", "cause"),
    [
        (
            unset(),
            "line 9 reads `sum`, which has no value yet; the result is stored in `C` in line 12.",
            "Give `sum` a value where it is declared, such as 0.",
        ),
        (
            unset(how="condition"),
            "line 9 reads `sum`, which has no value yet; the condition in line 12 depends on it.",
            "Give `sum` a value",
        ),
        (
            unset(how="address"),
            "line 9 reads `sum`, which has no value yet; an index in line 12 depends on it.",
            "Give `sum`",
        ),
        (
            unset(name="Ash", space=3),
            "line 9 reads words of `Ash` that no work-item has written; the result is stored in `C` in line 12.",
            "No line wrote to `Ash`. Check the name",
        ),
        (
            unset(name="C", space=1),
            "line 9 reads `C` before anything is written there; the result is stored in `C` in line 12.",
            "An output does not start at zero",
        ),
        (
            unset(name=""),
            "line 9 reads a value, which has no value yet; the result is stored in `C` in line 12.",
            "Give a value",
        ),
    ],
)
def test_values_that_were_never_set(seen, message, cause):
    """A read of a value that was never set is reported with the name of the value, the line that uses it, and the usual
    cause.
    """
    found = only(kernel(unset=[seen]))
    assert found.reason is Reason.UNINITIALISED
    assert found.message == message
    assert found.help.startswith(cause)
    assert [place.line for place in found.places] == [9, 12]
    assert found.places[0].words == f"work-item 33 of group 1 reads {quoted(seen.name or 'a value')}"


def test_a_value_is_told_once():
    """If one unset value is used several times, only one use is reported: an index rather than a condition, and a
    condition rather than a stored result.
    """
    uses = [unset(how="stored"), unset(how="condition", used_line=10), unset(how="address", used_line=14)]
    assert "an index in line 14" in only(kernel(unset=uses)).message
    assert "the condition in line 10" in only(kernel(unset=uses[:2])).message


def test_causes_come_before_consequences():
    """Findings that can cause others come first: unset indices, barriers that not all work-items reach, wrong accesses,
    races, and then other unset values.
    """
    seen = kernel(
        race("Write-write", at("global", C), entity(6, WRITE), entity(6, WRITE)),
        invalid("read", at("global", A - 4), entity(7, READ)),
        message(REACHED),
        unset=[unset(line=20), unset(line=21, name="index", how="stored"), unset(line=22, how="address")],
    )
    assert [(each.reason, each.places[0].line) for each in findings(seen, LINE)] == [
        (Reason.UNINITIALISED, 22),
        (Reason.BARRIER_DIVERGENCE, 13),
        (Reason.OUT_OF_BOUNDS, 7),
        (Reason.DATA_RACE, 6),
        (Reason.UNINITIALISED, 20),
        (Reason.UNINITIALISED, 21),
    ]


def test_the_same_is_told_once():
    """If two expressions in one line make the same mistake, there is one finding. A read and a write are two
    findings.
    """
    columns = [
        race("Read-write", at("local", ASH + 4 * n), entity(17, READ, column=n), entity(13, WRITE)) for n in (1, 2)
    ]
    assert len(findings(kernel(*columns), LINE)) == 1
    both = [invalid(kind, at("global", C + 5000), entity(7, READ)) for kind in ("read", "write")]
    assert len(findings(kernel(*both), LINE)) == 2


def test_there_is_a_limit():
    """The number of findings is limited, even if every line of the kernel has a mistake."""
    seen = kernel(unset=[unset(line=n) for n in range(1, 30)])
    assert len(findings(seen, LINE)) == LIMIT


def test_nothing_wrong_is_nothing_found():
    """Without messages from the simulator, there are no findings."""
    assert findings(kernel(), LINE) == ()


# --- messages from a worker that forges them --------------------------------------------------

GENUINE = [
    LOCAL_RACE.text,
    REACHED,
    invalid("read", at("global", A - 4), entity(7, READ)).text,
    f"Index (4) exceeds static array size (4)\n\tKernel: k\n\tEntity: {entity(4, WRITE)}",
    f"Invalid write to read-only buffer\n\tKernel: k\n\tEntity: {entity(4, WRITE)}",
    f"OCLGRIND FATAL ERROR (x)\nUnsupported\n\tKernel: k\n\tEntity: {entity(4, WRITE)}",
]
STRANGE = [
    "",
    "\n",
    "Index (",
    "Index (1) exceeds static array size (2)",
    "Work-group divergence detected (barrier)",
    "Work-group divergence detected (barrier)\n\tOnly 1 out of 2 work-items executed barrier",
    "Work-group divergence detected (barrier)\n\tAt line 3 (column 1)",
    "Read-write data race at nowhere",
    f"Write-write data race at local memory address 0x0\n{entity(1, WRITE)}{entity(2, WRITE)}{entity(3, WRITE)}",
    f"Read-write data race at global memory address 0x{'f' * 99}\n{entity(10**19, READ)}{entity(2, READ)}",
    f"Index (-{'9' * 9999}) exceeds static array size ({'9' * 9999})\n{entity('9' * 9999, READ)}",
    f"Invalid read of size 4 at private memory address 0xffffffffffffffff\n{entity(0, READ)}",
    f"Invalid read of size 4 at global memory address 0xffffffffffffffff\n{entity(0, READ, item=(10**19,) * 3)}",
]


HIDING = replace(PLANE, source="__attribute__((nodebug))")
HIDDEN = entity(7, READ).partition("\tAt line")[0]


@pytest.mark.parametrize(
    ("text", "reason", "what"),
    [
        (race("Read-write", at("local", ASH + 60), HIDDEN, HIDDEN).text, Reason.DATA_RACE, "the same element of `Ash`"),
        (invalid("write", at("local", ASH), HIDDEN).text, Reason.OUT_OF_BOUNDS, "it uses `Ash` wrongly"),
        (f"Index (9) exceeds static array size (8)\n{HIDDEN}", Reason.OUT_OF_BOUNDS, "beyond its end"),
        ("Work-group divergence detected (barrier)\n", Reason.BARRIER_DIVERGENCE, "not every work-item reaches"),
        (f"Invalid write to read-only buffer\n{HIDDEN}", Reason.INPUT_CHANGED, "an input"),
        (
            f"OCLGRIND FATAL ERROR (x)\na loop that does not end\n{HIDDEN}",
            Reason.TIME_LIMIT,
            "the kernel was still running when the simulator stopped it",
        ),
        (f"OCLGRIND FATAL ERROR (x)\ny\n{HIDDEN}", Reason.CRASH, "does not support"),
    ],
)
def test_who_hides_lines_hides_nothing_that_they_do(text, reason, what):
    """If a kernel hides its lines from the simulator with `nodebug`, its mistakes are still reported, without a place.
    The help asks to remove `nodebug` only if the file contains it.
    """
    found = only(kernel(message(text)), PLANE)
    assert (found.reason, found.places) == (reason, ())
    assert what in found.message
    assert found.help == ""
    assert "`nodebug`" in only(kernel(message(text)), HIDING).help


NO_PLACE = f"{HIDDEN}\tDebugging information not available.\n\t\n\t"


@pytest.mark.parametrize("sides", [(NO_PLACE, entity(7, WRITE)), (entity(7, WRITE), NO_PLACE), (NO_PLACE, NO_PLACE)])
def test_a_race_of_which_one_side_is_hidden(sides):
    """A race in which one side has no line is reported as a race between two work-items. It is not mistaken for a race
    with a copy by the work-group, for which the simulator gives no instruction at all.
    """
    found = only(kernel(race("Read-write", at("local", ASH + 60), *sides)), PLANE)
    assert found.message == "two work-items use the same element of `Ash`, and one writes it."
    assert found.help == ""
    assert "`nodebug`" in only(kernel(race("Read-write", at("local", ASH + 60), *sides)), HIDING).help


@pytest.mark.parametrize("hidden", [{"line": 0}, {"used_line": 0}, {"line": 0, "used_line": 0}])
def test_a_value_that_was_never_set_of_which_a_line_is_hidden(hidden):
    """If a line of an unset value is hidden, the finding has no place, and line 0 is not mentioned."""
    found = only(kernel(unset=[unset(**hidden)]))
    assert (found.reason, found.places) == (Reason.UNINITIALISED, ())
    assert found.message == "it uses `sum` before anything is written there."
    assert found.help == ""
    assert "`nodebug`" in only(kernel(unset=[unset(**hidden)]), HIDING).help


def test_a_quoted_line_is_no_message():
    """The words of a source line that the simulator quotes are not mistaken for the simulator's own words."""
    head = "OCLGRIND FATAL ERROR (x)\nUnsupported instruction\n\tKernel: k\n\tEntity: "
    culprit = entity(8, "unknown").replace("line 8;", "// a loop that does not end")
    assert only(kernel(message(head + culprit))).reason is Reason.CRASH


@pytest.mark.parametrize("text", STRANGE)
def test_strange_messages_do_no_harm(text):
    """A message in an unknown form becomes at most one finding, and numbers of any length do not raise an exception."""
    assert len(findings(kernel(message(text, endings=((0, 1), (5, 2)))), PLANE)) <= 1


def test_mangled_messages_do_no_harm():
    """Messages made of random pieces of real messages do not raise an exception."""
    shuffle = random.Random(5)
    pieces = [piece for text in GENUINE for piece in re.split(r"(\d+|[(),:\n])", text)]
    for text in GENUINE:
        for _ in range(300):
            parts = re.split(r"(\d+|[(),:\n])", text)
            for _ in range(shuffle.randrange(1, 5)):
                parts[shuffle.randrange(len(parts))] = shuffle.choice(pieces)
            findings(kernel(message("".join(parts))), PLANE)


@pytest.mark.parametrize(
    "unit", ["\n", "\t", " ", "\n ", "Global(1,1,1) Local(", "Global(1,", "1", "At line 1 (column ", entity(1, READ)]
)
@pytest.mark.parametrize("head", ["Read-write data race at local memory address 0x1\n", "Work-group divergence\n"])
@pytest.mark.parametrize("start", ["", "Global(1,1,1) Local(1,1,1) Group(1,1,1)\n"])
def test_long_messages_are_read(head, start, unit):
    """The longest possible message is read in a time that is proportional to its length. If the time were quadratic,
    this test would take hours.
    """
    text = head + start + unit * (REPLY_LIMIT // len(unit))
    assert len(findings(kernel(message(text)), LINE)) <= 1


@pytest.mark.whole
def test_a_race_between_far_lines_costs_in_proportion_to_the_text():
    """The time for a race between distant lines is proportional to the length of the source."""

    def tell(size):
        far = Scene(source="\n" * size, dimensions=1, extent=None)
        raced = race("Read-write", "local memory address 0x1", entity(2, WRITE), entity(size - 1, READ))
        assert len(findings(kernel(raced), far)) == 1

    assert_linear(tell, lambda size: size + 2)


def test_explanations_of_an_attack_take_little_time():
    """24 races in a text that was designed to make searches slow are explained in less than two seconds of processor
    time.
    """
    text = (ROOT / "tests/submissions/hostile/keeps-the-explanations-busy/kernels.cl").read_text(encoding="utf-8")
    last = text.count("\n") - 2
    where = "local memory address 0x1000000000040"
    races = [race("Read-write", where, entity(last - n, WRITE), entity(last, READ)) for n in range(1, 25)]
    start = time.process_time()
    assert findings(kernel(*races), Scene(source=text, dimensions=1, extent=None))
    assert time.process_time() - start < 2
