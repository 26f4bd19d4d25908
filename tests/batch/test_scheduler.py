"""scheduler.py: each grading is tried the right number of times, and a failure does not stop the others."""

from concurrent.futures import Future

import pytest
from fake_workforce import FACILITIES, GOOD, ORDERS, UNTIMED, FakeWorkforce, handin, intake, outcome_of, plan_of, silent
from samples import BUILD, SLOW, failed, result

from grader.batch.scheduler import ATTEMPTS, MOST_FAILING, choose, grade_all, make_plan, missing
from grader.batch.station import MissingSpeeds, WholeGrading
from grader.batch.store import Store
from grader.common.errors import InputError, InterruptedGradingError, NoiseError, WorkerError
from grader.results.result import Ungraded
from grader.results.verdicts import Reason

FILES = (handin("anna"), handin("bob", b"wrong"), handin("carol", b"slow"), handin("dora"))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def fault(words):
    return Ungraded(assignment="coalsTransp", submission="kernels.cl", fault=words)


def test_the_same_bytes_are_one_grading(transposition):
    """Identical files for one assignment are graded once. The plan lists their students in the order of the intake."""
    plan = plan_of([transposition], handin("anna"), handin("bob", b"other"), handin("carol"))
    assert [[each.student.label for each in item.handins] for item in plan.items.values()] == [
        ["anna", "carol"],
        ["bob"],
    ]
    assert [item.name for item in plan.items.values()] == ["anna and 1 more: coalsTransp", "bob: coalsTransp"]


def test_the_same_bytes_for_two_assignments_are_two_gradings(transposition, product):
    """A file that is handed in for two assignments is graded twice."""
    plan = plan_of([transposition, product], handin("anna"), handin("anna", assignment="blockMMM"))
    assert [item.bundle.name for item in plan.items.values()] == ["coalsTransp", "blockMMM"]


def test_a_job_holds_all_that_a_station_needs(transposition):
    """A job contains the file's bytes, the assignment, the settings and a seed.

    Seeds differ between gradings, and a second run has the seeds of the first.
    """
    plans = [plan_of([transposition], handin("anna"), handin("bob", b"other")) for _ in range(2)]
    first, second = ([plan.job(item) for item in plan.items.values()] for plan in plans)
    assert first == second
    assert first[0].seed != first[1].seed
    assert plan_of([transposition], handin("anna"), seed=8).job(next(iter(plans[0].items.values()))).seed not in {
        job.seed for job in first
    }
    assert (first[1].data, first[1].settings_json, first[1].facilities) == (b"other", ORDERS, FACILITIES)


def test_only_what_is_missing_is_graded(transposition, store):
    """A second run grades nothing, and a third run with one more file grades only that file."""
    files = [handin("anna"), handin("bob", b"other")]
    for found, graded in ((files, 2), (files, 0), ([*files, handin("carol", b"third")], 1)):
        workforce = FakeWorkforce()
        assert grade_all(missing(plan_of([transposition], *found), store).plan, workforce, store, silent) == {}
        assert len(workforce.grading_jobs) == graded
    assert all(store.load(key).source for key in plan_of([transposition], *files).items)


def test_what_is_under_way_never_exceeds_the_capacity(transposition, store):
    """The number of running gradings never exceeds the capacity of the workforce.

    Memory use therefore does not grow with the course, and the table shows only gradings that really run.
    """
    most, under_way = 0, set()

    def listen(event):
        nonlocal most
        if event is not None:
            (under_way.add if event.what == "begun" else under_way.discard)(event.item.key)
        most = max(most, len(under_way))

    plan = plan_of([transposition], *(handin(f"s{number}", b"%d" % number) for number in range(10)))
    grade_all(plan, FakeWorkforce(capacity=3), store, listen)
    assert most == 3


@pytest.mark.parametrize(
    "trouble",
    [fault("too noisy."), WorkerError("it died."), RuntimeError("KilledWorker"), NoiseError("too noisy.")],
    ids=["ungraded", "its station died", "an error of the cluster", "raised"],
)
def test_a_fault_of_ours_is_tried_again_and_the_others_go_on(transposition, store, trouble):
    """A grading that fails because of the grader is tried twice more, while the other gradings continue."""
    plan = plan_of([transposition], handin("anna", b"unlucky"), handin("bob"))
    workforce = FakeWorkforce(answers={b"unlucky": [trouble, trouble]})
    events = []
    assert grade_all(plan, workforce, store, events.append) == {}
    assert [job.data for job in workforce.grading_jobs].count(b"unlucky") == 3
    told = [(event.what, event.attempt) for event in events if event and event.item.name.startswith("anna")]
    assert told == [("begun", 1), ("retried", 1), ("begun", 2), ("retried", 2), ("begun", 3), ("graded", 3)]
    assert all(map(store.holds, plan.items))


def test_what_fails_every_time_is_given_up_with_the_last_reason(transposition, store):
    """After three failures, a grading is given up with the last reason and no grade. The next run tries again."""
    plan = plan_of([transposition], handin("anna", b"unlucky"), handin("bob"))
    turns = [fault(f"reason {number}.") for number in range(1, ATTEMPTS + 1)]
    events = []
    faults = grade_all(plan, FakeWorkforce(answers={b"unlucky": turns}), store, events.append)
    (unlucky,) = (key for key, item in plan.items.items() if item.handins[0].data == b"unlucky")
    assert faults == {unlucky: "reason 3."}
    assert [event.fault for event in events if event and event.what == "given up"] == ["reason 3."]
    assert not store.holds(unlucky)
    assert [*missing(plan, store).plan.items] == [unlucky]


def test_a_batch_ends_if_many_gradings_fail_one_after_the_other(transposition, store):
    """If the device stops working, each grading waits for time limits. Then the rest is not tried, and the next run
    continues. Results before that are kept.
    """
    names = [f"s{number}" for number in range(40)]
    plan = plan_of([transposition], *(handin(name, name.encode()) for name in names))
    broken = {name.encode(): [fault("no device.")] * ATTEMPTS for name in names[10:]}
    workforce = FakeWorkforce(capacity=2, answers=broken)
    faults = grade_all(plan, workforce, store, silent)
    tried = {job.data for job in workforce.grading_jobs}
    assert len(tried) <= 10 + MOST_FAILING + 2 * workforce.capacity
    assert len(faults) == 30
    untried = "not tried again, because 8 gradings failed one after the other. The last one: no device."
    assert list(faults.values()).count(untried) >= 30 - MOST_FAILING - 2 * workforce.capacity
    assert len(missing(plan, store).plan.items) == 30


def test_gradings_that_fail_among_others_do_not_end_a_batch(transposition, store):
    """If many gradings fail, but others succeed in between, all are tried three times."""
    names = [f"s{number}" for number in range(40)]
    plan = plan_of([transposition], *(handin(name, name.encode()) for name in names))
    broken = {name.encode(): [fault("it died.")] * 2 for name in names[::2]}
    workforce = FakeWorkforce(capacity=2, answers=broken)
    assert grade_all(plan, workforce, store, silent) == {}
    assert len(workforce.grading_jobs) == 20 + 3 * 20


def untimed(transposition, reason=Reason.NOT_MEASURED):
    """Return a result for the assignment whose speed was not measured."""
    provenance = UNTIMED.provenance.model_copy(update={"assignment_sha256": transposition.sha256})
    *others, speed = UNTIMED.checks
    checks = (*others, speed.model_copy(update={"reason": reason}))
    return UNTIMED.model_copy(update={"provenance": provenance, "checks": checks})


@pytest.mark.parametrize("reason", [Reason.NOT_MEASURED, Reason.INTERFERENCE])
def test_what_was_too_noisy_to_time_is_timed_again_alone(transposition, store, reason):
    """Timings that were too noisy are repeated one at a time, after all other gradings.

    The job contains the earlier result, so only the timing runs again.
    """
    noisy, under_way, beside = untimed(transposition, reason), set(), []

    def listen(event):
        if event is not None and event.what == "begun":
            under_way.add(event.item.key)
            beside.append((event.attempt, len(under_way)))
        elif event is not None:
            under_way.discard(event.item.key)

    files = [
        handin("anna", b"0"),
        handin("bob", b"1"),
        *(handin(f"s{number}", b"%d" % number) for number in range(2, 8)),
    ]
    plan = plan_of([transposition], *files)
    workforce = FakeWorkforce(capacity=3, answers={b"0": [noisy, noisy], b"1": [noisy]})
    assert grade_all(plan, workforce, store, listen) == {}
    assert [job.data for job in workforce.grading_jobs[8:]] == [b"0", b"1", b"0"]
    assert [job.work for job in workforce.grading_jobs] == [*8 * [WholeGrading()], *3 * [MissingSpeeds(result=noisy)]]
    assert [number for attempt, number in beside if attempt > 1] == [1, 1, 1]
    assert all(store.load(key).checks == GOOD.checks for key in plan.items)
    assert not missing(plan, store).plan.items


def test_a_machine_that_stays_noisy_costs_no_result(transposition, store):
    """If a speed cannot be measured in any attempt, the result without it is kept, even if one attempt ended with a
    fault.

    The next run tries again.
    """
    noisy = untimed(transposition)
    plan = plan_of([transposition], handin("anna", b"unlucky"), handin("bob"))
    workforce = FakeWorkforce(answers={b"unlucky": [noisy, fault("the engine has gone."), noisy]})
    events = []
    assert grade_all(plan, workforce, store, events.append) == {}
    told = [(event.what, event.attempt) for event in events if event and event.item.name.startswith("anna")]
    assert told == [("begun", 1), ("retried", 1), ("begun", 2), ("retried", 2), ("begun", 3), ("graded", 3)]
    (unlucky,) = missing(plan, store).plan.items
    assert store.load(unlucky) == noisy
    once_more = FakeWorkforce(answers={b"unlucky": [noisy] * ATTEMPTS})
    assert grade_all(missing(plan, store).plan, once_more, store, silent) == {}
    assert [job.work for job in once_more.grading_jobs] == [MissingSpeeds(result=noisy)] * ATTEMPTS


def test_an_error_of_a_cluster_is_told_on_one_showable_line(transposition, store):
    """An error message of the cluster is reduced to a single printable line."""
    plan = plan_of([transposition], handin("anna", b"unlucky"))
    workforce = FakeWorkforce(answers={b"unlucky": [RuntimeError("a\x1b[2J\nb")] * ATTEMPTS})
    (said,) = grade_all(plan, workforce, store, silent).values()
    assert "its station failed" in said
    assert said.isprintable()


def test_who_ends_the_grader_ends_the_batch_and_keeps_what_is_done(transposition, store):
    """A signal while the batch waits ends the batch, and the results stored before it are kept."""
    plan = plan_of([transposition], handin("anna"), handin("bob", b"other"), handin("carol", b"third"))
    events = []

    def listen(event):
        events.append(event)
        if event is not None and event.what == "graded":
            raise InterruptedGradingError("interrupted by SIGINT.")

    with pytest.raises(InterruptedGradingError):
        grade_all(plan, FakeWorkforce(capacity=1), store, listen)
    assert sum(map(store.holds, plan.items)) == 1


@pytest.mark.whole
def test_the_listener_is_called_now_and_then_while_nothing_happens(transposition, store):
    """The listener is also called while no grading ends, so that the clock on the screen advances."""
    grading_jobs, ticks = [], []

    class Slow(FakeWorkforce):
        def submit(self, job):
            grading_jobs.append((job, Future()))
            return grading_jobs[-1][1]

    def listen(event):
        if event is None:
            ticks.append(event)
            job, future = grading_jobs[0]
            future.set_result(outcome_of(job))

    assert grade_all(plan_of([transposition], handin("anna")), Slow(capacity=1), store, listen) == {}
    assert len(ticks) == 1


def test_a_plan_of_nothing_is_done(transposition, store):
    """A plan without gradings is done immediately."""
    plan = make_plan(intake(absent=["anna"]), (transposition,), FACILITIES, ORDERS, 7)
    assert grade_all(plan, FakeWorkforce(), store, silent) == {}


@pytest.fixture
def graded(transposition, tmp_path):
    """Stored results: the identical files of Anna and Dora passed, Bob's is wrong, and Carol's is slow."""
    plan, store = plan_of([transposition], *FILES), Store(tmp_path)
    answers = {b"wrong": [result(BUILD, failed("correctness: two (n 3)"))], b"slow": [result(BUILD, SLOW)]}
    grade_all(plan, FakeWorkforce(answers=answers, assignment_sha256=transposition.sha256), store, silent)
    return plan, store


def chosen(graded, transposition, wanted):
    plan, store = graded
    keys = choose(plan, store, {"coalsTransp": transposition}, wanted)
    return [plan.items[key].handins[0].student.label for key in keys]


@pytest.mark.parametrize(
    ("wanted", "labels"),
    [
        ("student=bob", ["bob"]),
        ("student=dora", ["anna"]),
        ("check=correctness", ["bob"]),
        ("check=correctness: two", ["bob"]),
        ("check=performance", ["carol"]),
        ("check=sanitizer", []),
        ("check=build", []),
    ],
)
def test_what_is_chosen(graded, transposition, wanted, labels):
    """A choice selects the result of a student, which may be shared by identical files, or the results that failed a
    check.
    """
    assert chosen(graded, transposition, wanted) == labels


def test_results_of_another_version_of_the_assignment_are_chosen(graded, transposition):
    """`changed=` selects results from another version of the assignment. Those of Bob and Carol have version "a", as
    all samples do.
    """
    assert chosen(graded, transposition, "changed=coalsTransp") == ["bob", "carol"]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("bob", "is not understood; write student=LABEL, check=WORDS or changed=ASSIGNMENT"),
        ("who=bob", "is not understood"),
        ("student=", "is not understood"),
        ("student=bop", "there is no student 'bop'; did you mean bob?"),
        ("changed=coalTransp", "there is no assignment 'coalTransp' in this batch; did you mean coalsTransp?"),
        ("student=o", "there is no student 'o'; did you mean bob?"),
        ("student=*", "there is no student '*'."),
    ],
)
def test_a_choice_that_can_mean_nothing_is_refused(graded, transposition, wanted, said):
    """A choice of unknown form, or with an unknown student or assignment, is refused before any result is dropped."""
    with pytest.raises(InputError) as caught:
        chosen(graded, transposition, wanted)
    assert said in str(caught.value)


def test_what_is_not_there_is_not_chosen(graded, transposition):
    """A missing result is not selected, because it will be graded anyway."""
    plan, store = graded
    for key in plan.items:
        store.drop(key)
    assert chosen(graded, transposition, "student=bob") == []
