"""golden_comparison.py: a result is compared with expected.yaml."""

import pytest
from samples import BUILD, DEVICE, RACE, SPEED, check, failed, result, unchecked

from grader.authoring.extent import LEFT_OUT
from grader.authoring.golden_comparison import compare, differences
from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.grading.checks.correctness import unrun_cases
from grader.results.verdicts import Reason, Verdict

CASES = ("one element", "tall")


@pytest.fixture
def assignment(transposition):
    """An assignment with two memory checks and two cases. The second case is for practice."""
    first, second = transposition.correctness.cases[0], transposition.correctness.cases[8]
    assert (first.name, second.name) == CASES
    cases = (first, second.model_copy(update={"practice": True}))
    checks = transposition.memory.checks[1:3]
    return transposition.model_copy(
        update={
            "correctness": transposition.correctness.model_copy(update={"cases": cases}),
            "memory": transposition.memory.model_copy(update={"checks": checks}),
        }
    )


NAMES = {
    "one element": ("correctness: one element (height 1, width 1)", Kind.CORRECTNESS),
    "tall": ("practice: tall (height 1031, width 18)", Kind.PRACTICE),
    "sanitizer": ("sanitizer (height 53, width 90)", Kind.SANITIZER),
    "coalesced accesses": ("memory: coalesced accesses", Kind.MEMORY),
    "no traffic but the array's": ("memory: no traffic but the array's", Kind.MEMORY),
    "performance": ("performance: cpu (height 2048, width 1024)", Kind.PERFORMANCE),
}


def graded(device=DEVICE, **reasons):
    """Return a result in which each named check fails for the given reason, and in which the check named by `skip`
    could not be made.
    """
    skip = reasons.pop("skip", None)
    build = reasons.pop("build", None)
    checks = [failed("build", reason=build, kind=Kind.BUILD)] if build else [BUILD]
    for short, (name, kind) in NAMES.items():
        reason = reasons.pop(short.replace(" ", "_").replace("'", ""), None)
        if short == skip:
            checks.append(unchecked(name, kind))
        else:
            checks.append(check(name, kind=kind, verdict=Verdict.FAILED if reason else Verdict.PASSED, reason=reason))
    assert not reasons
    plain = result(*checks)
    return plain.model_copy(update={"provenance": plain.provenance.model_copy(update={"device": device})})


ALL_NOT_RUN = dict.fromkeys(
    ("sanitizer", "coalesced_accesses", "no_traffic_but_the_arrays", "performance"), Reason.NOT_RUN
)


def test_a_right_submission_passes_everything(golden, assignment):
    """A submission that is expected to be right must pass every check. Each failed check is reported as a difference,
    with its reason.
    """
    right = golden("fails: {}\nfinding: none")
    assert right.expectation.is_right
    assert right.expectation.is_timed
    assert differences(right, assignment, graded()) == ()
    told = differences(right, assignment, graded(tall=Reason.WRONG_OUTPUT, performance=Reason.TOO_SLOW))
    assert told == ("tall: WRONG_OUTPUT, must pass", "performance: TOO_SLOW, must pass")


def test_a_submission_that_does_not_build_is_told_in_one_line(golden, assignment):
    """If a submission fails to build unexpectedly, no other check is reported, because none of them can run."""
    seen = graded(build=Reason.BUILD_ERROR, one_element=Reason.NOT_RUN, sanitizer=Reason.NOT_RUN)
    told = differences(golden("fails: {one element: WRONG_OUTPUT}"), assignment, seen)
    assert told == ("build: BUILD_ERROR, must pass",)


def test_a_right_submission_of_which_something_is_found_is_told(golden, assignment):
    """A finding about a correct submission is reported as a difference, even if the check itself passes."""
    seen = result(BUILD, check("sanitizer (height 53)", kind=Kind.SANITIZER, findings=(RACE,)), SPEED)
    assert differences(golden("fails: {}\nfinding: none"), assignment, seen) == ("sanitizer: findings, must be none",)


def test_a_failed_case_stops_what_comes_after_it(golden, assignment):
    """If a case is expected to fail, the checks after it that have no entry are expected to be NOT_RUN. A practice case
    has no such effect.
    """
    wrong = golden("fails: {one element: WRONG_OUTPUT}")
    assert differences(wrong, assignment, graded(one_element=Reason.WRONG_OUTPUT, **ALL_NOT_RUN)) == ()
    assert "sanitizer: passes, must be NOT_RUN" in differences(
        wrong, assignment, graded(one_element=Reason.WRONG_OUTPUT)
    )
    practice = golden("fails: {tall: WRONG_OUTPUT}", "other")
    assert differences(practice, assignment, graded(tall=Reason.WRONG_OUTPUT)) == ()


def test_a_failed_build_stops_everything(golden, assignment):
    """If the build is expected to fail, every other check is expected to be NOT_RUN."""
    broken = golden("fails: {build: BUILD_ERROR}")
    everything = {"one_element": Reason.NOT_RUN, "tall": Reason.NOT_RUN, **ALL_NOT_RUN}
    assert differences(broken, assignment, graded(build=Reason.BUILD_ERROR, **everything)) == ()
    assert differences(broken, assignment, graded(build=Reason.FORBIDDEN, **everything)) == (
        "build: FORBIDDEN, must be BUILD_ERROR",
    )


def test_every_case_stands_for_all_and_memory_for_all_its_checks(golden, assignment):
    """In expected.yaml, `every case` means all cases and `memory` means all memory checks. If a check has a list of
    reasons, each of them is accepted.
    """
    wrong = golden("fails: {every case: [CRASH, OUT_OF_BOUNDS], sanitizer: OUT_OF_BOUNDS}")
    seen = {**ALL_NOT_RUN, "sanitizer": Reason.OUT_OF_BOUNDS}
    assert differences(wrong, assignment, graded(one_element=Reason.CRASH, tall=Reason.OUT_OF_BOUNDS, **seen)) == ()
    assert differences(wrong, assignment, graded(one_element=Reason.CRASH, tall=Reason.WRONG_OUTPUT, **seen)) == (
        "tall: WRONG_OUTPUT, must be CRASH or OUT_OF_BOUNDS",
    )
    greedy = golden("fails: {memory: EXTRA_TRAFFIC}", "other")
    both = {"coalesced_accesses": Reason.EXTRA_TRAFFIC, "no_traffic_but_the_arrays": Reason.EXTRA_TRAFFIC}
    assert differences(greedy, assignment, graded(**both)) == ()


def test_checks_of_memory_stand_by_their_names(golden, assignment):
    """An entry can name single memory checks. The other memory checks must pass, or be NOT_RUN if they require a check
    that fails.
    """
    wrong = golden("fails:\n  memory:\n    coalesced accesses: UNCOALESCED")
    both = {"coalesced_accesses": Reason.UNCOALESCED, "no_traffic_but_the_arrays": Reason.NOT_RUN}
    assert differences(wrong, assignment, graded(**both)) == ()
    assert differences(wrong, assignment, graded(no_traffic_but_the_arrays=Reason.UNCOALESCED)) == (
        "memory: no traffic but the array's: UNCOALESCED, must be NOT_RUN",
        "memory: coalesced accesses: passes, must be UNCOALESCED",
    )
    wasteful = golden("fails:\n  memory:\n    no traffic but the array's: EXTRA_TRAFFIC", "other")
    assert differences(wasteful, assignment, graded(no_traffic_but_the_arrays=Reason.EXTRA_TRAFFIC)) == ()


def test_memory_behaviour_of_a_wrong_kernel_may_count(golden, assignment):
    """The memory checks of a wrong kernel may pass or be NOT_RUN without an entry. Any other outcome needs one."""
    wrong = golden("fails: {one element: WRONG_OUTPUT}")
    seen = {"one_element": Reason.WRONG_OUTPUT, "sanitizer": Reason.NOT_RUN, "performance": Reason.NOT_RUN}
    assert differences(wrong, assignment, graded(**seen)) == ()
    assert differences(wrong, assignment, graded(**seen, coalesced_accesses=Reason.NOT_RUN)) == ()
    assert differences(wrong, assignment, graded(**seen, coalesced_accesses=Reason.UNCOALESCED)) == (
        "memory: coalesced accesses: UNCOALESCED, must pass",
    )


def test_speed_is_asked_for_by_the_class_of_the_device(golden, assignment):
    """The expected outcome of the speed check can depend on the class of the device: a kernel may be too slow on a GPU
    and pass on a CPU.
    """
    naive = golden("fails: {performance: {cpu: passed, gpu: TOO_SLOW}}")
    assert naive.expectation.is_timed
    gpu = DEVICE.model_copy(update={"type": "gpu"})
    assert differences(naive, assignment, graded()) == ()
    assert differences(naive, assignment, graded(gpu, performance=Reason.TOO_SLOW)) == ()
    assert differences(naive, assignment, graded(performance=Reason.TOO_SLOW)) == ("performance: TOO_SLOW, must pass",)
    assert differences(naive, assignment, graded(gpu)) == ("performance: passes, must be TOO_SLOW",)


def test_the_speed_of_a_wrong_submission_is_no_question(golden, assignment):
    """The speed of a wrong submission is compared only if expected.yaml has an entry for it."""
    wrong = golden("fails: {memory: {coalesced accesses: UNCOALESCED}}")
    assert not wrong.expectation.is_timed
    both = {"coalesced_accesses": Reason.UNCOALESCED, "no_traffic_but_the_arrays": Reason.NOT_RUN}
    assert differences(wrong, assignment, graded(**both, performance=Reason.TOO_SLOW)) == ()


def test_what_could_not_be_checked_is_not_asked_for(golden, assignment):
    """If a check could not be made, for example without a simulator, neither the check nor its expected cause is
    compared.
    """
    racy = golden("fails: {sanitizer: DATA_RACE}\ncause: {reason: DATA_RACE, line: [1, 2]}")
    assert differences(racy, assignment, graded(skip="sanitizer")) == ()


def test_of_a_race_only_the_simulators_word_counts(golden, assignment):
    """For a data race, only the simulator's result is compared, because results on a device are random. `luck` lists
    further cases whose results are random.
    """
    racy = golden("fails: {sanitizer: DATA_RACE}\ncause: {reason: DATA_RACE, line: 1}")
    assert racy.expectation.is_luck
    seen = graded(sanitizer=Reason.DATA_RACE, tall=Reason.WRONG_OUTPUT)
    assert compare(racy.expectation, assignment, seen).differences == ()
    lucky = golden("fails: {one element: WRONG_OUTPUT}\nluck: [tall]", "other")
    for reason in (None, Reason.WRONG_OUTPUT):
        seen = graded(one_element=Reason.WRONG_OUTPUT, tall=reason, **ALL_NOT_RUN)
        assert differences(lucky, assignment, seen) == ()


def test_a_sanitizer_that_finds_nothing_may_be_left_out_if_luck_decides_a_case(golden, assignment):
    """If a device gives wrong results where they depend on luck, the sanitizer check is NOT_RUN if the simulator finds
    nothing. An expectation that does not list it holds on devices with and without luck.
    """
    lucky = golden("fails: {}\nluck: [tall]")
    nothing = failed("sanitizer (height 53)", reason=Reason.NOT_RUN, kind=Kind.SANITIZER)
    assert differences(lucky, assignment, result(BUILD, failed("tall"), nothing, SPEED)) == ()
    assert differences(lucky, assignment, result(BUILD, check("tall"), SPEED)) == ()
    racy = failed("sanitizer (height 53)", reason=Reason.DATA_RACE, kind=Kind.SANITIZER)
    assert len(differences(lucky, assignment, result(BUILD, failed("tall"), racy, SPEED))) == 1


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        ("reason: DATA_RACE, line: [13, 17]", []),
        ("reason: DATA_RACE, line: [13, 16, 17], says: no barrier", []),
        ("reason: DATA_RACE, line: [13, 20]", ["names the lines 13 and 17, must name 13 or 20"]),
        ("reason: DATA_RACE, says: turned round", ['does not say "turned round"']),
        ("reason: OUT_OF_BOUNDS, line: 13", ["the first cause is DATA_RACE, must be OUT_OF_BOUNDS"]),
    ],
)
def test_the_first_explanation_is_held_against_the_cause(golden, assignment, cause, told):
    """The first explanation must have the reason and the line of the expected cause (for a race, both lines), and the
    explanation or a finding must contain the expected words.
    """
    racy = golden(f"fails: {{sanitizer: DATA_RACE}}\ncause: {{{cause}}}")
    found = failed("sanitizer (height 53)", reason=Reason.DATA_RACE, kind=Kind.SANITIZER, findings=(RACE,))
    said = differences(racy, assignment, result(BUILD, found, SPEED))
    assert len(said) == len(told)
    assert all(words in line for words, line in zip(told, said, strict=True))


@pytest.mark.parametrize(("stride", "holds"), [("4*width", True), ("[8, 4*width]", True), ("4*height", False)])
def test_a_stride_is_an_expression_over_the_sizes_that_are_counted(golden, assignment, stride, holds):
    """The stride of a cause is the number of bytes between the accesses of neighbouring work-items. It is an expression
    over the sizes of the simulated run.
    """
    assert assignment.memory.sizes == {"height": 128, "width": 192}
    wrong = golden(
        f"fails: {{memory: {{coalesced accesses: UNCOALESCED}}}}\ncause: {{reason: UNCOALESCED, stride: {stride}}}"
    )
    message = "line 3 reads A with neighbouring work-items 768 bytes apart."
    seen = failed("memory: coalesced accesses", reason=Reason.UNCOALESCED, kind=Kind.MEMORY, message=message)
    uncounted = failed("memory: no traffic but the array's", reason=Reason.NOT_RUN, kind=Kind.MEMORY, message="")
    said = differences(wrong, assignment, result(BUILD, seen, uncounted, SPEED))
    assert (said == ()) is holds


@pytest.mark.parametrize(
    ("cause", "told"), [("UNCOALESCED", ["the first cause is DATA_RACE, must be UNCOALESCED"]), ("TOO_SLOW", [])]
)
def test_a_quick_validation_compares_every_cause_but_speed(golden, assignment, cause, told):
    """A quick validation compares the expected cause with the first explanation, unless the cause is one that only
    timed rounds can find.
    """
    fails = {"UNCOALESCED": "{sanitizer: DATA_RACE}", "TOO_SLOW": "{sanitizer: DATA_RACE, performance: TOO_SLOW}"}
    wrong = golden(f"fails: {fails[cause]}\ncause: {{reason: {cause}}}")
    seen = graded(sanitizer=Reason.DATA_RACE)
    checks = [LEFT_OUT.mark(each) if each.kind is Kind.PERFORMANCE else each for each in seen.checks]
    assert list(differences(wrong, assignment, replace(seen, checks=tuple(checks)))) == told


@pytest.mark.parametrize("fails", ["{build: BUILD_ERROR}", "{every case: WRONG_OUTPUT}"])
def test_what_an_assignment_does_not_check_cannot_be_left_out(golden, assignment, fails):
    """If an assignment has no speed, sanitizer or memory section, the expectation does not include these checks."""
    asked = replace(assignment, performance=None, sanitizer=None, memory=None)
    wrong = golden(f"fails: {fails}")
    build = failed("build", reason=Reason.BUILD_ERROR, kind=Kind.BUILD) if "build" in fails else BUILD
    reason = Reason.NOT_RUN if "build" in fails else Reason.WRONG_OUTPUT
    cases = unrun_cases(asked, asked.correctness.cases)
    seen = [failed(case.name, kind=case.kind, reason=reason) for case in cases]
    assert differences(wrong, asked, result(build, *seen)) == ()


def test_a_missing_part_of_a_result_is_a_difference(golden, assignment):
    """If an explanation is missing because grader or oracle.py failed, the difference quotes the error, so that an
    author does not miss a fault in oracle.py.
    """
    fault = Fault(lost="the explanation", traceback="Traceback:\n  ...\nSolutionError: gap has the shape (299,).\n")
    wrong = golden("fails: {tall: WRONG_OUTPUT}")
    said = differences(wrong, assignment, result(BUILD, failed("tall", faults=(fault,)), SPEED))
    assert "the explanation is missing: SolutionError: gap has the shape (299,)." in said
