"""plan.py: the plans that workers execute."""

import pytest
from samples import DEVICE
from timing_setups import with_constants

from grader.course.poison import GUARD_BYTES, INPUT_POISON, POISON
from grader.execution.assignment_plans import control_plan, reference_plan, submission_plan, timed_plan
from grader.execution.device import copy_size, peak_run
from grader.execution.plan import (
    BASELINE,
    COPY,
    NAIVE,
    PEAK,
    REFERENCE,
    STUDENT,
    SUBMISSION,
    WHOLE,
    Binding,
    Plan,
    Script,
    going_on,
    joined,
)
from grader.protocol.steps import (
    BufferArg,
    BufferSpec,
    CopyStep,
    FillStep,
    KernelStep,
    LocalArg,
    RepeatSteps,
    ScalarArg,
    UntilBelow,
)

SIZES = {"height": 33, "width": 20}


def test_a_launch_has_the_geometry_and_arguments_of_the_yaml(transposition):
    """Sizes are rounded up to whole tiles. Buffers and sizes are passed in the order of the parameters."""
    plan = submission_plan(transposition, SIZES, {"coalsTransp": Binding(name="coalsTransp", takes_local=False)})
    (step,) = plan.scripts[STUDENT].steps
    assert (step.program, step.kernel) == (SUBMISSION, "coalsTransp")
    assert (step.global_size, step.local_size) == ((32, 48), (16, 16))
    assert step.args == (
        BufferArg(buffer="A"),
        BufferArg(buffer="B"),
        ScalarArg(type="uint32", value=33),
        ScalarArg(type="uint32", value=20),
    )


def test_buffers_have_guard_bands_on_both_sides(transposition):
    """Inputs and outputs are filled with different poisons, so that poison copied from one to the other is noticed."""
    plan = submission_plan(transposition, SIZES, {})
    assert {(spec.name, spec.size, spec.guard, spec.poison) for spec in plan.buffers} == {
        ("A", 4 * 33 * 20, GUARD_BYTES, INPUT_POISON),
        ("B", 4 * 33 * 20, GUARD_BYTES, POISON),
    }


def test_a_bound_kernel_gets_its_own_name_and_local_memory(transposition):
    """A kernel under another name is launched under that name. If it declares a __local parameter, it gets
    TILE*(TILE+1) elements.
    """
    plan = submission_plan(transposition, SIZES, {"coalsTransp": Binding(name="other", takes_local=True)})
    (step,) = plan.scripts[STUDENT].steps
    assert step.kernel == "other"
    assert step.args[-1] == LocalArg(size=4 * 16 * 17)


def test_a_launch_has_the_constants_that_are_timed(transposition):
    """Larger tiles lead to larger work-groups and, if the kernel declares it, to more local memory. The model solution
    is launched in the same way.
    """
    timed = with_constants(transposition, TILE=32).timed_on("gpu")
    plan = submission_plan(timed, SIZES, {"coalsTransp": Binding(name="coalsTransp", takes_local=True)})
    (step,), (own,) = plan.scripts[STUDENT].steps, reference_plan(timed, SIZES).scripts[STUDENT].steps
    assert (step.global_size, step.local_size) == ((32, 64), (32, 32))
    assert (own.global_size, own.local_size) == ((32, 64), (32, 32))
    assert step.args[-1] == LocalArg(size=4 * 32 * 33)


def test_the_students_step_of_a_program_stands_alone(course):
    """The results of grader's own steps are uploaded, so that no kernel of grader runs in the student's worker."""
    plan = submission_plan(course.load("coalsProgrm"), SIZES, {})
    script = plan.scripts[STUDENT]
    assert [step.kernel for step in script.steps] == ["coalsProgrm"]
    assert (script.uploads, script.outputs) == (("Atr",), ("Btr",))
    assert {spec.name for spec in plan.buffers} == {"Atr", "Btr"}


@pytest.mark.whole
def test_reference_and_submission_are_timed_on_equal_terms(course):
    """The reference and the submission have identical steps, buffers and data. Only the program differs."""
    for assignment in (part for name in course.names() for part in course.load(name).parts):
        sizes = assignment.performance.classes["cpu"].sizes
        ours, theirs = reference_plan(assignment, sizes), submission_plan(assignment, sizes, {})
        assert ours.buffers == theirs.buffers
        mine, other = ours.scripts[STUDENT], theirs.scripts[STUDENT]
        assert (mine.uploads, mine.outputs) == (other.uploads, other.outputs)
        assert [each.times for each in mine.repetitions] == [each.times for each in other.repetitions]
        for step, twin in zip(mine.commands, other.commands, strict=True):
            if isinstance(step, KernelStep):
                assert step.program == REFERENCE
                assert step.model_copy(update={"program": SUBMISSION}) == twin
            else:
                assert step == twin


def test_what_is_timed_runs_all_turns(course):
    """In cases, `change` ends the iteration at convergence. In timed runs it does not, so that a submission cannot end
    them early.
    """
    assignment = course.load("jacobi").parts[0]
    sizes = assignment.performance.classes["cpu"].sizes
    (tested,) = submission_plan(assignment, sizes, {}).scripts[STUDENT].repetitions
    assert tested.until is not None
    plans = (timed_plan(assignment, sizes, {}), reference_plan(assignment, sizes), control_plan(assignment, DEVICE))
    repeats = [each for plan in plans for script in plan.scripts.values() for each in script.repetitions]
    assert {(repeat.times, repeat.until) for repeat in repeats} == {(sizes["iterations"], None)}
    assert len(repeats) == 4  # the submission, the model solution twice, and the baseline


def test_the_control_also_runs_the_whole_program_the_baseline_and_a_copy(course):
    """In the control, grader's own steps come from the assignments for which they are solutions. Its copy moves as many
    bytes as the kernel must.
    """
    assignment = course.load("coalsProgrm")
    plan = control_plan(assignment, DEVICE)
    assert set(plan.scripts) == {STUDENT, NAIVE, COPY, WHOLE}
    assert [step.program for step in plan.scripts[WHOLE].steps] == ["coalsTransp", REFERENCE, "coalsTransp"]
    assert plan.scripts[WHOLE].uploads == ("A",)
    assert plan.scripts[WHOLE].outputs == ("Atr", "Btr", "B")
    assert [step.program for step in plan.scripts[NAIVE].steps] == [BASELINE]
    assert (plan.scripts[NAIVE].uploads, plan.scripts[NAIVE].outputs) == (("A",), ("B",))
    assert {spec.size for spec in plan.buffers if "copy" in spec.name} == {copy_size(assignment, DEVICE)}


def test_no_buffer_of_an_assignment_is_called_like_one_beside_it(product):
    """Additional buffers have names that are not valid for a parameter of a kernel, so they cannot collide with an
    assignment's buffers.
    """
    beside = [spec.name for spec in control_plan(product, DEVICE).buffers if spec.name not in product.buffers]
    assert len(beside) == 3
    assert not any(name.isidentifier() for name in beside)


def test_an_assignment_without_surroundings_has_no_whole_program(transposition):
    """An assignment with a single step does not have a script for the whole program, because that would be the kernel
    itself.
    """
    assert WHOLE not in control_plan(transposition, DEVICE).scripts


def test_the_peak_rate_is_measured_where_computing_is_the_task(product, transposition):
    """The peak rate is measured with one launch of grader's own kernel, whose output has one element per work-item. It
    is not measured if a kernel only moves data.
    """
    plan = control_plan(product, DEVICE)
    (step,) = plan.scripts[PEAK].steps
    assert (step.program, step.global_size) == (PEAK, (peak_run(DEVICE).items,))
    assert {spec.name: spec.size for spec in plan.buffers}[step.args[0].buffer] == 4 * peak_run(DEVICE).items
    assert PEAK not in control_plan(transposition, DEVICE).scripts


def test_plans_that_share_a_session_share_nothing_else(transposition):
    """Plans that share a session have one script each, with the name of the plan, and separate buffers. Everything else
    is unchanged.
    """
    plans = {name: submission_plan(transposition, {"height": n, "width": 20}, {}) for name, n in (("a", 33), ("b", 7))}
    shared = joined(plans)
    assert [(spec.name, spec.size) for spec in shared.buffers] == [
        ("A of a", 4 * 33 * 20),
        ("B of a", 4 * 33 * 20),
        ("A of b", 4 * 7 * 20),
        ("B of b", 4 * 7 * 20),
    ]
    for name, plan in plans.items():
        script, (step,) = shared.scripts[name], plan.scripts[STUDENT].steps
        assert (script.uploads, script.outputs) == ((f"A of {name}",), (f"B of {name}",))
        args = (BufferArg(buffer=f"A of {name}"), BufferArg(buffer=f"B of {name}"), *step.args[2:])
        assert script.steps == (step.model_copy(update={"args": args}),)
        kept = [spec.model_copy(update={"name": f"{spec.name} of {name}"}) for spec in plan.buffers]
        assert [spec for spec in shared.buffers if spec.name.endswith(name)] == kept


@pytest.mark.parametrize(("kind", "process"), [("cpu", "new"), ("accelerator", "new"), ("gpu", "used")])
def test_sessions_go_on_in_a_process_that_kernels_cannot_reach(transposition, kind, process):
    """On a GPU, sessions share a process. On a processor, even one that its driver calls an accelerator, kernels run
    inside the process, so each session gets a new one. A session that joins several plans follows the same rule.
    """
    plan = going_on(submission_plan(transposition, SIZES, {}), DEVICE.model_copy(update={"type": kind}))
    assert plan.process == joined({"a": plan, "b": plan}).process == plan.watched("mixed").process == process
    assert plan.request({}).process == process


def test_a_copy_is_made_between_buffers_of_its_own_plan():
    """If plans are joined, a copy step gets the new names of both its buffers."""
    script = Script(steps=(CopyStep(source="s", target="t"),), uploads=(), outputs=())
    buffers = tuple(BufferSpec(name=name, size=4, guard=0, poison=0) for name in ("s", "t"))
    shared = joined({"one": Plan(buffers=buffers, scripts={COPY: script})})
    assert shared.scripts["one"].steps == (CopyStep(source="s of one", target="t of one"),)


def test_a_watched_plan_leaves_nothing_for_accidents_to_hide_in(transposition):
    """A watched plan does not have guard bands, which would hide a write past the end. Its outputs are uninitialized,
    and its inputs are read-only.
    """
    plan = submission_plan(transposition, SIZES, {})
    watched = plan.watched("mixed")
    assert watched.scripts == plan.scripts
    assert [spec.size for spec in watched.buffers] == [spec.size for spec in plan.buffers]
    assert {(spec.guard, spec.poison) for spec in watched.buffers} == {(0, None)}
    assert {spec.name: spec.read_only for spec in watched.buffers} == {"A": True, "B": False}


def test_a_watched_plan(transposition):
    """The buffers of a watched plan have neither guard bands nor poison, and the inputs are read-only."""
    plan = submission_plan(transposition, SIZES, {})
    watched = plan.watched("mixed")
    assert watched.scripts == plan.scripts
    assert [(each.name, each.size, each.guard, each.poison, each.read_only) for each in watched.buffers] == [
        ("A", 4 * 33 * 20, 0, None, True),
        ("B", 4 * 33 * 20, 0, None, False),
    ]


def test_repetitions_of_one_script():
    """Launches are listed in the order of a run, in which each repetition has its own number of iterations. A worker's
    numbers never exceed the plan. Timed runs have no tests at any depth, and renamed buffers are renamed everywhere.
    """
    step = KernelStep(program="p", kernel="k", args=(BufferArg(buffer="a"),), global_size=(1,), local_size=(1,))
    fill, test = FillStep(buffer="a", value=0), UntilBelow(buffer="a", type="float32", below=1)
    inner = RepeatSteps(times=3, steps=(step,), swap=(("a", "b"),), until=test)
    outer = RepeatSteps(times=2, steps=(fill, step, inner), until=test)
    script = Script(
        steps=(outer, step, inner), uploads=(), outputs=("a", "b"), launches=("one", "two", "three", "four")
    )
    once = ("one", "two")
    assert script.launches_of((2, 1, 3, 2)) == (*once, *once, "two", "two", "three", "four", "four")
    bounded = script.launches_of((10_000,) * 9)
    assert bounded == 2 * ("one", "two", "two", "two") + ("three", "four", "four", "four")
    assert script.launches_of(()) == (*once, "three", "four")
    assert [each.until for each in script.in_all_turns().repetitions] == [None, None, None]
    renamed = script.on_buffers(str.upper)
    assert [each.swap for each in renamed.repetitions] == [(), (("A", "B"),), (("A", "B"),)]
    assert {each.until.buffer for each in renamed.repetitions} == {"A"}
    assert [each.buffer for each in renamed.commands if isinstance(each, FillStep)] == ["A"]
