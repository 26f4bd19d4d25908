"""words.py: phrases that several reports share."""

import pytest
from samples import PROFILE, RACE, ROOFLINE, SPILLED, SPILLING, failed, performance, unchecked

from grader.common.phrases import count, three_digits
from grader.reports.statistics import Incomplete
from grader.reports.words import (
    access_in_words,
    branch_in_words,
    bytes_in_words,
    failure_in_words,
    finding_in_words,
    incomplete_in_words,
    score_in_words,
    seconds_in_words,
    skip_in_words,
    speed_in_words,
    spills_in_words,
    usage_in_words,
)
from grader.results.check import Unchecked
from grader.results.metrics import Branch, Interval, KernelSpeed, Usage
from grader.results.verdicts import FOR_INSTRUCTORS, Reason

RACING_WORDS = f"""\
{RACE.message}
    17 | sum += As[ly][k] * Bs[k][lx];
         {RACE.places[0].words}
    13 | As[ly][lx] = (gy < heightA && t + lx < widthA) ? A[gy*widthA + t + lx] : 0.0f;
         {RACE.places[1].words}
{RACE.help} Seen 4,096 times."""


def test_a_finding_is_its_sentence_its_lines_and_its_cause():
    """The text of a finding consists of its sentence, its source lines and its cause, in this order."""
    assert finding_in_words(failed("sanitizer: one"), RACE) == RACING_WORDS


def test_a_finding_does_not_repeat_the_sentence_of_its_check():
    """A finding omits its sentence if the check has already given it, and omits a count of one."""
    once = RACE.model_copy(update={"times": 1})
    words = finding_in_words(failed("sanitizer: one", message=f"{RACE.message} So it is."), once)
    assert words.startswith("    17 | ")
    assert words.endswith(RACE.help)


def test_accesses_are_measured_against_the_least_that_would_do():
    """The text of an access compares its sectors in global memory, or turns in local memory, with the minimum.

    It gives the distance between neighbouring work-items if this is constant.
    """
    stretched, whole, conflicting = map(access_in_words, PROFILE.accesses)
    assert stretched == (
        "reads A: 16,384 sectors where 2,048 would do (8 x, up to 8 x in one request), in 512 requests; "
        "neighbouring work-items are 256 bytes apart"
    )
    assert whole == (
        "writes As in local memory: 512 turns, as few as can be, in 512 requests; "
        "neighbouring work-items are 4 bytes apart"
    )
    assert conflicting == (
        "reads As in local memory: 16,384 turns where 8,192 would do (2 x, up to 2 x in one request), in 8,192 requests"
    )


def test_branches_are_counted_by_the_warps_that_part():
    """The text of a condition states that no warp diverges, or how many times warps do."""
    assert [branch_in_words(each) for each in (*PROFILE.branches, Branch(line=1, reached=0, diverged=0))] == [
        "condition: every warp stays together, 1,024 times",
        "condition: warps diverge 12 times, and reach it 128 times",
        "condition: every warp stays together, 0 times",
    ]


def test_speeds_have_no_exponents():
    """Speeds are printed as 1,190 GFLOPS, and not as 1.19e+03. The copy bandwidth is given only for kernels that move
    data.
    """
    assert next(speed_in_words(ROOFLINE)) == "1,190 GFLOPS (1,160 to 1,230)"
    assert len(list(speed_in_words(ROOFLINE))) == 3
    assert list(speed_in_words(performance()))[-1] == "20 % of the copy bandwidth, which is 35.4 GB/s"
    faster = performance(fraction_of_reference=Interval(median=12.6, low=12.04, high=13))
    assert "12.6 times the model solution's speed (12 to 13)" in speed_in_words(faster)


def test_the_rates_of_kernels_are_on_one_line():
    """Each kernel for which the assignment states quantities has its rate, in its own unit."""
    rates = (("scan", 412.3, "GB/s"), ("add", 39.14, "Gpixel/s"))
    kernels = tuple(KernelSpeed(kernel=name, seconds=1.0, rate=rate, unit=unit) for name, rate, unit in rates)
    assert "each kernel: scan 412 GB/s, add 39.1 Gpixel/s" in speed_in_words(performance(kernels=kernels))


def test_a_kit_compares_a_speed_with_the_model_solution_by_a_yardstick_or_not_at_all():
    """In a kit, a speed can be compared with the model solution's only by a yardstick, or else not at all."""
    lines = list(speed_in_words(performance(fraction_of_reference=None)))
    assert not [line for line in lines if "model solution" in line]
    assert [line for line in lines if "naive kernel" in line]
    judged = list(speed_in_words(performance(yardstick=2.5)))
    assert "judged by a yardstick: the model solution is 2.5 x as fast as the naive kernel" in judged


@pytest.mark.parametrize(
    ("usage", "cause"),
    [
        (SPILLING, "The usual cause is more values at a time than there are registers"),
        (SPILLING.model_copy(update={"spilled": 0}), "The usual cause is a private array with an index that is not"),
        (Usage(kernel="rgblkMMM", in_memory=96), "(a large RT, a long unrolled loop), or a private array with an"),
        (Usage(kernel="rgblkMMM", registers=255, spilled=96), "The usual cause is more values at a time than"),
    ],
    ids=["spilled", "no spills", "not known", "no frame"],
)
def test_what_is_not_in_registers_is_told_with_its_cause(usage, cause):
    """Values that are not in registers are reported with their cause.

    Either there are too few registers, or an array cannot be kept in registers. The driver may tell which.
    """
    (words,) = spills_in_words([usage])
    assert words.startswith(SPILLED)
    assert cause in words


def test_what_is_in_registers_is_no_news():
    """Values in registers and unknown usage are not reported."""
    assert list(spills_in_words([Usage(kernel="k"), Usage(kernel="k", registers=40, in_memory=0, spilled=0)])) == []


def test_what_a_kernel_takes_is_as_much_as_the_driver_says():
    """The usage of a kernel includes registers and local memory as far as the driver reports them."""
    assert (
        usage_in_words(SPILLING)
        == "rgblkMMM takes 255 registers per work-item, 8.25 KiB of local memory per work-group"
    )
    assert usage_in_words(Usage(kernel="k", local=0)) == "k takes 0 bytes of local memory per work-group"
    assert usage_in_words(Usage(kernel="k")) == ""


def test_a_failure_tells_what_was_spilled():
    """A failure's text mentions spilled registers, because a JUnit file has no other place for them."""
    assert SPILLED in failure_in_words(failed("performance: gpu", detail="by far", usage=(SPILLING,)))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (three_digits(0.892), "0.892"),
        (three_digits(98.54), "98.5"),
        (three_digits(1234.5), "1,230"),
        (three_digits(12_345_678), "12,300,000"),
        (seconds_in_words(0.00352), "3.52 ms"),
        (seconds_in_words(2), "2 s"),
        (seconds_in_words(4.2e-7), "420 ns"),
        (seconds_in_words(0), "0 ns"),
        (bytes_in_words(1), "1 byte"),
        (bytes_in_words(999), "999 bytes"),
        (bytes_in_words(16_777_216), "16.8 MB"),
        (bytes_in_words(5e12), "5,000 GB"),
        (count(1, "block"), "1 block"),
        (count(4096, "byte"), "4,096 bytes"),
    ],
)
def test_quantities_have_three_digits_and_a_unit(said, words):
    """Measured quantities are printed with three significant digits and a unit."""
    assert said == words


def left(reason, points, checks=2):
    return Unchecked(reason=reason, checks=checks, points=points)


@pytest.mark.parametrize(
    ("unchecked", "words"),
    [
        ((), "68 of 100 points"),
        ((left(Reason.NO_SIMULATOR, 32.0),), "68 of 100; 32 not checked here: the simulator is missing"),
        ((left(Reason.NOT_MEASURED, 32.0),), "68 of 100; 32 not measured: the machine was too noisy"),
        (
            (left(Reason.INTERFERENCE, 32.0),),
            "68 of 100; 32 not measured: the operating system disturbed the timing",
        ),
        ((left(Reason.DECIDED_ELSEWHERE, 12.0),), "68 of 100; 12 are decided on the course's machine"),
        ((left(Reason.DECIDED_ELSEWHERE, 1.0),), "68 of 100; 1 is decided on the course's machine"),
        (
            (left(Reason.NO_SIMULATOR, 12.5), left(Reason.DECIDED_ELSEWHERE, 19.5)),
            "68 of 100; 12.5 not checked here: the simulator is missing; 19.5 are decided on the course's machine",
        ),
        (
            (left(Reason.NO_SIMULATOR, 0.0, checks=1),),
            "68 of 100; 1 check for no points not checked here: the simulator is missing",
        ),
    ],
)
def test_a_score_says_what_was_not_checked(unchecked, words):
    """A score lists the unchecked checks with reasons, even if they are not worth any points."""
    assert score_in_words(68.0, 100.0, unchecked, 0.0) == words


def test_points_have_at_most_two_decimals():
    """Points that are thirds have two decimals in each part of a score."""
    open_points = (left(Reason.NO_SIMULATOR, 10 / 3),)
    said = "97.67 points so far; 2.33 more are decided after release; 3.33 not checked here: the simulator is missing"
    assert score_in_words(293 / 3, 300.0, open_points, 7 / 3) == said
    assert score_in_words(293 / 3, 300.0, (), 0.0) == "97.67 of 300 points"


@pytest.mark.parametrize(
    ("points", "unchecked", "words"),
    [
        (8.0, (), "44 points so far; 8 more are decided after release"),
        (1.0, (), "44 points so far; 1 more is decided after release"),
        (
            8.0,
            (left(Reason.NO_SIMULATOR, 32.0),),
            "44 points so far; 8 more are decided after release; 32 not checked here: the simulator is missing",
        ),
    ],
)
def test_a_score_says_what_is_decided_after_release(points, unchecked, words):
    """If checks are hidden, a score does not show a total, because the rest would seem to be lost."""
    assert score_in_words(44.0, 84.0, unchecked, points) == words


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (unchecked(points=12), "NO_SIMULATOR, worth 12 points: the simulator is not installed: install it."),
        (unchecked(points=0), "NO_SIMULATOR, for no points: the simulator is not installed: install it."),
        (
            unchecked(reason=Reason.HIDDEN, message="its outcome is shown after release."),
            "hidden until release, worth 12 points",
        ),
    ],
)
def test_a_skipped_check_says_why_and_what_it_is_worth(check, words):
    """The text of a skipped check contains its points and the name of the reason, so that users can search for it."""
    assert skip_in_words(check) == words


def test_a_batch_says_whose_points_are_not_whole_and_what_to_do():
    """The text for a batch states whose points are incomplete, and what to do before publishing them."""
    fields = {
        "students": ("7", "8", "ada\x1b[2J"),
        "points": 32.0,
        "message": "the simulator is not installed: install it.",
    }
    assert incomplete_in_words(Incomplete(reason=Reason.NO_SIMULATOR, **fields)) == (
        "3 submissions with open checks, up to 32 points each: the simulator is missing. Do not publish these "
        "points yet. The simulator is not installed: install it. The same command then grades them again."
    )
    assert incomplete_in_words(Incomplete(reason=Reason.NOT_MEASURED, **fields)) == (
        "3 submissions not timed, up to 32 points each: the machine was too noisy. Do not publish these points yet. "
        "Stop other programs; the same command then times them again."
    )
    assert incomplete_in_words(Incomplete(reason=Reason.INTERFERENCE, **fields)) == (
        "3 submissions not timed, up to 32 points each: the operating system disturbed the timing. Do not publish "
        "these points yet. Stop other programs; the same command then times them again. If that does not help, read "
        "the code of 7, 8 and ada�[2J: it may cause the disturbance."
    )
    assert incomplete_in_words(Incomplete(reason=Reason.DECIDED_ELSEWHERE, **fields)) == (
        "3 submissions not decided in full, up to 32 points each: the course's machine decides the rest."
    )


def test_a_batch_names_those_that_an_instructor_must_decide():
    """The text for a batch lists the students about whose results an instructor must decide.

    A submission can cause such a result itself, so grading it again is not a remedy.
    """
    for reason in FOR_INSTRUCTORS:
        left = Incomplete(reason=reason, students=("ada", "b\x1ben"), points=32.0, message="")
        assert "ada and b\ufffden" in incomplete_in_words(left)
