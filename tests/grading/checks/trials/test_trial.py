"""trial.py: the data of a kernel that runs alone are the oracle's arrays before and after its launch."""

import numpy as np
import pytest
from three_kernels import FIELDS, KERNELS, LAUNCHES, ORACLE, three_kernels, with_cases

from grader.common.errors import SolutionError
from grader.course.assignment import Chosen
from grader.course.criteria import Case
from grader.course.truth.oracle import consult_about, load_oracle
from grader.course.truth.states import last_change
from grader.execution.assignment_plans import reference_plan, submission_plan
from grader.execution.plan import STUDENT
from grader.grading.checks.trials.trial import case_trial
from grader.protocol.steps import ElementArg, ItemCount

CASE = Case(name="alone", sizes={"n": 16}, alone="addOffsets")


def trial_of(assignment, **changes):
    """Return the data of the case with these changes."""
    return case_trial(assignment, load_oracle(assignment), CASE.model_copy(update=changes), (2,))


def roles_in(trial):
    """Return the role and the kind of data of each array."""
    return {name: (buffer.part, buffer.data) for name, buffer in trial.assignment.buffers.items()}


def test_a_kernel_gets_the_arrays_of_the_oracle_before_its_launch(tmp_path):
    """addOffsets gets scanned blocks and offsets, and makes the final numbers of them. It must change nothing else."""
    assignment = three_kernels(tmp_path)
    whole, alone = trial_of(assignment, alone=""), trial_of(assignment)
    blocks = np.cumsum(whole.inputs["data"].reshape(-1, 8), axis=1)
    assert np.array_equal(alone.inputs["data"], blocks.reshape(-1))
    assert alone.inputs["sums"].tolist() == [0, blocks[0, -1]]
    assert alone.inputs["sums"].dtype == np.int32
    assert np.array_equal(alone.truth["data"].value, whole.truth["data"].value)
    assert roles_in(alone) == {"data": ("updated", "made"), "sums": ("scratch", "made")}
    script = reference_plan(alone.assignment, alone.sizes).scripts[STUDENT]
    assert [step.kernel for step in script.kernels] == ["addOffsets"]


def test_the_first_kernel_gets_the_inputs_of_the_program(tmp_path):
    """scanBlocks gets the inputs of the whole program, and sums has no values before it."""
    assignment = three_kernels(tmp_path)
    whole, alone = trial_of(assignment, alone=""), trial_of(assignment, alone="scanBlocks")
    assert np.array_equal(alone.inputs["data"], whole.inputs["data"])
    assert roles_in(alone) == {"data": ("updated", "integers"), "sums": ("output", None)}


def test_the_last_launch_that_changes_an_array_is_known(tmp_path):
    """An array that a later launch changes in place is right only after that launch."""
    assignment = three_kernels(tmp_path)
    trial = trial_of(assignment, alone="")
    changes = [
        last_change(name, load_oracle(assignment), assignment, trial.inputs, trial.sizes)
        for name in ("sums", "data", "other")
    ]
    assert changes == [2, 3, None]


def test_mistakes_of_the_whole_explain_only_final_arrays(tmp_path):
    """addOffsets makes the final numbers, so a mistake of the whole program can explain them. scanBlocks does not."""
    assignment = three_kernels(tmp_path)
    for kernel, known in (("addOffsets", ["the first number is left out"]), ("scanBlocks", [])):
        trial = trial_of(assignment, alone=kernel)
        assert [*consult_about("data", trial.oracle, trial.assignment, trial.inputs, trial.sizes)] == known


def test_a_kernel_alone_gets_the_arrays_from_which_its_values_are_read(tmp_path):
    """An array is among the inputs of a launch if only one of its elements is an argument."""
    launches = [*LAUNCHES[:2], {**LAUNCHES[2], "args": ["data", "offset"], "items": "sums[0]"}]
    assignment = three_kernels(
        tmp_path, launches=launches, scalars={"offset": {"type": "int", "value": "sums[n//8-1]"}}
    )
    trial = trial_of(assignment, alone="addOffsets")
    assert set(trial.inputs) == {"data", "sums"}
    (step,) = submission_plan(Chosen(trial.assignment), trial.sizes, {}).scripts[STUDENT].steps
    index = trial.sizes["n"] // 8 - 1
    assert step.args[1] == ElementArg(buffer="sums", offset=4 * index, size=4)
    assert step.items == ItemCount(buffer="sums", offset=0, type="int32")


def test_a_launch_in_loops_after_fills_and_swaps_runs_with_its_numbers(tmp_path):
    """A kernel alone gets the first numbers of its loops, filled arrays, and arrays that have changed places."""
    launch = {**LAUNCHES[2], "args": ["data", "sums", "k"]}
    buffers = {
        name: {"type": "int", "shape": ["n"], "data": "integers", "role": "scratch"} for name in ("sums", "other")
    }
    buffers["data"] = {"type": "int", "shape": ["n"], "data": "integers", "role": "updated"}
    program = [
        {"fill": "sums", "value": 3},
        {"swap": ["sums", "other"]},
        {"for": "k", "from": "n - 1", "to": 1, "next": "k - 1", "do": [launch]},
    ]
    oracle = ORACLE.replace('    yield {"data"', '    yield {"data": Truth(value=data)}\n    yield {"data"', 1)
    oracle = oracle.replace(', "sums": Truth(value=np.append(0, numbers[7:-1:8]))', "")
    kernels = KERNELS.replace("uint32_t n)\n{\n    data[", "uint32_t k)\n{\n    data[")
    assignment = three_kernels(
        tmp_path,
        kernels,
        oracle,
        kernel="addOffsets",
        buffers=buffers,
        program=program,
        launches=None,
        correctness=with_cases({"name": "one", "sizes": {"n": 16}}),
    )
    trial = trial_of(assignment)
    assert set(trial.inputs) == {"data", "other"}
    (launch,) = trial.assignment.launches
    assert launch.args == ("data", "other", "k")
    assert trial.assignment.names(trial.sizes)["k"] == 15


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("def states", "def stated", "gives no arrays for launch 1, scanBlocks; yield a dict"),
        ('yield {"sums": Truth(value=offsets)}', "return", "gives no arrays for launch 2, scanSums"),
        ('yield {"sums": T', 'yield {"data": T', "gives data for launch 2, scanSums, which has no such array"),
        ("Truth(value=offsets)", "offsets", "returns an object of type ndarray for sums"),
        ("offsets = np", "offsets = 1 / 0 + np", "`states` failed at .*ZeroDivisionError"),
        ("Truth(value=offsets)", "Truth(value=offsets[1:])", r"sums has the shape \(1,\)"),
    ],
    ids=["no-states", "too-few", "no-argument", "no-truth", "error", "shape"],
)
def test_an_oracle_without_the_states_is_refused(old, new, words, tmp_path):
    """The message names the launch, and the array whose values are missing or wrong."""
    assignment = three_kernels(tmp_path, oracle=ORACLE.replace(old, new, 1))
    with pytest.raises(SolutionError, match=words):
        trial_of(assignment, alone="scanSums")


def test_an_argument_without_values_is_refused(tmp_path):
    """Each array of the launch has data, or some launch so far makes its values."""
    buffers = {**FIELDS["buffers"], "other": {"type": "int", "shape": ["n"], "role": "scratch"}}
    launches = [*LAUNCHES[:2], {**LAUNCHES[2], "args": ["data", "other", "n"]}]
    assignment = three_kernels(tmp_path, buffers=buffers, launches=launches)
    with pytest.raises(SolutionError, match="gives no values for other, which addOffsets needs in launch 3"):
        trial_of(assignment)


def test_an_array_that_only_check_can_judge_is_refused(tmp_path):
    """A kernel cannot run alone if it changes an array with the rule `judge`."""
    sums = {**FIELDS["buffers"]["sums"], "tolerance": {"rule": "judge"}}
    assignment = three_kernels(tmp_path, buffers={**FIELDS["buffers"], "sums": sums})
    with pytest.raises(SolutionError, match="gives sums, which only `check` can judge"):
        trial_of(assignment)
