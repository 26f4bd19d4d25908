"""show.py: the requirements of an assignment as text."""

import re

import pytest
from courses import course_of
from project import ASSIGNMENTS
from three_kernels import three_kernels
from untimed import POINTS, UNTIMED, untimed_course

from grader.authoring.show import MEASURES, describe
from grader.course.criteria import MemoryCheck


@pytest.mark.sampled
@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_the_points_that_are_told_are_all_there_are(course, name):
    """The printed points for correctness, sanitizer, memory checks and the best band for one class of devices add up to
    the total.
    """
    assignment = course.load(name)
    text = describe(assignment)
    told = [float(points) for points in re.findall(r"^  \w+, ([\d.]+) points", text, re.MULTILINE)]
    told += [float(points) for points in re.findall(r"^      ([\d.]+) points for ", text, re.MULTILINE)]
    told += [float(points) for points in re.findall(r"performance on a gpu.*\n      ([\d.]+) points from", text)]
    assert sum(told) == assignment.points
    assert len(told) == sum(3 + len(part.memory.checks) for part in assignment.parts)


def test_arrays_are_drawn_with_their_role_and_each_shape_once(course):
    """The arrays of the student's kernels are shown with their roles, and arrays of the same shape share one drawing.
    Vectors have no drawing, and neither do scratch arrays without data, because students choose their layout.
    """
    text = describe(course.load("vectorAdd"))
    assert "  arrays\n      A (input), B (input), C (output): n elements\n  constants" in text
    text = describe(course.load("loopNest"))
    assert "inflow (input), gains (output): days rows, tanks columns\n          row 0   0      1 " in text
    assert "levels (scratch): days rows, tanks columns; the layout is yours to choose\n  constants" in text


def test_an_input_that_may_be_constant_is_named(course):
    """`grader show` marks the inputs that are small at all sizes, which students may declare as __constant."""
    text = describe(course.load("convolution"))
    assert "mask (input; may be __constant): 2*R+1 rows" in text
    assert text.count("may be __constant") == 1


def test_the_data_of_a_case_are_described_in_words(course):
    """The text does not use the words of assignment.yaml for the data of a case."""
    text = describe(course.load("blockMMM"))
    assert "ragged small integers: heightA 53, widthB 90, widthA 70, small whole numbers\n" in text
    assert "tall: heightA 515, widthB 18, widthA 40, random data\n" in text


def test_kernels_that_run_alone_are_named_and_fix_the_layout_of_their_arrays(tmp_path):
    """A case names its kernel and its points. The layout of an array of this kernel is not the student's choice."""
    sanitizer = {"points": 1, "sizes": {"n": 16}, "alone": {"scanSums": {"n": 64}}}
    text = describe(three_kernels(tmp_path, sanitizer=sanitizer))
    assert "      and in a simulated run of scanSums alone at n 64\n" in text
    assert "      addOffsets alone: n 64, random data, only addOffsets, 7 points\n" in text
    assert "sums (scratch, int): n // 8 elements\n" in text


PROGRAM = {
    **{name: field for name, field in UNTIMED.items() if name not in {"launches", "baseline", "memory", "sanitizer"}},
    "values": {"half": "n // 2"},
    "buffers": {
        "x": {"shape": ["n"], "type": "uchar", "data": "numbers", "role": "scratch"},
        "z": {"shape": ["n"], "type": "uchar", "tolerance": {"rule": "share", "at_most": 0.01}},
        "best": {"shape": ["n"], "type": "float4", "tolerance": {"rule": "judge"}},
        "flag": {"shape": [1], "type": "uint", "role": "scratch"},
    },
    "program": [
        {"fill": "best", "value": "n/2"},
        {"swap": ["x", "z"]},
        {
            "for": "k",
            "from": 2,
            "to": "n",
            "next": "2*k",
            "do": [{"kernel": "add", "args": ["x", "z", "best", "flag", "k"], "global": ["n"], "local": [1]}],
        },
        {
            "repeat": "n",
            "swap": [["x", "z"]],
            "until": {"sum": "flag", "below": 1},
            "do": [
                {"fill": "flag"},
                {"kernel": "add", "args": ["x", "z", "best", "flag", "half"], "global": [8], "local": [8]},
            ],
        },
    ],
}
PROGRAM["baseline_program"] = PROGRAM["program"]


def test_a_program_is_shown_step_by_step(tmp_path):
    """Steps within loops are indented. Values, types other than float, and rules of single arrays have words."""
    text = describe(course_of(tmp_path, PROGRAM).load("small"))
    assert (
        """
  program
      fill best with n/2
      x and z change places
      for k from 2 to n, next 2*k
          add(x, z, best, flag, k), global (n), local (1)
      repeated: n times, or until the sum of flag is below 1; x and z change places after each
          fill flag with 0
          add(x, z, best, flag, half), global (8), local (8)
  half = n // 2 (uint)
  arrays
      x (scratch, uchar), z (output, uchar), best (output, float4): n elements
      flag (scratch, uint): 1 element; the layout is yours to choose
"""
        in text
    )
    assert text.count("__kernel void add(") == 1
    assert "      z is right if the share of elements that differ is at most 0.01\n" in text
    assert "      best is right if a test of the course accepts it" in text


def test_simulated_runs_are_told_with_their_sizes_and_limits(transposition):
    """The text gives the sizes of simulated runs and shows limits as numbers instead of expressions."""
    text = describe(transposition)
    assert "sanitizer, 8 points, in a simulated run at height 63, width 95\n      no access out of bounds" in text
    memory = text.partition("  memory, in a simulated run at height 128, width 192\n")[2]
    lines = memory.splitlines()
    free, first, second, third = (line for line in lines if " points for " in line)
    assert free.startswith("      0 points for whole warps take part: ")
    assert first.startswith(
        "      26 points for coalesced accesses: the least traffic and all unused bytes are together at most"
    )
    assert second.endswith(
        "for no traffic but the array's: all work-items together read at most 24,576 words of global memory"
    )
    assert third.endswith("takes more than 2 words from one bank")


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_a_sentence_with_its_limit(transposition, measure):
    """Every measure has a sentence with its limit, including measures that no shipped assignment uses."""
    check = MemoryCheck(name="something", measure=measure, at_most="width/100", points=1)
    memory = transposition.memory.model_copy(update={"checks": (check,)})
    text = describe(transposition.model_copy(update={"memory": memory}))
    assert re.search(r"\n      1 points? for something: .* 1\.92 ", text)


def test_an_assignment_that_asks_nothing_of_the_simulator_says_nothing_of_it(transposition):
    """The text does not mention the simulator if the assignment has no sanitizer and no memory checks."""
    text = describe(transposition.model_copy(update={"sanitizer": None, "memory": None}))
    assert "simulat" not in text
    assert "performance on a cpu" in text


def test_an_assignment_that_checks_no_speed_says_nothing_of_it(tmp_path):
    """The text does not mention speed if the assignment has no speed check, and the total is the sum of the other
    points.
    """
    text = describe(untimed_course(tmp_path).load("small"))
    assert text.startswith(f"Adding (small), {POINTS} points\n")
    assert not re.search("performance|speed", text)
