"""memory.py: the measures of memory behaviour, their limits, and the messages for kernels that exceed a limit."""

import pytest
from kernels import TRANSPOSITION, changed
from project import ROOT
from simulator import subject_of

from grader.common.record import replace
from grader.course.criteria import MemoryCheck
from grader.course.rubric import Kind, Memory
from grader.grading.checks.memory import check_memory, uncounted, usable
from grader.grading.checks.memory_behaviour.measures import MEASURES
from grader.grading.checks.simulation.counts import _profile, count_memory, memory_run
from grader.grading.checks.simulation.simulated_run import Simulated
from grader.grading.explain.problem import NOT_RIGHT, Problem
from grader.grading.explain.simulator.locations import Scene
from grader.protocol.messages import Simulation
from grader.protocol.observation import SeenAccess, SeenBranch, SeenKernel
from grader.results.metrics import Need, Profile
from grader.results.verdicts import Reason, Verdict

MODEL = (ROOT / "reference" / "coalsTransp" / "kernels.cl").read_text()
NAIVE = (ROOT / "reference" / "coalsTransp" / "baseline.cl").read_text().replace("naiveTransp", "coalsTransp")
SIZES = {"height": 32, "width": 48}


def branch(line, reached, diverged):
    """Return the counts of a condition, as the simulator's plugin reports them."""
    return SeenBranch(line=line, reached=reached, diverged=diverged, constant=False)


def seen_access(line, array="A", space=1, **changes):
    """Return the counts of a coalesced read of 128 bytes per request, with some fields changed."""
    fields = {
        "line": line,
        "column": 5,
        "array": array,
        "space": space,
        "writes": False,
        "requests": 10,
        "mostly_idle": 0,
        "active": 0,
        "bytes": 1280,
        "unused": 0,
        "conflicts": 0,
        "sectors": 40,
        "fewest": 40,
        "worst": 1.0,
        "stride": 4,
    }
    return SeenAccess(**{**fields, **changes})


def counted(assignment, *accesses, branches=(), flop=0, launches=1, **amounts):
    """Return the profile of identical launches with these accesses, branches and other amounts, which are else 0."""
    seen = SeenKernel(
        kernel="k",
        flop=flop,
        steps=100,
        **{"busiest": 0, "private": 0, **amounts},
        arrays=(),
        messages=(),
        unset=(),
        accesses=accesses,
        branches=tuple(branches),
    )
    scene = Scene(source="", dimensions=1, extent=None)
    simulated = Simulated(
        sizes=SIZES, kernels=(seen,) * launches, scenes=(scene,) * launches, problem=None, constants=({},) * launches
    )
    return _profile(assignment, simulated, Simulation())


def asked(measure, at_most):
    return Memory(sizes=SIZES, checks=(MemoryCheck(name="it", measure=measure, at_most=at_most, points=5),))


def check(assignment, measure, at_most, found):
    (made,) = check_memory(assignment, asked(measure, at_most), found)
    return made


def test_a_profile_adds_up(transposition):
    """Totals include global memory in all launches. They exclude local and constant memory."""
    accesses = (
        seen_access(3),
        seen_access(4, array="B", writes=True, sectors=320, unused=7),
        seen_access(5, array="t", space=3, sectors=20),
        seen_access(6, array="table", space=2),
    )
    found = counted(
        transposition,
        *accesses,
        flop=100,
        branches=[branch(2, 8, 2)],
        launches=2,
    )
    assert (found.read, found.written, found.moved, found.flop) == (2560, 2560, 2 * 360 * 32, 200)
    assert found.compulsory == 2 * 4 * 32 * 48
    assert [each.space for each in found.accesses[:4]] == ["global", "global", "local", "constant"]
    assert [each.does for each in found.accesses[:2]] == ["reads", "writes"]
    assert (found.diverged, found.requests, found.unused) == (4, 60, 2 * 7)
    assert found.intensity == 200 / 5120


FOUND = [
    pytest.param(
        "coalescing",
        1.1,
        [seen_access(3, unused=40), seen_access(4, array="B", writes=True, sectors=160, unused=3840, stride=-256)],
        (
            Reason.UNCOALESCED,
            (
                "line 4 writes `B` with neighbouring work-items 256 bytes apart: a warp moves 16 sectors of 32 bytes "
                "at a time, but does not use 384 bytes of them. The least traffic is 12,288 bytes. Together with the "
                "3,880 unused bytes, it is 1.32 times as large; the limit is 1.1. Work-items that are neighbours"
            ),
        ),
        id="coalescing",
    ),
    pytest.param(
        "bank conflicts",
        2,
        [seen_access(3), seen_access(7, array="tile", space=3, sectors=80, fewest=10, conflicts=7, stride=64)],
        (
            Reason.BANK_CONFLICT,
            (
                "line 7 reads `tile` with neighbouring work-items 64 bytes apart: 8 words of a warp lie in "
                "one of the 32 banks, which serves them one after another; the limit is 2. Make the rows of "
                "tile one word longer"
            ),
        ),
        id="bank conflicts",
    ),
    pytest.param(
        "words read",
        "height",
        [seen_access(3, bytes=5120), seen_access(4, bytes=2560), seen_access(5, array="B", writes=True)],
        (
            Reason.EXTRA_TRAFFIC,
            (
                "the kernel reads 1,920 words of global memory, 1,280 of A in line 3, 640 of A in line 4; the limit is "
                "32. Read each word of A only once"
            ),
        ),
        id="words read",
    ),
    pytest.param(
        "words written",
        "2*height",
        [seen_access(3, bytes=5120), seen_access(5, array="B", writes=True)],
        (
            Reason.EXTRA_TRAFFIC,
            "the kernel writes 320 words of B in line 5; the limit is 64. Store a result once",
        ),
        id="words written",
    ),
    pytest.param(
        "words moved",
        "height",
        [seen_access(3, bytes=5120), seen_access(4, array="B", writes=True, sectors=160, fewest=40, stride=-256)],
        (
            Reason.UNCOALESCED,
            (
                "line 4 writes `B` with neighbouring work-items 256 bytes apart: a warp moves 16 sectors of 32 bytes "
                "at a time, but 4 would be enough. All these sectors have 1,600 words of global memory; the limit is "
                "32. Work-items that are neighbours"
            ),
        ),
        id="words moved",
    ),
    pytest.param(
        "words moved",
        "height",
        [seen_access(3)],
        (
            Reason.EXTRA_TRAFFIC,
            "the kernel moves sectors with 320 words of global memory; the limit is 32. The kernel uses",
        ),
        id="words moved, none in vain",
    ),
]


def test_a_copy_by_the_group_is_named_where_it_wastes_most(transposition):
    """If a copy by the work-group wastes the most bytes, the message names it, although it has no line number."""
    found = counted(transposition, seen_access(3, unused=40), seen_access(0, unused=5120))
    assert check(transposition, "coalescing", 1.1, found).message.startswith(
        "a copy by the group or a hidden line reads"
    )


def test_accesses_that_waste_nothing_do_not_make_up_for_others(transposition):
    """The check uses the number of unused bytes, not their percentage, so additional efficient accesses do not hide a
    wasteful one.
    """
    wasteful = seen_access(4, sectors=160, unused=3840, stride=256)
    alone, in_company = (
        check(transposition, "coalescing", 1.1, counted(transposition, wasteful, *more))
        for more in ((), [seen_access(line, requests=1000) for line in range(5, 25)])
    )
    assert alone.message == in_company.message
    assert alone.verdict is in_company.verdict is Verdict.FAILED


def test_neighbouring_words_of_a_part_of_a_warp(transposition):
    """If only some work-items of each warp access neighbouring words, the message says so. It gives no advice about the
    stride, which is right.
    """
    found = counted(transposition, seen_access(4, unused=5120))
    message = check(transposition, "coalescing", 1.1, found).sentences
    assert "but not all work-items of a warp do so together" in message
    assert "should access neighbouring words" not in message


def test_reading_back_is_told_apart_from_reading_too_often(transposition):
    """A kernel that updates its own results in place is advised to keep them in a variable, and not to use local
    memory. If other lines read them, the advice for words that a group shares is local memory.
    """
    written = seen_access(4, array="B", writes=True)
    in_place = counted(transposition, seen_access(4, array="B"), written)
    own = "Do not read back what a work-item wrote itself. Keep it in a variable."
    assert own in check(transposition, "words read", 1, in_place).sentences
    elsewhere = counted(transposition, seen_access(3, array="B", bytes=5120), written)
    shared = "Keep it in a variable, or in local memory if its group shares it."
    assert shared in check(transposition, "words read", 1, elsewhere).sentences


NEEDED = (Need(array="A", does="reads", bytes=5120), Need(array="B", does="reads", bytes=640))


def test_the_array_with_the_excess_is_named_not_the_array_that_is_read_most(transposition):
    """With the traffic of the model solution, the message names the array that is read too often, and all its lines."""
    often = [seen_access(4, array="B", bytes=1280), seen_access(5, array="B", bytes=1280)]
    found = counted(transposition, seen_access(3, bytes=5120), *often)
    made = check(transposition, "words read", 1500, replace(found, needed=NEEDED))
    assert made.sentences == (
        "lines 4 and 5 read `B` 4 times as often as needed. The kernel reads 1,920 words of global memory, 1,280 of A "
        "(1,280 needed), 640 of B (160 needed); the limit is 1,500. Read each word of B only once: into a variable, or "
        "into local memory if several work-items need it."
    )
    assert made.first_line == 4


def test_an_array_that_the_model_solution_never_reads(transposition):
    """The message names an array that the model solution never reads, even if another array is read more often."""
    found = counted(transposition, seen_access(3, bytes=5120), seen_access(4, array="C", bytes=1280))
    made = check(transposition, "words read", 1500, replace(found, needed=NEEDED))
    assert made.message.startswith(
        "line 4 reads `C`, which the model solution never reads. The kernel reads 1,600 words"
    )


def test_within_the_limit_no_excess_is_named(transposition):
    """A check that passes does not say which array is read more often than in the model solution."""
    found = replace(counted(transposition, seen_access(4, array="B", bytes=1280)), needed=NEEDED)
    made = check(transposition, "words read", 400, found)
    assert made.message == "the kernel reads 320 words of B (160 needed); the limit is 400."


@pytest.mark.parametrize(("measure", "at_most", "accesses", "expected"), FOUND)
def test_too_much(transposition, measure, at_most, accesses, expected):
    """A measure above its limit earns no points. The message names the line, the array, the measured value and the
    limit.
    """
    reason, words = expected
    made = check(transposition, measure, at_most, counted(transposition, *accesses))
    assert (made.verdict, made.points, made.max_points, made.reason) == (Verdict.FAILED, 0, 5, reason)
    assert made.sentences.startswith(words)
    assert (made.name, made.kind) == ("memory: it", Kind.MEMORY)


@pytest.mark.parametrize(
    ("measure", "at_most", "accesses", "words"),
    [
        (
            "coalescing",
            1.1,
            [seen_access(3)],
            "every byte of the moved sectors is used, which is a ratio of 1; the limit is 1.1.",
        ),
        (
            "coalescing",
            2,
            [seen_access(3, sectors=44, unused=128)],
            (
                "line 3 reads `A` with neighbouring work-items 4 bytes apart: a warp moves 4.4 sectors of 32 bytes at "
                "a time, but does not use 12.8 bytes of them. The least traffic is 12,288 bytes. Together with the 128 "
                "unused bytes, it is 1.01 times as large; the limit is 2."
            ),
        ),
        (
            "bank conflicts",
            2,
            [seen_access(7, array="tile", space=3, sectors=10, fewest=10)],
            "a warp uses at most 1 word of each bank of local memory at a time; the limit is 2.",
        ),
        (
            "words read",
            400,
            [seen_access(3)],
            "the kernel reads 320 words of A in line 3; the limit is 400.",
        ),
        ("divergence", 15, [], "the work-items of a warp never diverge; the limit is 15."),
        (
            "requests of mostly idle warps",
            0,
            [seen_access(3)],
            "at least half of a warp's work-items take part in every memory request; the limit is 0.",
        ),
    ],
)
def test_what_passes_says_what_was_measured_and_the_limit(transposition, measure, at_most, accesses, words):
    """The message of a passed check gives the measured value and the limit, without advice."""
    made = check(transposition, measure, at_most, counted(transposition, *accesses, branches=[branch(2, 8, 0)]))
    assert (made.verdict, made.reason, made.message) == (Verdict.PASSED, None, words)


def test_work_that_one_does_alone(transposition):
    """The message names the line with the most requests of mostly idle warps, counted over all expressions in the line.
    Other requests do not count.
    """
    accesses = [
        seen_access(3, requests=500),
        seen_access(7, array="t", space=3, requests=30, mostly_idle=30, active=60),
        seen_access(9, array="t", space=3, requests=50, mostly_idle=20, active=20),
        seen_access(9, array="sums", requests=20, mostly_idle=20, active=40),
        seen_access(12, array="c", space=2, mostly_idle=10, active=10),
    ]
    made = check(transposition, "requests of mostly idle warps", 69, counted(transposition, *accesses))
    assert made.reason is Reason.WARP_DIVERGENCE
    assert made.sentences == (
        "fewer than half of a warp's work-items take part in 70 memory requests, most often in line 9 (40 times, with "
        "1.5 of 32 at a time); the limit is 69. Divide that work among neighbouring work-items of the group, for "
        "example in a tree."
    )


@pytest.mark.parametrize(
    ("busiest", "words"),
    [
        ({}, "no work-item accesses memory; the limit is 40."),
        ({"k": 30}, "the busiest work-item of `k` accesses 30 words of memory; the limit is 40."),
        ({"k": 30, "last": 0}, "the busiest work-item of `k` accesses 30 words of memory; the limit is 40."),
        (
            {"k": 30, "last": 31},
            (
                "the busiest work-items, one per launch, access 61 words of memory in total, most of them in `last` "
                "(31); the limit is 40. Share the work among more work-items."
            ),
        ),
    ],
)
def test_few_work_items_that_do_all_the_work(transposition, busiest, words):
    """The words of the busiest work-item are added up over all launches. The message names the kernel with the most."""
    found = replace(counted(transposition, seen_access(3)), busiest=busiest)
    made = check(transposition, "words of the busiest work-item", 40, found)
    assert made.reason is (Reason.WARP_DIVERGENCE if sum(busiest.values()) > 40 else None)
    assert made.sentences == words


def test_the_busiest_work_items_of_repeated_launches_add_up(transposition):
    """The words of the busiest work-item are added up over the launches of each kernel."""
    assert counted(transposition, launches=3, busiest=7).busiest == {"k": 21}


@pytest.mark.parametrize(
    ("private", "words"),
    [
        ({}, "no kernel has variables; the limit is 40."),
        ({"k": 157, "last": 20}, "the variables of a work-item of `k` have 40 words; the limit is 40."),
        (
            {"k": 20, "last": 4000},
            (
                "the variables of a work-item of `last` have 1,000 words; the limit is 40. Keep few words in private "
                "arrays at a time. A large private array lies in the device's memory, not in registers."
            ),
        ),
    ],
)
def test_a_large_private_array(transposition, private, words):
    """The kernel counts whose work-items have the most private memory. The message names this kernel."""
    found = replace(counted(transposition, seen_access(3)), private=private)
    made = check(transposition, "words of private memory", 40, found)
    assert made.reason is (Reason.EXTRA_TRAFFIC if "last" in words else None)
    assert made.sentences == words


def test_private_memory_of_repeated_launches_counts_once(transposition):
    """Launches run one after the other, so their private memory does not add up."""
    assert counted(transposition, launches=3, private=8).private == {"k": 8}


ALONE = seen_access(7, bytes=40, requests=10, mostly_idle=10, active=10, unused=280)
"""A read by a single work-item."""


@pytest.mark.parametrize(
    ("found", "words"),
    [
        pytest.param(
            {"accesses": [ALONE], "branches": [branch(5, 128, 1), branch(6, 11, 0)], "work_items": 4096},
            "line 5 lets only 1 of 4,096 work-items work, so nothing runs in parallel. Line 7 reads `A`",
            id="one of the launch",
        ),
        pytest.param(
            {"accesses": [ALONE], "branches": [branch(5, 128, 64)], "work_items": 4096},
            "line 5 lets only 1 of the 32 work-items of a warp work. Line 7 reads `A`",
            id="one of each warp",
        ),
        pytest.param(
            {"accesses": [ALONE], "branches": [branch(6, 11, 0)], "work_items": 1},
            "line 2 launches only 1 work-item, so nothing runs in parallel. Line 7 reads `A`",
            id="a launch of one",
        ),
        pytest.param(
            {"accesses": [ALONE, seen_access(8)], "branches": [branch(5, 128, 1)], "work_items": 4096},
            "line 7 reads `A`",
            id="others work, too",
        ),
        pytest.param(
            {"accesses": [ALONE], "branches": [], "work_items": 4096},
            "line 7 reads `A`",
            id="groups of one",
        ),
    ],
)
def test_a_kernel_that_is_not_parallel(transposition, found, words):
    """If a single work-item accesses memory, the message names the condition before what follows from it."""
    profile = counted(transposition, *found["accesses"], branches=found["branches"])
    memory = asked("coalescing", 1.01)
    launched = replace(profile, work_items=found["work_items"])
    (made,) = check_memory(transposition, memory, launched, "//\n// grader: global = 1\n")
    assert made.message.startswith(words)
    assert made.reason is (Reason.UNCOALESCED if words.startswith("line 7") else Reason.WARP_DIVERGENCE)


def test_too_much_divergence(transposition):
    """All divergent branches are counted, and the message names the line with most of them."""
    branches = [
        branch(3, 60, 10),
        branch(9, 1040, 210),
    ]
    made = check(transposition, "divergence", 100, counted(transposition, seen_access(3), branches=branches))
    assert made.reason is Reason.WARP_DIVERGENCE
    assert made.sentences.startswith(
        "the work-items of a warp take different branches 220 times, most often in line 9 (210 times); the limit is"
    )


@pytest.mark.parametrize(
    ("measure", "at_most"),
    [("coalescing", 1.1), ("requests of mostly idle warps", 10), ("words read", "1280/4"), ("divergence", 0)],
)
def test_a_limit_may_be_reached(transposition, measure, at_most):
    """A measure that equals its limit passes."""
    found = counted(transposition, seen_access(3, unused=1228, mostly_idle=10, active=10), branches=[branch(2, 8, 0)])
    made = check(transposition, measure, at_most, found)
    assert (made.verdict, made.points) == (Verdict.PASSED, 5)


@pytest.mark.parametrize(
    "measure",
    sorted(MEASURES),
)
def test_what_is_not_used_cannot_be_too_much(transposition, measure):
    """A kernel without accesses and branches passes every memory check."""
    assert (
        check(transposition, measure, 1 if measure == "coalescing" else 0, counted(transposition)).verdict
        is Verdict.PASSED
    )


def test_what_was_not_counted_earns_nothing(transposition):
    """A kernel with wrong results gets no points for memory behaviour, and the message says why."""
    made = check(transposition, "coalescing", 4, NOT_RIGHT)
    assert (made.verdict, made.points, made.reason) == (Verdict.FAILED, 0, Reason.NOT_RUN)
    assert "fix the wrong results first" in made.message


def test_checks_that_had_no_chance(transposition):
    """Before they run, memory checks are passed and have all their points."""
    made = list(uncounted(transposition.memory))
    assert {each.verdict for each in made} == {Verdict.PASSED}
    assert sum(each.max_points for each in made) == sum(each.points for each in made) == 42


@pytest.mark.whole
def test_the_naive_kernel_is_counted(simulator, transposition):
    """The naive transposition fails because of uncoalesced writes. The amount that it reads and writes is within the
    limit.
    """
    memory = transposition.memory
    found = usable(count_memory(memory_run(subject_of(simulator, transposition, NAIVE), memory), Simulation()))
    assert isinstance(found, Profile)
    made = {each.name: each for each in check_memory(transposition, memory, found)}
    uncoalesced = made["memory: coalesced accesses"]
    assert (uncoalesced.reason, uncoalesced.points) == (Reason.UNCOALESCED, 0)
    assert uncoalesced.message.startswith("line 8 writes `B` with neighbouring work-items 512 bytes apart")
    assert made["memory: no traffic but the array's"].verdict is Verdict.PASSED
    assert found.read == found.written == 4 * 128 * 192


def test_a_model_solution_passes_with_all_its_profile(simulator, transposition):
    """The model solution passes every memory check, and it moves only the bytes that any solution must move."""
    memory = transposition.memory
    found = usable(count_memory(memory_run(subject_of(simulator, transposition, MODEL), memory), Simulation()))
    assert isinstance(found, Profile)
    assert {each.verdict for each in check_memory(transposition, memory, found)} == {Verdict.PASSED}
    assert found.read + found.written == found.moved == found.compulsory


@pytest.mark.whole
def test_wrong_results_there_are_not_counted(simulator, transposition):
    """If the results are wrong in the memory run, there is no profile, and the message gives the reason."""
    source = changed(TRANSPOSITION, "= tile[lx][ly]", "= 2 * tile[lx][ly]")
    found = usable(
        count_memory(memory_run(subject_of(simulator, transposition, source), transposition.memory), Simulation())
    )
    assert isinstance(found, Problem)
    assert found.reason is Reason.NOT_RUN
    assert found.message == "not counted: the results are wrong in the simulator."
    assert found.detail
