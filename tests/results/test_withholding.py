"""withholding.py: the visible result does not reveal anything about hidden checks, neither directly nor indirectly."""

import copy

import pytest
from courses import KERNEL, course_of
from hidden_parts import CASES, FIELDS, HIDDEN, SECRET, changed, failing, hiding_course, right
from samples import RACE

from grader.common.optional import Fault
from grader.common.record import replace
from grader.course.rubric import Kind
from grader.grading.checks.requirements import forfeit
from grader.grading.refusal import BUILD_FAILED
from grader.results.check import Check
from grader.results.suite_results import joined
from grader.results.verdicts import Reason, Verdict
from grader.results.withholding import hidden_checks, released, shown_at_once, withheld

MESSAGE = "its outcome is shown after release."


@pytest.fixture(scope="module")
def assignment(tmp_path_factory):
    """Return a function that makes an assignment with the named parts hidden."""

    return lambda *hidden: hiding_course(tmp_path_factory.mktemp("course"), *hidden).load("small")


def test_where_nothing_is_hidden_the_result_is_itself(assignment):
    """A result without hidden checks is returned unchanged. A released result is always shown completely."""
    whole = right(assignment())
    assert withheld(whole, assignment()) is whole
    assert released(whole, assignment("case")) is whole


@pytest.mark.parametrize("name", HIDDEN)
def test_name_and_kind_of_a_hidden_check_are_shown_and_nothing_else(assignment, name):
    """A hidden check shows its name, kind and maximum, and counts as 0 points. The sum of points counts visible checks
    only.
    """
    whole = failing(right(assignment()), HIDDEN[name], findings=(RACE,))
    shown = withheld(whole, assignment(name))
    check, old = shown.checks[HIDDEN[name]], whole.checks[HIDDEN[name]]
    assert check == Check(
        name=old.name,
        kind=old.kind,
        verdict=Verdict.SKIPPED,
        reason=Reason.HIDDEN,
        points=0,
        max_points=old.max_points,
        seconds=0,
        message=MESSAGE,
    )
    assert [each.name for each in shown.checks] == [each.name for each in whole.checks]
    assert shown.points == sum(each.points for each in shown.checks)
    assert shown.max_points == whole.max_points == sum(each.max_points for each in shown.checks)
    assert shown.hidden_points == old.max_points
    assert check.shown_verdict is Verdict.HIDDEN
    assert shown.seconds == sum(each.seconds for each in shown.checks) < whole.seconds
    assert SECRET not in shown.model_dump_json()


@pytest.mark.parametrize("name", HIDDEN)
def test_all_that_is_not_hidden_is_as_it_was(assignment, name):
    """All visible checks stay unchanged, even if a visible case fails, so they do not reveal anything about the hidden
    one.
    """
    whole = failing(right(assignment()), 1)
    shown = withheld(whole, assignment(name))
    assert [number for number, (old, new) in enumerate(zip(whole.checks, shown.checks, strict=True)) if old != new] == [
        HIDDEN[name]
    ]
    assert shown.profiles == ({} if name == "memory" else whole.profiles)


def test_counts_are_withheld_with_a_memory_check(assignment):
    """A hidden memory check also withholds the access counts, which reports would show next to source lines and in a
    roofline.
    """
    whole = right(assignment())
    assert withheld(whole, assignment("memory")).profiles == {}
    assert withheld(whole, assignment("performance")).profiles == whole.profiles


def test_what_hidden_cases_find_changes_nothing_else(assignment):
    """Two submissions that differ only in whether they pass a hidden case have byte-identical visible results."""
    hidden, passed = assignment("case"), right(assignment())
    wrong = failing(passed, HIDDEN["case"])
    wrong = changed(wrong, *enumerate(forfeit(hidden, wrong.checks))).model_copy(update={"seconds": 2.0})
    shown = withheld(passed, hidden)
    assert shown.model_dump_json() == withheld(wrong, hidden).model_dump_json()
    assert shown.checks[4:] == passed.checks[4:]
    assert (shown.points, shown.max_points, shown.hidden_points) == (19, 24, 5)
    assert wrong.points == 19
    assert shown.passed


def test_every_point_of_a_shown_check_is_there_after_the_release(assignment):
    """Points that a student has seen are never taken away. After the release, only hidden checks change the sum."""
    for place in HIDDEN:
        hidden = assignment(place)
        wrong = failing(right(assignment()), HIDDEN[place])
        after = forfeit(hidden, wrong.checks)
        assert sum(check.points for check in after) == withheld(wrong, hidden).points


def test_a_hidden_case_for_practice_keeps_nothing_else_back(assignment):
    """A hidden practice case does not withhold any other check, because no check depends on it."""
    whole = right(assignment())
    assert withheld(whole, assignment("practice")).checks[4:] == whole.checks[4:]


def test_what_does_not_build_hides_nothing(assignment):
    """A failed build is shown completely. There are no hidden points to come, because every outcome follows from it."""
    hidden = assignment("case", "memory")
    build, *rest = right(assignment()).checks
    broken = changed(
        right(assignment()),
        (0, build.model_copy(update={"verdict": Verdict.FAILED, "reason": Reason.BUILD_ERROR})),
        *((number, BUILD_FAILED.fail(check)) for number, check in enumerate(rest, start=1)),
    )
    shown = withheld(broken, hidden)
    assert shown.checks == broken.checks
    assert (shown.hidden_points, shown.first_cause) == (0, broken.checks[0])


def test_what_was_skipped_has_no_outcome_to_hide(assignment):
    """A hidden check that was skipped is shown as skipped, with the message that the simulator is missing."""
    skipped = {"verdict": Verdict.SKIPPED, "points": 0.0, "reason": Reason.NO_SIMULATOR, "message": "it is missing."}
    whole = right(assignment())
    absent = changed(whole, *((number, whole.checks[number].model_copy(update=skipped)) for number in (4, 5, 6)))
    assert withheld(absent, assignment("sanitizer", "memory", "case")).checks[4:7] == absent.checks[4:7]


@pytest.mark.parametrize("reason", [Reason.DECIDED_ELSEWHERE, Reason.NOT_MEASURED, Reason.INTERFERENCE])
def test_a_speed_that_is_left_open_is_said_however_hidden_cases_went(assignment, reason):
    """If the speed was not measured, its reason is shown for every outcome of the hidden cases, because speed is
    measured first.
    """
    left = {"verdict": Verdict.SKIPPED, "points": 0.0, "reason": reason, "message": "not here."}
    whole, hidden = right(assignment()), assignment("case")
    open_one = changed(whole, (7, whole.checks[7].model_copy(update=left)))
    wrong = failing(open_one, HIDDEN["case"])
    wrong = changed(wrong, *enumerate(forfeit(hidden, wrong.checks)))
    assert withheld(open_one, hidden).checks == withheld(wrong, hidden).checks
    assert withheld(open_one, hidden).checks[7] == open_one.checks[7]


@pytest.mark.parametrize("reason", [Reason.NOT_MEASURED, Reason.INTERFERENCE, Reason.COMPILER_FAILED])
def test_a_hidden_speed_that_is_left_open_looks_as_one_that_was_measured(assignment, reason):
    """A hidden speed does not show why its time is missing. On a busy machine, only speeds below the goal are left
    open, so the reason would reveal something.
    """
    left = {"verdict": Verdict.SKIPPED, "points": 0.0, "reason": reason, "message": "not here.", "performance": None}
    whole, hidden = right(assignment()), assignment("performance")
    open_one = changed(whole, (7, whole.checks[7].model_copy(update=left)))
    assert withheld(open_one, hidden).checks == withheld(whole, hidden).checks


def test_a_result_of_another_shape_is_never_shown(assignment):
    """A result whose checks do not match the assignment is rejected, because it could reveal hidden outcomes."""
    whole = right(assignment())
    with pytest.raises(ValueError, match="longer"):
        withheld(whole.model_copy(update={"checks": whole.checks[:2]}), assignment("case"))


def test_a_hidden_case_of_one_kernel_says_nothing_about_another(tmp_path):
    """A hidden case of one kernel in a suite does not withhold anything about the other kernels."""
    fields = copy.deepcopy(FIELDS)
    launch = fields.pop("launches")[0]
    del fields["kernel"]
    cases = [CASES[0], *({**case, "hidden": True} for case in CASES[1:])]
    fields["parts"] = [
        {"kernel": "add", "launches": [launch], "correctness": {"cases": cases}},
        {"kernel": "plus", "launches": [{**launch, "kernel": "plus"}]},
    ]
    suite = course_of(tmp_path, fields, KERNEL + KERNEL.replace("add", "plus")).load("small")
    assert hidden_checks(suite) == len(cases) - 1
    whole = joined(suite, [right(part) for part in suite.parts])
    shown = withheld(whole, suite)
    assert {check.part for check in shown.checks if check.verdict is Verdict.SKIPPED} == {"add"}
    assert list(shown.profiles) == ["add", "plus"]
    assert [check for check in shown.checks if check.part == "plus"] == [
        check for check in whole.checks if check.part == "plus"
    ]


def test_what_an_assignment_hides_is_counted(assignment):
    """The number of hidden checks includes those that the assignment hides, but not those withheld as a consequence."""
    assert [hidden_checks(assignment(*each)) for each in ((), ("case",), tuple(HIDDEN))] == [0, 1, len(HIDDEN)]


@pytest.mark.parametrize(
    ("hidden", "kept"),
    [
        ((), set()),
        (("case",), set()),
        (("practice",), {Kind.PRACTICE}),
        (("memory",), {Kind.MEMORY}),
        (("sanitizer", "performance"), {Kind.SANITIZER, Kind.PERFORMANCE}),
    ],
)
def test_what_is_shown_at_once_is_never_withheld(assignment, hidden, kept):
    """While a grading runs, it does not show any check that the report might later withhold, for any outcome of hidden
    checks.
    """
    shown = set(shown_at_once(assignment(*hidden)))
    assert set(shown_at_once(assignment())) - shown == kept
    assert len(shown_at_once(assignment())) == 1 + 3 + 1 + 2 + 1
    for place in HIDDEN.values():
        view = withheld(failing(right(assignment(*hidden)), place), assignment(*hidden))
        told = {check.kind for check in view.checks if check.verdict is Verdict.SKIPPED}
        assert not (shown - {Kind.CORRECTNESS}) & told


def test_a_fault_of_ours_is_shown_without_its_traceback(assignment):
    """A fault in grader is shown without its traceback, which may quote secrets. This includes faults in findings."""
    fault = Fault(lost="the explanation", traceback=SECRET)
    whole = right(assignment())
    unexplained = replace(RACE, fault=fault)
    whole = changed(whole, (1, replace(whole.checks[1], faults=(fault,), findings=(unexplained,))))
    for view in (withheld, released):
        shown = view(whole, assignment())
        assert shown.faults == (Fault(lost="the explanation"),)
        assert SECRET not in shown.model_dump_json()
        assert shown.points == whole.points


def test_a_fault_about_a_hidden_check_tells_nothing_of_it(assignment):
    """A fault in the explanation of a hidden check is withheld. Only failed checks have explanations, so it would
    reveal the failure.
    """
    whole = failing(right(assignment("case")), HIDDEN["case"], faults=(Fault(lost="the explanation"),))
    assert whole.faults
    assert withheld(whole, assignment("case")).faults == ()


@pytest.mark.parametrize("name", ["case", "sanitizer", "memory"])
def test_hidden_checks_of_an_assignment_without_speed_are_withheld(tmp_path, name):
    """Withholding also works for an assignment without a performance check."""
    hiding = hiding_course(tmp_path, name, performance=None).load("small")
    whole = failing(right(hiding), HIDDEN[name])
    shown = withheld(whole, hiding)
    assert [each.reason for each in shown.checks if each.reason is not None] == [Reason.HIDDEN]
    assert hidden_checks(hiding) == 1
    assert Kind.PERFORMANCE not in shown_at_once(hiding)
