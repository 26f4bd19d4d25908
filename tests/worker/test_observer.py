"""observer/: the simulator's counts, checked with small kernels for which the counts can be computed by hand."""

import numpy as np
import pytest
from kernels import changed
from simulator import Given, Local, watch

from grader.grading.grading_environment import GradingEnvironment
from grader.protocol.messages import Simulation

HEAD = "__kernel void k(__global const float *a, __global float *out)\n{\n"
FIRST = 3
"""Number of lines before the body of a kernel."""

BEFORE = "    const size_t i = get_global_id(0), l = get_local_id(0);\n"


def kernel(body, helpers=""):
    """Return a kernel with two arrays. Without helpers, its body starts at line FIRST + 1."""
    return f"{helpers}{HEAD}{BEFORE}{body}\n}}\n"


def see(worker, body, items=(64,), group=(32,), helpers=""):
    """Return the observations of a kernel with this body, which reads 4096 numbers. The body begins in line 4."""
    given = Given(
        args={"a": np.arange(4096, dtype=np.float32), "out": np.zeros(4096, dtype=np.float32)}, items=items, group=group
    )
    (seen,), _ = watch(worker, kernel(body, helpers), given)
    return seen


def access(seen, array, *, writes=False):
    """Return the access of the only expression that reads or writes an array."""
    (found,) = (each for each in seen.accesses if each.array == array and each.writes is writes)
    return found


def counts(seen, array, *, writes=False):
    """Return requests, sectors, fewest possible sectors and stride of the only expression that reads or writes an
    array.
    """
    found = access(seen, array, writes=writes)
    return found.requests, found.sectors, found.fewest, found.stride


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        pytest.param("i", (2, 8, 8, 4), id="coalesced"),
        pytest.param("63 - i", (2, 8, 8, -4), id="reversed"),
        pytest.param("i + 1", (2, 10, 8, 4), id="misaligned"),
        pytest.param("2 * i", (2, 16, 8, 8), id="every other word"),
        pytest.param("8 * i", (2, 64, 8, 32), id="one word a sector"),
        pytest.param("64 * i", (2, 64, 8, 256), id="down a column"),
        pytest.param("0", (2, 2, 2, 0), id="broadcast"),
        pytest.param("i / 32", (2, 2, 2, 0), id="one word a warp"),
    ],
)
def test_sectors_of_a_request(simulator, index, expected):
    """A request moves all 32-byte sectors that contain its words. The fewest sectors are the number that could contain
    as many words.
    """
    assert counts(see(simulator, f"    out[i] = a[{index}];"), "a") == expected


@pytest.mark.parametrize(
    ("statement", "requests", "size", "sectors"),
    [
        pytest.param("vstore4(vload4(i, a), i, out);", 2, 16, 32, id="vload4"),
        pytest.param("((__global float4 *)out)[i] = ((__global const float4 *)a)[i];", 2, 16, 32, id="float4*"),
        pytest.param("vstore2(vload2(i, a), i, out);", 2, 8, 16, id="vload2"),
    ],
)
def test_vectors_are_one_access(simulator, statement, requests, size, sectors):
    """A vector counts as one access. Its requests have more bytes, but no superfluous sectors."""
    seen = see(simulator, f"    {statement}")
    for array, writes in (("a", False), ("out", True)):
        found = access(seen, array, writes=writes)
        assert (found.requests, found.bytes, found.sectors, found.fewest) == (requests, 64 * size, sectors, sectors)


@pytest.mark.parametrize(
    ("number", "index", "expected"),
    [
        pytest.param("uchar", "i", (2, 64, 2, 2, 0), id="1 byte, coalesced"),
        pytest.param("uchar", "32 * i", (2, 64, 64, 2, 64 * 31), id="1 byte a sector"),
        pytest.param("uchar", "2 * i", (2, 64, 4, 2, 2 * 32), id="1 byte, every other"),
        pytest.param("ushort", "i", (2, 128, 4, 4, 0), id="2 bytes, coalesced"),
        pytest.param("ushort", "i + 1", (2, 128, 6, 4, 2 * 32), id="2 bytes, misaligned"),
        pytest.param("ushort", "16 * i", (2, 128, 64, 4, 64 * 30), id="2 bytes a sector"),
        pytest.param("double", "i", (2, 512, 16, 16, 0), id="8 bytes, coalesced"),
        pytest.param("double", "4 * i", (2, 512, 64, 16, 64 * 24), id="8 bytes a sector"),
        pytest.param("float4", "i", (2, 1024, 32, 32, 0), id="16 bytes, coalesced"),
        pytest.param("float4", "2 * i", (2, 1024, 64, 32, 64 * 16), id="16 bytes a sector"),
    ],
)
def test_sectors_of_numbers_of_other_sizes(simulator, number, index, expected):
    """A warp of 32 work-items reads 32 numbers of 1, 2, 8 or 16 bytes. Its bytes are 32 times their size, the fewest
    sectors are those bytes divided by 32, and each sector that an index skips into counts whole.
    """
    seen = see(simulator, f"    out[i] = (float)((__global const {number} *)a)[{index}]{'.x' * (number == 'float4')};")
    found = access(seen, "a")
    assert (found.requests, found.bytes, found.sectors, found.fewest, found.unused) == expected


@pytest.mark.parametrize(
    ("index", "unused"),
    [
        pytest.param("i", 0, id="coalesced"),
        pytest.param("i + 1", 2 * 32, id="misaligned"),
        pytest.param("8 * i", 64 * 28, id="one word a sector"),
        pytest.param("i < 1 ? 0 : 8 * i", 64 * 28, id="and one in company"),
        pytest.param("i % 4 * 8", 2 * 4 * 28, id="eight work-items a sector"),
        pytest.param("0", 2 * 28, id="broadcast"),
    ],
)
def test_bytes_that_are_moved_and_not_used(simulator, index, unused):
    """If several work-items read the same word, it counts as used once, so that they do not hide unused bytes of a
    sector.
    """
    assert access(see(simulator, f"    out[i] = a[{index}];"), "a").unused == unused


@pytest.mark.parametrize(
    ("body", "unused"),
    [
        pytest.param("for (int k = 0; k < 16; k++) s += a[k];", 0, id="in common, along a row"),
        pytest.param("for (int k = 0; k < 16; k++) s += a[64 * (l / 16) + k];", 0, id="along two rows"),
        pytest.param("for (int k = 0; k < 12; k++) s += a[k];", 2 * 16, id="not to the end of a sector"),
        pytest.param("for (int k = 0; k < 16; k++) s += a[64 * k];", 2 * 16 * 28, id="down a column"),
        pytest.param("for (int k = 0; k < 16; k++) s += a[64 * l + k];", 2 * 16 * 32 * 28, id="each along its own"),
        pytest.param("if (l == 0) for (int k = 0; k < 16; k++) s += a[k];", 2 * 16 * 28, id="one alone"),
    ],
)
def test_a_sector_that_a_warp_reads_in_common_is_used_over_time(simulator, body, unused):
    """A sector that many work-items of a warp read together stays in a cache until they read its next words. This does
    not help work-items that each read along their own row, or a work-item that reads alone.
    """
    seen = see(simulator, f"    float s = 0;\n    {body}\n    out[i] = s;")
    assert access(seen, "a").unused == unused


@pytest.mark.parametrize(
    ("sharing", "unused"),
    [pytest.param(16, 0, id="sixteen"), pytest.param(8, 0, id="eight"), pytest.param(2, 8192, id="two")],
)
def test_a_sector_is_read_in_common_by_eight_work_items(simulator, sharing, unused):
    """At least eight work-items must share a sector to keep it in the cache. Two work-items that read the same vectors
    request as many bytes as a sector has, but do not count as sharing it.
    """
    body = f"float s = 0; for (int k = 0; k < 16; k++) s += vload4(k, a + 64 * (i / {sharing})).x; out[i] = s;"
    assert access(see(simulator, f"    {body}"), "a").unused == unused


@pytest.mark.parametrize(
    ("statement", "idle", "active"),
    [
        pytest.param("out[i] = i;", 0, 0, id="whole warps"),
        pytest.param("if (l < 16) out[i] = i;", 0, 0, id="half"),
        pytest.param("if (l < 15) out[i] = i;", 2, 30, id="fewer"),
        pytest.param("if (l == 0) vstore4((float4)(0), 0, out + 4 * i);", 8, 8, id="vectors of one"),
        pytest.param("if (l == 0) vstore8((float8)(0), 0, out + 8 * i);", 16, 16, id="two pieces of one"),
    ],
)
def test_requests_of_mostly_idle_warps(simulator, statement, idle, active):
    """A request counts as mostly idle if fewer than half of a warp's work-items take part. A request for a vector
    counts once for each of its words.
    """
    found = access(see(simulator, f"    {statement}"), "out", writes=True)
    assert (found.mostly_idle, found.active) == (idle, active)


WORKS = """
    __local float tile[256];
    tile[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0;
    if (l < {reading})
        for (int j = 0; j < 64; j++) {{
            const float x = tile[j];
            if (l < {adding}) s += x;
        }}
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = s;"""


@pytest.mark.parametrize(
    ("reading", "adding", "idle", "active"),
    [
        pytest.param(256, 256, 0, 0, id="all"),
        pytest.param(256, 128, 0, 0, id="half"),
        pytest.param(16, 1, 64 * 8, 64 * 16, id="one in company"),
        pytest.param(32, 32, 64 * 8, 64 * 32, id="one warp of eight"),
        pytest.param(8, 8, 64, 64 * 8, id="fewer than half of a warp"),
    ],
)
def test_work_items_that_do_the_work_of_all(simulator, reading, adding, idle, active):
    """If only a few work-items of a group do the arithmetic, all its warps wait, even if other work-items read with
    them.
    """
    seen = see(simulator, WORKS.format(reading=reading, adding=adding), items=(256,), group=(256,))
    read = access(seen, "tile")
    assert (read.mostly_idle, read.active) == (idle, active)
    assert not any(each.mostly_idle for each in seen.accesses if each is not read)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param("out[i] = a[i];", 2, id="all alike"),
        pytest.param("for (int j = i; j < 64 && i < 2; j += 2) out[j] = a[j];", 2 * 32, id="two do all"),
        pytest.param("for (int j = l; j < 64 && i < 32; j += 32) out[j] = a[j];", 2 * 2, id="the first group"),
        pytest.param("__local float t[32]; t[l] = a[i]; out[i] = t[l];", 4, id="local memory"),
        pytest.param("vstore4(vload4(0, a), 0, out + 4 * i);", 8, id="vectors"),
        pytest.param("float own[2]; own[i % 2] = i; out[i] = own[i % 2];", 1, id="no private memory"),
    ],
)
def test_words_of_the_busiest_work_item(simulator, body, words):
    """Words that a single work-item reads and writes in global and local memory are counted, and the most of any
    work-item of the launch are reported.
    """
    assert see(simulator, f"    {body}", items=(64,), group=(32,)).busiest == words


@pytest.mark.parametrize(
    ("helpers", "body", "more"),
    [
        pytest.param("", "float own[100]; own[i] = i; out[i] = own[i];", 400, id="an array"),
        pytest.param("", "if (i > 99) { float own[100]; own[i % 9] = i; out[i] = own[i % 9]; }", 400, id="never used"),
        pytest.param("", "float16 own = a[i]; out[i] = own.s3;", 64, id="a vector"),
        pytest.param("", "for (int j = 0; j < 5; j++) { int own[8]; own[j] = j; out[i] = j; }", 36, id="in a loop"),
        pytest.param("", "__local float own[100]; own[l] = i; out[i] = own[l];", 0, id="local memory"),
        pytest.param(
            "void last(void) { int own[6]; own[2] = 1; }\nvoid first(void) { int own[5]; own[2] = 1; last(); }\n",
            "first(); last();",
            20 + 24,
            id="functions that are called",
        ),
    ],
)
def test_bytes_of_private_memory(simulator, helpers, body, more):
    """The variables of a work-item count with the bytes that they take up at a time, in all functions that are being
    called.
    """
    without = see(simulator, "    out[i] = 1;").private
    assert see(simulator, f"    {body}", helpers=helpers).private - without == more


@pytest.mark.parametrize(("end", "idle"), [(288, 0), (32, 64 * 8)])
def test_work_items_beyond_an_edge_are_not_those_that_rest(simulator, end, idle):
    """A group at the edge of the grid with few working work-items does not count as idle if most work-items of the
    launch work.
    """
    loop = "for (int j = 0; j < 64; j++) s += a[64 * (i % 32) + j];"
    body = f"    if (i >= {end}) return;\n    float s = 0;\n    {loop}\n    out[i] = s;"
    assert access(see(simulator, body, items=(512,), group=(256,)), "a").mostly_idle == idle


@pytest.mark.parametrize(("word", "idle"), [("a[0]", 0), ("a[i]", 0), ("a[l ? l : 100]", 2)])
def test_a_word_in_a_register_takes_part_where_others_ask_for_its_row(simulator, word, idle):
    """A word in a register counts as part of a request only if other work-items request its row. Repeated reads of
    another word do not count as work, so they cannot hide that one work-item does all the work.
    """
    seen = see(simulator, f"    float s = l == 0 ? 0 : {word};\n    out[i] = s + {word};")
    assert [(each.line, each.requests, each.mostly_idle) for each in seen.accesses if each.array == "a"] == [
        (4, 2, 0),
        (5, 2, idle),
    ]


def test_the_whole_group_takes_part_in_a_copy(simulator):
    """All work-items of a group take part in a work-group copy, however few words it copies."""
    body = """\
    __local float t[8];
    event_t copied = async_work_group_copy(t, a, 8, 0);
    wait_group_events(1, &copied);
    out[i] = t[l % 8];"""
    assert {each.mostly_idle for each in see(simulator, body).accesses} == {0}


def test_each_access_counts_with_its_own_size(simulator):
    """If a function first copies one byte, its later, larger copies are still counted with their own sizes."""
    helpers = "void fetch(float *to, __global const float *from, size_t n) { __builtin_memcpy(to, from, n); }\n"
    seen = see(
        simulator,
        "    float s[8];\n    fetch(s, a, 1);\n    fetch(s, a + 8 * i, 32);\n    out[i] = s[7];",
        helpers=helpers,
    )
    found = access(seen, "a")
    assert found.bytes == 64 * (1 + 32)
    assert found.requests == 2 * (1 + 2)


def test_a_structure_moves_in_pieces_of_sixteen_bytes(simulator):
    """A structure is moved in pieces of 16 bytes. Otherwise, all words of its sectors would count as used at once,
    however far apart the work-items are.
    """
    helpers = "typedef struct { float w[16]; } Part;\n"
    seen = see(simulator, "    Part p = ((__global const Part *)a)[i];\n    out[i] = p.w[3];", helpers=helpers)
    found = access(seen, "a")
    assert (found.requests, found.bytes, found.sectors, found.unused) == (8, 4096, 256, 4096)


def test_writes_are_told_from_reads(simulator):
    """Reads and writes are counted separately. Adding to an element counts as both."""
    seen = see(simulator, "    out[i] = 0;\n    out[i] += a[i];")
    assert [(each.line, each.writes) for each in seen.accesses if each.array == "out"] == [
        (4, True),
        (5, False),
        (5, True),
    ]


def test_atomic_functions_read_and_write(simulator):
    """An atomic function counts as one read and one write, and is not a race."""
    body = "    __local int n;\n    if (l == 0) n = 0;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    atomic_inc(&n);\n"
    seen = see(simulator, body + "    barrier(CLK_LOCAL_MEM_FENCE);\n    out[i] = n;")
    at = [(each.writes, each.requests) for each in seen.accesses if each.line == 7]
    assert at == [(False, 2), (True, 2)]
    assert not seen.messages
    assert not seen.unset


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        ("out[i] = a[i] > 1 ? a[i] : 1;", 1),
        ("out[i] = a[i] * a[i] + a[i + 1] * a[i];", 2),
        ("float s = 0; for (int k = 0; k < 9; k++) s += a[4095] * a[64 * k + i]; out[i] = s;", 10),
        ("float s = 0; for (int k = 0; k < 40; k++) s += a[64 * (k % 20) + i]; out[i] = s;", 40),
        ("float x = a[i]; out[i] = x; out[i + 64] = a[i];", 2),
        ("float x = a[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = x + a[i];", 2),
        ("volatile __global const float *b = a; out[i] = b[i] + b[i];", 2),
        ("float s = 0; for (int k = 0; k < 9; k++) s += vload4(i, a).y; out[i] = s;", 4),
    ],
    ids=["macro", "factor", "in a loop", "too many", "after a store", "after a barrier", "volatile", "vload4"],
)
def test_what_a_work_item_has_just_read_is_in_a_register(simulator, body, reads):
    """As in code from an optimising compiler, a word stays in a register until the work-item stores, reaches a barrier,
    or has read sixteen other words.
    """
    seen = see(simulator, f"    {body}")
    assert sum(each.bytes for each in seen.accesses if each.space == 1 and not each.writes) == 64 * 4 * reads


def test_a_word_in_a_register_makes_a_request_smaller(simulator):
    """A request contains only the work-items that do not have the word in a register. If all of them have it, there is
    no request.
    """
    seen = see(simulator, "    float x = l % 2 ? a[i] : 0;\n    out[i] = x + a[i];")
    assert [(each.line, each.bytes) for each in seen.accesses if each.array == "a"] == [(4, 128), (5, 128)]


def test_a_copy_by_the_group_is_coalesced(simulator):
    """async_work_group_copy counts as the requests and sectors that its words fill, and has no line number."""
    body = "    __local float t[32];\n    event_t e = async_work_group_copy(t, a + 32 * get_group_id(0), 32, 0);\n"
    seen = see(simulator, body + "    wait_group_events(1, &e);\n    out[i] = t[l];")
    copied = [(each.line, each.array, each.space, each.requests, each.bytes, each.sectors) for each in seen.accesses]
    assert copied[:2] == [(0, "a", 1, 2, 256, 8), (0, "t", 3, 2, 256, 2)]
    assert not seen.messages
    assert not seen.unset


def test_a_small_group_copies_as_many_words_at_a_time_as_it_has_work_items(simulator):
    """A group copies as many words at a time as it has work-items, so a group of one work-item moves one sector for
    each word.
    """
    body = "    __local float t[8];\n    event_t e = async_work_group_copy(t, a + 8 * get_group_id(0), 8, 0);\n"
    seen = see(simulator, body + "    wait_group_events(1, &e);\n    out[i] = t[l];", items=(2,), group=(1,))
    copied = next(each for each in seen.accesses if each.line == 0 and each.array == "a")
    assert (copied.requests, copied.bytes, copied.sectors, copied.unused) == (16, 64, 16, 16 * 28)


def test_a_strided_copy_by_the_group_is_not(simulator):
    """The elements of a strided copy count as if neighbouring work-items had read them."""
    body = "    __local float t[32];\n    event_t e = async_work_group_strided_copy(t, a, 32, 8, 0);\n"
    seen = see(simulator, body + "    wait_group_events(1, &e);\n    out[i] = t[l];")
    assert counts(seen, "a") == (2, 64, 8, 32)
    assert access(seen, "a").unused == 64 * 28


def test_constant_memory_is_a_space_of_its_own(simulator):
    """A table in constant memory does not count as global memory, although the simulator keeps it there."""
    seen = see(simulator, "    out[i] = a[i] * table[i % 2];", helpers="__constant float table[2] = {2, 3};\n")
    assert {(each.array, each.space) for each in seen.accesses} == {("a", 1), ("table", 2), ("out", 1)}
    assert [(array.name, array.size) for array in seen.arrays] == [("a", 16384), ("out", 16384)]


def test_a_pointer_to_constant_memory_does_not_move_an_array_there(simulator):
    """An array in global memory stays global memory for the counts. Otherwise, a cast could hide its reads."""
    seen = see(simulator, "    out[i] = ((__constant const float *)(size_t)a)[i];")
    assert {(each.array, each.space, each.sectors) for each in seen.accesses} == {("a", 1, 8), ("out", 1, 8)}


def test_a_constant_parameter_does_not_move_an_array_there(simulator):
    """A __constant parameter does not change the memory space of an array. Otherwise, a source could use __constant
    only for the simulator's compiler to hide its reads.
    """
    source = kernel("    out[i] = a[i];").replace("__global const", "__constant const")
    args = {"a": np.ones(64, np.float32), "out": np.zeros(64, np.float32)}
    (seen,), _ = watch(simulator, source, Given(args=args, items=(64,), group=(32,)))
    assert {(each.array, each.space, each.sectors) for each in seen.accesses} == {("a", 1, 8), ("out", 1, 8)}


BANKS = [
    pytest.param("float t[32]", "t[l]", 1, id="neighbours"),
    pytest.param("float t[32]", "t[31 - l]", 1, id="reversed"),
    pytest.param("float t[32]", "t[0]", 1, id="broadcast"),
    pytest.param("float t[64]", "t[2 * l]", 2, id="two-way"),
    pytest.param("float t[512]", "t[16 * l]", 16, id="16-way"),
    pytest.param("float t[1024]", "t[32 * l]", 32, id="32-way"),
    pytest.param("float t[1056]", "t[33 * l]", 1, id="padded"),
    pytest.param("float4 t[32]", "t[l].x", 1, id="float4"),
    pytest.param("float4 t[128]", "t[4 * l].x", 4, id="every fourth float4"),
    pytest.param("uchar t[32]", "t[l]", 1, id="bytes side by side"),
    pytest.param("uchar t[128]", "t[4 * l]", 1, id="one byte a word"),
    pytest.param("uchar t[4096]", "t[128 * l]", 32, id="bytes of one bank"),
    pytest.param("ushort t[64]", "t[2 * l]", 1, id="half words"),
    pytest.param("ushort t[2048]", "t[64 * l]", 32, id="half words of one bank"),
    pytest.param("double t[32]", "t[l]", 1, id="doubles side by side"),
    pytest.param("double t[64]", "t[2 * l]", 2, id="every other double"),
]


@pytest.mark.parametrize(("declared", "used", "worst"), BANKS)
def test_bank_conflicts(simulator, declared, used, worst):
    """Different words in the same bank are moved one after the other. A word that all work-items read is moved once."""
    seen = see(simulator, f"    __local {declared};\n    {used} = 1;\n    out[i] = {used};", items=(32,))
    found = access(seen, "t")
    assert found.worst == worst
    assert found.sectors == worst * found.fewest
    assert found.conflicts == found.sectors - found.fewest


def test_a_column_of_a_tile(simulator):
    """A column of a 16 x 16 tile lies in two banks. With rows of 17 words, at most two words of a warp share a bank."""
    body = "    __local float t[16][{}];\n    t[l % 16][l / 16] = 1;\n    out[i] = 0;"
    conflicts = [access(see(simulator, body.format(row)), "t", writes=True).worst for row in (16, 17)]
    assert conflicts == [8, 2]


def test_a_guard_makes_a_request_smaller(simulator):
    """Work-items that skip an access do not take part in its request."""
    seen = see(simulator, "    if (i < 40)\n        out[i] = a[i];")
    assert counts(seen, "a") == (2, 5, 5, 4)
    assert access(seen, "a").bytes == 160


def test_loops_of_different_length(simulator):
    """The n-th iteration of a work-item is grouped with the n-th iterations of the others, so a warp makes as many
    requests as its longest loop has iterations.
    """
    seen = see(
        simulator, "    float s = 0;\n    for (int j = 0; j <= (int)l; j++)\n        s += a[64*j + i];\n    out[i] = s;"
    )
    found = access(seen, "a")
    assert (found.requests, found.bytes) == (64, 4 * 2 * (32 * 33 // 2))


def test_calls_of_a_function_are_places_of_their_own(simulator):
    """Work-items still read together in a call of a function, even if each has called the function a different number
    of times before.
    """
    helpers = "float of(__local float *t) { return *t; }\n"
    body = "    __local float t[1024];\n    t[l] = 0;\n    barrier(1);\n    float s = 0;\n"
    body += "    for (uint d = 0; d < l; d++) s += of(&t[(31 * l + d) % 32]);\n    out[i] = s + of(&t[32 * l]);"
    seen = see(simulator, body, helpers=helpers)
    assert access(seen, "t").worst == 32


def test_an_early_return(simulator):
    """Work-items that have returned do not take part in later requests."""
    seen = see(simulator, "    if (i >= 40)\n        return;\n    out[i] = a[i];")
    assert counts(seen, "a") == (2, 5, 5, 4)
    assert [(each.line, each.reached, each.diverged) for each in seen.branches] == [(4, 2, 1)]


def test_barriers_in_a_loop(simulator):
    """In a loop with barriers, requests are grouped between two barriers, once per iteration."""
    body = """\
    __local float t[32];
    float s = 0;
    for (int step = 0; step < 5; step++) {
        t[l] = a[i + 64 * step];
        barrier(CLK_LOCAL_MEM_FENCE);
        s += t[31 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = s;"""
    seen = see(simulator, body)
    assert counts(seen, "a") == (10, 40, 40, 4)
    assert counts(seen, "t") == (10, 10, 10, -4)
    assert [(each.line, each.reached, each.diverged) for each in seen.branches] == [(6, 12, 0)]
    assert not seen.messages


def test_warps_are_cut_from_the_flattened_group(simulator):
    """Warps are consecutive work-items of the flattened group. In a group of 16 x 4, a warp consists of two rows."""
    body = "    out[get_global_id(1) * 16 + get_global_id(0)] = a[get_global_id(0) * 16 + get_global_id(1)];"
    seen = see(simulator, body, items=(16, 4), group=(16, 4))
    assert counts(seen, "out", writes=True) == (2, 8, 8, 4)
    assert counts(seen, "a") == (2, 32, 8, 64)


@pytest.mark.parametrize(
    ("body", "reached", "diverged"),
    [
        pytest.param("if (i < 32) out[i] = 1;", 2, 0, id="whole warps"),
        pytest.param("if (i < 40) out[i] = 1;", 2, 1, id="one warp parts"),
        pytest.param("if (i % 2 == 0 && i < 32) out[i] = 1;", 2 + 2, 1 + 1, id="and"),
        pytest.param("if (i < 32 && i % 2 == 0) out[i] = 1;", 2 + 1, 1, id="and that stops early"),
        pytest.param(
            "if (i > 0) for (int j = 0; j < 3; j++) if (l % 2) out[i] = j;", 2 + 8 + 6, 1 + 6, id="all in one line"
        ),
        pytest.param("out[i] = i < 40 ? a[i] : a[0];", 2, 1, id="a conditional expression"),
        pytest.param("for (int j = 0; j < 3; j++) out[i] = j;", 8, 0, id="a loop"),
        pytest.param("for (int j = 0; j < 3 && i < 99; j++) out[i] = j;", 8 + 8, 0, id="a loop with two conditions"),
        pytest.param("for (int j = 0; j < 3; j++) out[i] = j; for (int j = 0; j < 5; j++);", 8 + 12, 0, id="two loops"),
        pytest.param("int j = 0; do j++; while (j < 3); for (;;) if (j++ == 5) break;", 6 + 6, 0, id="other loops"),
        pytest.param("for (int j = 0;;) { if (j == 4) break; j++; if (j == 4) break; j++; }", 6 + 4, 0, id="two tests"),
        pytest.param("for (int j = 0; j < (int)l % 2; j++) out[i] = j;", 4, 2, id="a loop of different length"),
        pytest.param(
            "for (int j = 0; j < 2; j++) for (int m = 0; m < (int)l % 2; m++) out[i] = m;", 6 + 8, 4, id="nested"
        ),
        pytest.param("switch (i / 32) { case 0: out[i] = 1; break; default: out[i] = 2; }", 2, 0, id="switch by warp"),
        pytest.param("switch (l % 3) { case 0: out[i] = 1; break; default: out[i] = 2; }", 2, 2, id="switch"),
        pytest.param("switch (l + 9) { case 0: out[i] = 1; break; default: out[i] = 2; }", 2, 0, id="all by default"),
    ],
)
def test_divergence(simulator, body, reached, diverged):
    """A warp diverges at a condition if its work-items take different branches. All conditions in a line count."""
    seen = see(simulator, f"    {body}")
    assert [(each.line, each.reached, each.diverged) for each in seen.branches] == [(4, reached, diverged)]


def test_branches_that_hide_their_lines_are_counted(simulator):
    """Branches in a function without debug locations are counted separately, in line 0."""
    helpers = "__attribute__((nodebug))\n"
    body = "    if (l % 2) out[i] = 1;\n    if (i < 32) out[i] = 2;"
    seen = see(simulator, body, helpers=helpers)
    assert sorted((each.line, each.reached, each.diverged) for each in seen.branches) == [(0, 2, 0), (0, 2, 2)]


@pytest.mark.parametrize(
    ("expression", "flop"),
    [
        ("a[i]", 0),
        ("a[i] + 1", 1),
        ("a[i] - 2 * a[i + 1] / 3", 3),
        ("a[i] * 3 + a[i + 1]", 2),
        ("fma(a[i], 2.0f, 1.0f)", 2),
        ("mad(a[i], 2.0f, 1.0f)", 2),
        ("mad24((int)i, 2, 1)", 0),
        ("dot(vload4(i, a) * 2, (float4)(1))", 12),
        ("sqrt(a[i]) + fmax(a[i], 1.0f)", 1),
        ("hypot(a[i], 1.0f)", 3),
        ("pown(mix(a[i], 1.0f, 0.5f), 2)", 4),
        ("((int)i * 3 + 1) / 2", 0),
    ],
)
def test_operations(simulator, expression, flop):
    """Additions, subtractions, multiplications and divisions of floating-point numbers count as one operation per
    component, and so do those in a built-in function that can replace them.
    """
    seen = see(simulator, f"    out[i] = {expression};")
    assert seen.flop == 64 * flop


def test_helper_functions_count_for_the_kernel(simulator):
    """Accesses in a helper function are counted at the function's own lines, with the names of the arrays that it
    receives.
    """
    helpers = "float twice(__global const float *from, size_t at)\n{\n    return 2 * from[at];\n}\n"
    seen = see(simulator, "    out[i] = twice(a, i);", helpers=helpers)
    assert counts(seen, "a") == (2, 8, 8, 4)
    assert access(seen, "a").line == 3
    assert seen.flop == 64


def test_names_of_arrays(simulator):
    """Arrays are reported with their names in the source, including local arrays and parameters in local memory."""
    source = """\
__kernel void k(__global const float *a, __global float *out, __local float *given, uint unused)
{
    __local float mine[32];
    const size_t i = get_global_id(0), l = get_local_id(0);
    __global const float *row = a + 64;
    mine[l] = row[i];
    given[l] = mine[l];
    out[i] = given[l];
}
"""
    args = {"a": np.ones(256, np.float32), "out": np.zeros(64, np.float32), "given": Local(size=128), "unused": 1}
    (seen,), results = watch(simulator, source, Given(args=args, items=(64,), group=(32,)))
    assert {(each.line, each.array) for each in seen.accesses} == {
        (6, "mine"),
        (6, "a"),
        (7, "given"),
        (7, "mine"),
        (8, "out"),
        (8, "given"),
    }
    assert {(each.name, each.size) for each in seen.arrays} == {
        ("a", 1024),
        ("out", 256),
        ("mine", 128),
        ("given", 128),
    }
    assert np.all(results["out"].view(np.float32) == 1)


def test_launches_of_a_session(simulator):
    """Each launch has its own record, in the order of launches, without anything from an earlier session."""
    source = kernel("    out[i] = a[i];") + kernel("    out[i] += 1;").replace("void k(", "void m(")
    given = Given(args={"a": np.ones(64, np.float32), "out": np.zeros(64, np.float32)}, items=(64,), group=(32,))
    seen, results = watch(simulator, source, given, kernels=("k", "m", "k"))
    assert [each.kernel for each in seen] == ["k", "m", "k"]
    assert seen[0] == seen[2]
    assert seen[1].flop == 64
    assert not any(each.unset for each in seen)
    assert np.all(results["out"].view(np.float32) == 1)


def test_what_was_never_set_is_known_in_the_next_kernel(simulator):
    """An unset value that a kernel stores in global memory is reported in the next kernel that uses it, together with
    its origin.
    """
    source = kernel("    float s; out[i] = s;") + kernel("    if (out[i] > a[i]) out[i] = 1;").replace(
        "void k(", "void m("
    )
    given = Given(args={"a": np.ones(64, np.float32), "out": np.zeros(64, np.float32)}, items=(64,), group=(32,))
    first, second = watch(simulator, source, given, kernels=("k", "m"))[0]
    (stored,), (used,) = first.unset, second.unset
    assert (stored.line, stored.name, stored.how) == (used.line, used.name, "stored") == (4, "s", "stored")
    assert used.how == "condition"


RAGGED = """\
    __local float t[32];
    float s = 0;
    if (i < 50) { t[l] = a[i]; out[i] = a[2 * i]; }
    for (int j = 0; j < (int)l % 5; j++) s += t[(l + j) % 32] * a[j];
    if (s > 3) out[i + 1] = s; else out[i] = t[(l + 7) % 32];"""


def test_the_same_kernel_gives_the_same_record(simulator, environment):
    """Observations depend only on the source and the data, and not on the process or its addresses."""
    first = see(simulator, RAGGED)
    with environment.simulator() as another:
        another.ready()
        assert see(another, RAGGED) == first
    assert see(simulator, RAGGED) == first
    assert first.messages
    assert first.unset


def test_another_device(simulator, environment: GradingEnvironment):
    """Warps, sectors and banks have the sizes that the rules set."""
    assert simulator.ready()
    other = Simulation(warp=16, sector=64, banks=16, bank=8)
    with environment.workers.simulator(other) as worker:
        worker.ready()
        seen = see(worker, "    __local float t[32];\n    t[l] = a[2 * i];\n    out[i] = t[l];")
    assert counts(seen, "a") == (4, 8, 4, 8)
    assert counts(seen, "t") == (4, 4, 4, 4)


# --- values that were never set ---------------------------------------------------------------

PRIVATE, GLOBAL, LOCAL = 0, 1, 3

UNSET = [
    pytest.param("float s;\nif (i < 5) s = 1;\nout[i] = s;", (6, "s", PRIVATE, "stored", 6), id="scalar"),
    pytest.param("float s;\ns += a[i];\nout[i] = s;", (5, "s", PRIVATE, "stored", 6), id="sum"),
    pytest.param("float s[4];\ns[0] = 1;\nout[i] = s[i % 4];", (6, "s", PRIVATE, "stored", 6), id="element"),
    pytest.param("float4 v;\nv.x = 1;\nv.y = 2;\nout[i] = v.x + v.z;", (7, "v", PRIVATE, "stored", 7), id="component"),
    pytest.param(
        "struct { float x, y; } p;\np.x = 1;\nout[i] = p.x * p.y;", (6, "p", PRIVATE, "stored", 6), id="structure"
    ),
    pytest.param(
        "__local float t[33];\nt[l] = 1;\nbarrier(1);\nout[i] = t[l + 1];", (7, "t", LOCAL, "stored", 7), id="local"
    ),
    pytest.param("out[i] += a[i];", (4, "out", GLOBAL, "stored", 4), id="output"),
    pytest.param("float s;\nif (s > 1)\n    out[i] = 1;", (5, "s", PRIVATE, "condition", 5), id="condition"),
    pytest.param("int n;\nfor (int j = 0; j < n; j++)\n    out[i] = 1;", (5, "n", PRIVATE, "condition", 5), id="loop"),
    pytest.param("int n;\nswitch (n) { case 7: out[i] = 1; }", (5, "n", PRIVATE, "condition", 5), id="switch"),
    pytest.param("int n;\nout[n & 15] = 1;", (5, "n", PRIVATE, "address", 5), id="index of a store"),
    pytest.param("int n;\nout[i] = a[n & 15];", (5, "n", PRIVATE, "address", 5), id="index of a load"),
    pytest.param("float s, u;\nu = s;\nout[i] = u;", (5, "s", PRIVATE, "stored", 6), id="through another"),
    pytest.param("float s;\nout[i] = i < 5 ? 1 : s;", (5, "s", PRIVATE, "stored", 5), id="conditional expression"),
    pytest.param("float s;\nout[i] = twice(s);", (5, "s", PRIVATE, "stored", 5), id="through a function"),
    pytest.param("float s;\nout[i] = sqrt(s);", (5, "s", PRIVATE, "stored", 5), id="through a built-in function"),
    pytest.param("float4 v;\nvstore4(v, i, out);", (5, "v", PRIVATE, "stored", 5), id="vstore"),
    pytest.param("float s;\nset(&s, 2 * (i > 40));\nout[i] = s;", (6, "s", PRIVATE, "stored", 6), id="by pointer"),
    pytest.param("int n = 0;\n__local int c;\natomic_inc(&c);\nbarrier(1);\nout[i] = c;", (6, "c", LOCAL, "stored", 8)),
    pytest.param("__local int c;\nout[i] = atomic_xchg(&c, 1);", (5, "c", LOCAL, "stored", 5), id="exchanged"),
]

HELPERS = "float twice(float x) { return 2 * x; } void set(float *x, int n) { if (n) *x = n; }\n"
"""Helper functions in a single line before the kernel's head, so that the first line of the body is still line 4."""


def body_of(lines):
    return "\n".join(f"    {line}" for line in lines.split("\n"))


def see_with_helpers(worker, lines):
    """Return the observations of a kernel whose body has these lines. HELPERS is in the line of the kernel's head."""
    source = HELPERS.strip() + " " + kernel(body_of(lines))
    args = {"a": np.arange(4096, dtype=np.float32), "out": np.zeros(4096, dtype=np.float32)}
    (seen,), _ = watch(worker, source, Given(args=args, items=(64,), group=(32,)))
    return seen


@pytest.mark.parametrize(("lines", "expected"), UNSET)
def test_values_that_were_never_set(simulator, lines, expected):
    """A value that was never set is reported with its line and name if it reaches a result, a condition or an index."""
    seen = see_with_helpers(simulator, lines)
    told = [(each.line, each.name, each.space, each.how, each.used_line) for each in seen.unset]
    assert expected in told
    assert {each[1] for each in told} == {expected[1]}


INNOCENT = [
    pytest.param("__local int c;\natomic_xchg(&c, 1);\nbarrier(1);\nout[i] = c;", id="set by an exchange"),
    pytest.param("float s, u;\nu = s;\nu = 1;\nout[i] = u;", id="overwritten"),
    pytest.param("float s;\nfloat u = i < 100 ? 1 : s;\nout[i] = u;", id="a way that is not taken"),
    pytest.param("float t[4] = {0};\nout[i] = t[i % 4];", id="zeros"),
    pytest.param("float t[4] = {1, 2, 3, 4};\nout[i] = t[i % 4];", id="initial values"),
    pytest.param("float2 t[2];\nt[0] = t[1] = (float2)(i);\nout[i] = t[i % 2].y;", id="vectors"),
    pytest.param("float4 v;\nv.x = 1;\nv.y = 2;\nv.z = 3;\nv.w = 4;\nvstore4(v, i, out);", id="float4 by components"),
    pytest.param("float3 v;\nv.x = 1;\nv.y = 2;\nv.z = 3;\nvstore3(v, i, out);", id="float3 by components"),
    pytest.param("float4 v;\nv.lo = (float2)(1);\nv.hi = (float2)(2);\nvstore4(v, i, out);", id="float4 by halves"),
    pytest.param("float4 v;\nv.x = 1;\nout[i] = v.x;", id="the component that was set"),
    pytest.param("struct { float x, y; } p;\np.x = 1;\nout[i] = p.x;", id="the member that was set"),
    pytest.param("struct { float x, y; } p = {1, 2}, q = p;\nout[i] = q.y;", id="a copied structure"),
    pytest.param(
        "struct S { char c; float f; } s;\ns.c = 1;\ns.f = 2;\n((__global struct S *)out)[i] = s;",
        id="between the members of a structure",
    ),
    pytest.param("float v[4][4];\nfor (int j = 0; j < 16; j++) v[j / 4][j % 4] = j;\nout[i] = v[1][2];", id="rows"),
    pytest.param("float4 v = vload4(i, a).wzyx;\nv.s02 = v.s13;\nout[i] = dot(v, v);", id="exchanged components"),
    pytest.param("float8 v = 0;\nv.lo = vload4(i, a);\nv.even += 1;\nout[i] = v.s7;", id="a wide vector"),
    pytest.param("float4 v;\nfor (int j = 0; j < 4; j++) ((float *)&v)[j] = j;\nout[i] = v.z;", id="by elements"),
    pytest.param("float x, *p = &x;\n*p = a[i];\nout[i] = x;", id="through a pointer"),
    pytest.param(
        "__local float t[128];\nvstore4(vload4(l, a), l, t);\nbarrier(1);\nout[i] = t[127 - l];", id="vstore4"
    ),
    pytest.param(
        "__local float t[32];\nt[l] = a[i];\nbarrier(1);\nfor (int d = 16; d > 0; d /= 2) {\n"
        "    if (l < d) t[l] += t[l + d];\n    barrier(1);\n}\nout[i] = t[0];",
        id="a reduction",
    ),
    pytest.param(
        "__local float t[32];\nt[l] = i;\nbarrier(1);\n"
        "event_t e = async_work_group_copy(out + i - l, t, 32, 0);\nwait_group_events(1, &e);",
        id="copied by the group",
    ),
    pytest.param("float s;\nset(&s, 1);\nout[i] = twice(s);", id="set by a function"),
    pytest.param("float s;\nfor (int j = 0; j < 3; j++)\n    s = j;\nout[i] = s;", id="set in a loop"),
    pytest.param("float t[8];\nfor (int j = 0; j < 8; j++)\n    t[j] = j;\nout[i] = t[i % 8];", id="filled in a loop"),
    pytest.param("__local float t[32];\nt[l] = a[i];\nbarrier(1);\nout[i] = t[31 - l];", id="local"),
    pytest.param("out[i] = 1;\nout[i] += 1;", id="an output that was written"),
    pytest.param("float s;\nif (l < 32) s = 1; else s += 1;\nout[i] = s;", id="set on the way that is taken"),
    pytest.param("int e;\nout[i] = frexp(a[i], &e);\nout[i] += e;", id="set by a built-in function"),
    pytest.param("bool yes = i < 5;\nout[i] = yes;", id="a truth value"),
    pytest.param("uchar c = i;\nushort s = c;\nout[i] = s;", id="small integers"),
]


@pytest.mark.parametrize("lines", INNOCENT)
def test_values_that_are_not_used_are_not_told(simulator, lines):
    """A value that was never set may be copied, overwritten or ignored without a report."""
    assert see_with_helpers(simulator, lines).unset == ()


def test_what_a_function_returns_is_followed(simulator):
    """If a function returns an unset value, the report has the line in which the function reads the value."""
    helpers = "float pick(float x)\n{\n    float s;\n    if (x < 9)\n        s = x;\n    return s;\n}\n"
    seen = see(simulator, "    const float y = pick(a[i]);\n    out[i] = y;", helpers=helpers)
    assert [(each.line, each.name, each.how, each.used_line) for each in seen.unset] == [(6, "s", "stored", 12)]
    assert seen.unset[0].global_id == (9, 0, 0)
    assert seen.unset[0].times == 64 - 9


def test_a_function_that_is_called_again(simulator):
    """An unset result of one call does not affect the next call of the same function."""
    helpers = "float keep(float x) { return x; }\n"
    body = "    float s;\n    float y = keep(s);\n    y = keep(1);\n    out[i] = y;"
    assert see(simulator, body, helpers=helpers).unset == ()


# --- kernels that the simulator cannot run ----------------------------------------------------


def test_printing_is_no_message(simulator):
    """Text that a kernel prints is not mistaken for a message of the simulator."""
    seen = see(
        simulator, '    if (i == 0) printf("Invalid read of size 4 at global memory address 0x0\\n");\n    out[i] = 1;'
    )
    assert seen.messages == ()


def test_an_instruction_that_the_simulator_does_not_know(simulator):
    """A kernel with an unknown instruction is stopped, and its record contains the line of that instruction."""
    seen = see(simulator, "    out[i] = 1;\n    __sync_fetch_and_add((__global int *)out, 1);")
    assert len(seen.messages) == 1
    assert seen.messages[0].text.startswith("OCLGRIND FATAL ERROR")
    assert "At line 5 " in seen.messages[0].text


def test_where_work_items_ended(simulator):
    """A message about a barrier contains the line in which other work-items ended. The end of a called function does
    not count.
    """
    body = (
        "    float y = twice(1);\n    if (i > 50)\n        return;\n    barrier(CLK_LOCAL_MEM_FENCE);\n    out[i] = y;"
    )
    seen = see(simulator, body, helpers="float twice(float x) { return 2 * x; }\n")
    assert [(each.times, each.endings) for each in seen.messages] == [(1, ((7, 13),))]


SYNC = "void sync(void) { barrier(1); }\n#define SYNC barrier(1)\n"


@pytest.mark.parametrize(
    ("statement", "hidden"),
    [
        pytest.param("if (l % 2) barrier(1); else barrier(1);", "", id="two places"),
        pytest.param("if (l % 2) barrier(1); else barrier(1);", "__attribute__((nodebug)) ", id="hidden"),
        pytest.param("if (l % 2) sync(); else sync();", "", id="one function"),
        pytest.param("if (l % 2) sync(); else sync();", "__attribute__((nodebug)) ", id="one hidden function"),
        pytest.param("BOTH", "#define BOTH if (l % 2) SYNC; else SYNC\n", id="one macro"),
    ],
)
def test_work_items_that_wait_at_different_barriers(simulator, statement, hidden):
    """Work-items wait for each other only at the same barrier call. Two calls in one line are different barriers."""
    seen = see(simulator, f"    {statement};", helpers=SYNC + hidden)
    (message,) = seen.messages
    assert message.text.startswith("Work-group divergence detected")
    assert message.times == 32


@pytest.mark.parametrize("statement", ["sync(); sync();", "for (int k = 0; k < 3; k++) { SYNC; sync(); }"])
def test_work_items_that_wait_together(simulator, statement):
    """Work-items may reach the same barrier several times, in a function or a loop."""
    assert see(simulator, f"    {statement}", helpers=SYNC).messages == ()


def test_a_message_is_told_once_a_place(simulator):
    """Equal errors of many work-items are combined into one message with a count. An error in another line is another
    message.
    """
    seen = see(simulator, "    out[i] = a[i + 4096];\n    out[i + 4096] = a[i + 5000];")
    assert [each.times for each in seen.messages] == [64, 64, 64]
    assert [each.array for each in seen.messages] == ["a", "a", "out"]


def test_a_kind_of_message_leaves_room_for_others(simulator):
    """Each kind of message has its own quota, so that many wrong reads do not hide a later wrong write."""
    reads = "\n".join(f"    x += a[i + {5000 + n}];" for n in range(40))
    seen = see(simulator, f"    float x = 0;\n{reads}\n    out[i + 4096] = x;")
    kinds = [each.text.split()[1] for each in seen.messages]
    assert kinds == ["read"] * 25 + ["write"]


# --- kinds of instructions --------------------------------------------------------------------

SHARED = "    __local uint n;\n    volatile __local uint *p = &n;\n    if (l == 0) n = 0;\n    barrier(1);\n"
LOOPS = [
    pytest.param("uint old;\n    do old = *p; while (atomic_cmpxchg(p, old, old + 1) != old);", "", id="plain"),
    pytest.param(
        "uint old = *p, e;\n    do { e = old; old = atom_cmpxchg(p, e, e + 1); } while (old != e);", "", id="once"
    ),
    pytest.param(
        "union { uint bits; float value; } was, next;\n    do { was.value = *(volatile __local float *)p; "
        "next.value = was.value + 1; } while (atomic_cmpxchg(p, was.bits, next.bits) != was.bits);",
        "",
        id="union",
    ),
    pytest.param(
        "add(p);", "void add(volatile __local uint *p) { uint o; do o = *p; while (!swap(p, o)); }\n", id="helper"
    ),
    pytest.param(
        "uint o; do o = get(p); while (!swap(p, o));", "uint get(volatile __local uint *p) { return *p; }\n", id="get"
    ),
    pytest.param(
        "add(p);",
        "__attribute__((nodebug)) void add(volatile __local uint *p)"
        " { uint o; do o = *p; while (atomic_cmpxchg(p, o, o + 1) != o); }\n",
        id="hidden",
    ),
    pytest.param(
        "uint o; do get(p, &o); while (!swap(p, o));",
        "void get(volatile __local uint *p, uint *to) { *to = *p; }\n",
        id="by a pointer",
    ),
    pytest.param(
        "struct s w; do w = get(p); while (!swap(p, w.was));",
        "struct s { uint was, next; };\n"
        "struct s get(volatile __local uint *p) { struct s s; s.was = *p; s.next = s.was + 1; return s; }\n",
        id="in a structure",
    ),
    pytest.param("for (;;) { uint o = *p; if (swap(p, o)) break; }", "", id="break"),
    pytest.param("for (int k = 0; k < 3; k++) { uint o; do o = *p; while (!swap(p, o)); }", "", id="in a loop"),
    pytest.param("bool done = 0; while (!done) { uint o = *p; done = swap(p, o); }", "", id="a variable"),
    pytest.param(
        "uint o = *p, e = o; o = atomic_cmpxchg(p, e, e + 1);\n"
        "    while (o != e) { e = o; o = atomic_cmpxchg(p, e, e + 1); }",
        "",
        id="a swap before",
    ),
    pytest.param("uint o; do { o = *p; if (o >= l) break; } while (atomic_cmpxchg(p, o, l) != o);", "", id="largest"),
    pytest.param(
        "for (uint k = l; k < l + 3; k++) { uint o; do { o = *p; if (o >= k) break; } "
        "while (atomic_cmpxchg(p, o, k) != o); }",
        "",
        id="largest of several",
    ),
]
IS_SWAPPED = (
    "bool swap(volatile __local uint *p, uint o) { return atomic_cmpxchg(p, o, as_uint(as_float(o) + 1)) == o; }\n"
)


@pytest.mark.parametrize(("loop", "helpers"), LOOPS)
def test_the_usual_loop_of_compare_and_swap_is_no_race(simulator, loop, helpers):
    """A compare-and-swap loop that begins with a plain read is not a race, because it swaps only the value that it has
    read. The value may reach the swap by any path.
    """
    seen = see(simulator, f"{SHARED}    {loop}\n    barrier(1);\n    out[i] = n;", helpers=IS_SWAPPED + helpers)
    assert seen.messages == ()


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("out[i] = *p; atomic_cmpxchg(p, l, l + 1);", id="for another purpose"),
        pytest.param("if (*p < 99) atomic_cmpxchg(p, l, l + 1);", id="as a condition"),
        pytest.param("atomic_cmpxchg(p, l, *p + 1);", id="for the new value"),
        pytest.param("uint o = *p; atomic_xchg(p, o + l);", id="not compared"),
        pytest.param("uint o = *p; atomic_cmpxchg(q, o, o); *p = o + l;", id="stored"),
        pytest.param("uint o = b->n; b->cmpxchg = atomic_cmpxchg(q, o, l);", id="a name"),
        pytest.param("uint o = *p; atomic_cmpxchg(p, o, o + 1);", id="no loop"),
        pytest.param("for (int k = 0; k < 3; k++) { uint o = *p; atomic_cmpxchg(p, o, o + 1); }", id="not looked at"),
        pytest.param(
            "for (int k = 0; k < 3; k++) { uint o = *p; if (atomic_cmpxchg(p, o, o + 1) == o) out[i] = k; }",
            id="not repeated",
        ),
        pytest.param(
            "uint o; do { o = *p; atomic_cmpxchg(p, l, l + 1); } while (atomic_cmpxchg(q, o, o) != o && l > 99);",
            id="another word",
        ),
        pytest.param("uint o; do o = *p; while (atomic_cmpxchg(p, o, o + 1) != o); *p = l;", id="stored after"),
        pytest.param(
            "uint o; do { o = *p; if (l == 31) break; } while (atomic_cmpxchg(p, o, o + 1) != o); out[i] = o;",
            id="left for no swap",
        ),
        pytest.param(
            "uint o; for (bool done = false;;) { o = *p; if (done) break; done = atomic_cmpxchg(p, o, o + 1) == o; }",
            id="read again",
        ),
        pytest.param("uint atomic_cmpxchg_ = *p; atomic_inc(p); atomic_cmpxchg(q, atomic_cmpxchg_, l);", id="names"),
    ],
)
def test_another_access_beside_a_compare_and_swap_is_a_race(simulator, statement):
    """The instructions and the origins of their values decide if there is a race. Names do not."""
    shared = SHARED.replace("uint n;", "uint n, m; __local union u w; __local union u *b = &w;")
    shared = shared.replace("&n;", "&n, *q = &m;").replace("n = 0", "n = m = w.n = 0")
    seen = see(simulator, f"{shared}    {statement}", helpers="union u { uint n, cmpxchg; };\n")
    assert any("data race" in each.text for each in seen.messages)


def test_a_read_after_a_compare_and_swap_is_named(simulator):
    """The simulator reports a work-item's first read, which is in the loop, but the race is with its second read. The
    message must have the line of the second read.
    """
    loop = "uint o; do o = *p; while (atomic_cmpxchg(p, o, o + 1) != o);"
    seen = see(simulator, f"{SHARED}    {loop}\n    if (l == 7)\n        out[i] = n;")
    (race,) = seen.messages
    assert "At line 10 (column 18) of input.cl:\n\t          out[i] = n;\n" in race.text
    assert "At line 8 (column 31) of input.cl:" in race.text
    assert race.writes == (False, True)


@pytest.mark.parametrize(
    ("statement", "writes"),
    [
        ("n = l; out[i] = n;", {True, False}),
        ("struct s vload4 = *b; out[i] = vload4.x; b->x = l;", {True, False}),
        ("vstore4((float4)(l), 0, f); out[i] = vload4(0, f).x;", {True, False}),
        ("out[i] = *p; atomic_inc(p);", {True, False}),
        ("b->vload4 = l;", {True}),
    ],
    ids=["words", "structures", "vectors", "atomic", "a name"],
)
def test_which_of_two_instructions_writes(simulator, statement, writes):
    """The action of an instruction decides if it is a write, and not its name."""
    structure = "    __local struct s w, *b = &w;\n    if (l == 0) w = (struct s){0};\n"
    shared = f"    __local float f[4];\n{structure}{SHARED}"
    seen = see(simulator, f"{shared}    {statement}", helpers="struct s { int vload4, x; };\n")
    races = [each for each in seen.messages if "data race" in each.text]
    assert {each for race in races for each in race.writes} == writes
    assert all(sum(race.writes) == (2 if race.text.startswith("Write-write") else 1) for race in races)


@pytest.mark.whole
@pytest.mark.parametrize(
    "loop", ["for (;;) out[i] = 1;", "for (;;) out[i] = hidden(i);"], ids=["a loop", "a call in it"]
)
def test_a_loop_without_end_is_broken_off_without_lines(simulator, loop):
    """A function without line numbers has no branch that could be reported, so the simulator stops its endless loop
    after some more steps, at any place.
    """
    helpers = "__attribute__((nodebug)) float hidden(float x) { for (;;) x += 1; return x; }\n__attribute__((nodebug)) "
    seen = see(simulator, f"    {loop}", items=(1,), group=(1,), helpers=helpers)
    assert ["a loop that does not end" in each.text for each in seen.messages] == [True]


# --- the order of work-items ------------------------------------------------------------------


def run(worker, source, order):
    """Return the observations of a kernel with 256 work-items in groups of 64, and the words that it stored."""
    given = Given(args={"out": np.zeros(512, np.uint32)}, items=(256,), group=(64,))
    (seen,), out = watch(worker, source, given, order=order)
    return seen, out["out"].view(np.uint32)


ARRIVALS = """__kernel void k(__global uint *out)
{
    volatile __local uint first, second;
    first = second = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = atomic_inc(&first);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[256 + get_global_id(0)] = atomic_inc(&second);
}
"""


def test_work_items_run_in_ascending_order(simulator):
    """By default, the work-items of each group reach a barrier in the order of their ids."""
    _, out = run(simulator, ARRIVALS, "ascending")
    assert (out.reshape(8, 64) == np.arange(64)).all()


def test_a_mixed_order_is_drawn_for_each_group_and_after_each_barrier(simulator):
    """A mixed order differs between groups and changes after each barrier. Each work-item runs exactly once, and each
    run of the kernel has the same orders.
    """
    _, out = run(simulator, ARRIVALS, "mixed")
    orders = out.reshape(8, 64)
    assert (np.sort(orders) == np.arange(64)).all()
    assert len({tuple(order) for order in (np.arange(64), *orders)}) == 9
    assert (run(simulator, ARRIVALS, "mixed")[1] == out).all()
    assert (run(simulator, ARRIVALS, "ascending")[1].reshape(8, 64) == np.arange(64)).all()


SUM = """__kernel void k(__global uint *out)
{{
    volatile __local uint total, lock;
    if (get_local_id(0) == 0)
        total = lock = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    {adds}
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = total;
}}
"""


@pytest.mark.parametrize(
    ("adds", "is_right"),
    [
        pytest.param("atomic_add(&total, 1u);", True, id="one atomic function"),
        pytest.param("uint old = atomic_or(&total, 0u); atomic_xchg(&total, old + 1);", False, id="two of them"),
        pytest.param("uint old = atomic_cmpxchg(&total, 77u, 0u); atomic_xchg(&total, old + 1);", False, id="a swap"),
        pytest.param(
            "uint old, seen = total;"
            " do { old = seen; seen = atomic_cmpxchg(&total, old, old + 1); } while (seen != old);",
            True,
            id="compare-and-swap",
        ),
        pytest.param(
            "for (bool has_added = false; !has_added;) if (atomic_cmpxchg(&lock, 0u, 1u) == 0) {"
            " has_added = true; total++; atomic_xchg(&lock, 0u); }",
            True,
            id="a lock",
        ),
    ],
)
def test_work_items_take_turns_between_atomic_functions(simulator, adds, is_right):
    """In mixed order, other work-items run between two atomic functions, so additions that use two of them are lost. A
    compare-and-swap loop does not lose any, and a lock does not hang.
    """
    assert (run(simulator, SUM.format(adds=adds), "ascending")[1][:256] == 64).all()
    assert (run(simulator, SUM.format(adds=adds), "mixed")[1][:256] == 64).all() == is_right


TRANSPOSES = """__kernel void k(__global uint *out)
{
    __local uint tile[64];
    const uint l = get_local_id(0);
    tile[l] = l;
    if (l % 3)
        tile[l] += 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < l % 5; i++)
        out[2 * get_global_id(0)] += tile[(8 * l + l / 8 + i) % 64];
}
"""


@pytest.mark.parametrize("source", [TRANSPOSES, ARRIVALS, SUM.format(adds="atomic_add(&total, 1u);")])
def test_counts_are_those_of_any_order(simulator, source):
    """Counts do not depend on the order of work-items, even with divergence, bank conflicts and atomic functions."""
    ascending, mixed = (run(simulator, source, order)[0] for order in ("ascending", "mixed"))
    assert ascending.accesses == mixed.accesses
    assert (ascending.branches, ascending.flop) == (mixed.branches, mixed.flop)


def test_a_mixed_order_of_work_items_that_end_early(simulator):
    """In mixed order, work-items that wait at a barrier continue when all others have ended."""
    source = changed(ARRIVALS, "    out[get", "    if (get_local_id(0) % 2) return;\n    out[get")
    _, out = run(simulator, source, "mixed")
    assert (np.sort(out[256:].reshape(4, 64)[:, ::2]) == np.arange(32)).all()


STRAYS = """__kernel void k(__global const float *a, __global float *out)
{
    const size_t i = get_global_id(0);
    __local float copied[32];
    float3 three = vload3(i, a + 100000);
    __local float tile[32];
    tile[get_local_id(0)] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t done = async_work_group_copy(copied, a + 4090, 32, 0);
    wait_group_events(1, &done);
    out[3 * i] = a[i + 4096] + three.y + 1;
    out[3 * i + 1] = copied[get_local_id(0)];
    out[3 * i + 2] = tile[get_local_id(0) + 4096];
}
"""


def test_reads_outside_of_all_arrays_give_zeros(simulator):
    """Reads outside of all arrays return zeros. Without grader's plugin, Oclgrind returns what is in its memory, so
    results would vary. A copy that begins inside an array gets the words up to the array's end.
    """
    given = Given(
        args={"a": np.arange(1, 4097, dtype=np.float32), "out": np.full(4096, 9, np.float32)}, items=(32,), group=(32,)
    )
    _, out = watch(simulator, STRAYS, given)
    read, copied, local = out["out"].view(np.float32)[:96].reshape(32, 3).T
    assert (read == 1).all()
    assert copied.tolist() == [4091, 4092, 4093, 4094, 4095, 4096] + [0] * 26
    assert (local == 0).all()


def test_what_a_kernel_writes_is_no_constant_variable(simulator):
    """If a kernel writes to a constant variable through a cast pointer, later reads of it count as global memory."""
    source = """__constant float table[32] = {1};
__kernel void k(__global const float *a, __global float *out)
{
    const size_t i = get_global_id(0);
    out[i] = table[i % 32];
    ((__global float *)(size_t)table)[i % 32] = a[i];
    out[i] += table[i % 32];
}
"""
    given = Given(
        args={"a": np.arange(64, dtype=np.float32), "out": np.zeros(64, np.float32)}, items=(64,), group=(32,)
    )
    (seen, again), _ = watch(simulator, source, given, kernels=("k", "k"))
    of_table = [[(each.line, each.space) for each in one.accesses if each.array == "table"] for one in (seen, again)]
    assert of_table[1] == [(5, 1), (7, 1)]
    assert (7, 1) in of_table[0]


def test_a_copy_into_a_constant_variable_is_a_store(simulator):
    """A work-group copy into a constant variable counts as a store."""
    source = """__constant float table[32] = {1};
__kernel void k(__global const float *a, __global float *out)
{
    __local float some[32];
    event_t done = async_work_group_copy(some, a, 32, 0);
    done = async_work_group_copy((__global float *)(size_t)table, some, 32, done);
    wait_group_events(1, &done);
    out[get_global_id(0)] = table[get_local_id(0)];
}
"""
    given = Given(
        args={"a": np.arange(64, dtype=np.float32), "out": np.zeros(64, np.float32)}, items=(64,), group=(32,)
    )
    (seen,), _ = watch(simulator, source, given)
    assert {each.space for each in seen.accesses if each.array == "table"} == {1}


QUEUE = """__kernel void k(__global uint *out)
{
    __local uint next, work[64];
    const uint l = get_local_id(0);
    work[l] = 0;
    if (l == 0) next = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint taken = 0;
    for (uint q = atomic_inc(&next); q < 64; q = atomic_inc(&next)) {
        for (uint i = 0; i < 100; i++) work[q] += i;
        taken++;
    }
    out[get_global_id(0)] = taken;
}
"""


def test_others_run_after_an_atomic_function_that_changes_a_word(simulator):
    """After an atomic function has changed a word, other work-items run. Therefore, each of them takes one piece of
    work from a counter, whereas in ascending order the first takes all.
    """
    assert run(simulator, QUEUE, "ascending")[1][0] == 64
    assert (run(simulator, QUEUE, "mixed")[1][:256] == 1).all()


RACE = """__kernel void k(__global uint *out)
{
    volatile __local uint total;
    total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    total += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = total;
}
"""


@pytest.mark.whole
def test_others_come_between_a_read_and_a_write(simulator):
    """In mixed order, other work-items run between a read and a write, so an unordered sum loses additions. In
    ascending order, which has no interruptions, it does not.
    """
    assert (run(simulator, RACE, "ascending")[1][:256] == 64).all()
    assert (run(simulator, RACE, "mixed")[1][:256] < 64).all()


def test_a_read_of_an_element_that_a_vector_does_not_have(simulator):
    """Reading past the end of a vector is reported once for each place, with the index and the number of elements. The
    read gives 0, and not the simulator's own memory.
    """
    body = "    float4 v = vload4(i, a) + 1;\n    int n = l % 8;\n    out[i] = v[n];"
    given = Given(
        args={"a": np.arange(4096, dtype=np.float32), "out": np.zeros(4096, dtype=np.float32)},
        items=(32,),
        group=(32,),
        outputs=("out",),
    )
    (seen,), results = watch(simulator, kernel(body), given)
    (message,) = seen.messages
    assert message.text.startswith("Index (4) exceeds static array size (4)")
    assert "Local(4,0,0)" in message.text
    assert "At line 6 " in message.text
    assert message.times == 16
    numbers = results["out"].view(np.float32)[:8]
    assert list(numbers) == [1, 6, 11, 16, 0, 0, 0, 0]
