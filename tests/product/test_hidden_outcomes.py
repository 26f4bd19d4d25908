"""grade.py, withholding.py, publishing.py and the service: students cannot learn the outcome of a hidden case before
the results are released.

Neither the contents nor the existence of a file or page for students depends on such an outcome. Two gradings never
take exactly the same time. Therefore, one test grades only once up to the hidden case and continues with different
outcomes, so that it can compare every byte, including times and speeds. The other tests grade from the start and
replace times and measured speeds by fixed values.
"""

import copy
import re
import shutil
from dataclasses import replace

import pytest
from courses import KERNEL, course_of
from hidden_parts import CASES, FIELDS, Batch, hiding_course
from pools import with_timeouts
from samples import PROFILE, performance
from services import Service, told
from suites import quick

from grader.cli.exit_codes import UNGRADED
from grader.cli.result_codes import exit_code
from grader.course.rubric import Kind
from grader.course.submissions.submission import parse_submission
from grader.grading import grade as grade_module
from grader.grading.grade import grade_coursework
from grader.grading.retiming import time_again
from grader.grading.settings import Settings
from grader.reports.terminal import render, summary
from grader.results.verdicts import Reason
from grader.results.withholding import released, withheld
from grader.service.people.pseudonyms import choose_pseudonym
from grader.service.station.grader import ready

pytestmark = pytest.mark.long

HIDDEN_SIZE = 1000
"""Size of the hidden case, which is called "ragged"."""

COUNTING = r"""
#define CALLS(name) \
    static __attribute__((noinline)) long call_##name(long a, long b, long c) \
    { \
        long r; \
        __asm__ volatile("mov %%rsp, %%rbx\n sub $256, %%rsp\n and $-64, %%rsp\n" \
                         "call " #name "@PLT\n mov %%rbx, %%rsp" \
                         : "=a"(r), "+D"(a), "+S"(b), "+d"(c) : \
                         : "rbx", "rcx", "r8", "r9", "r10", "r11", "memory", "cc"); \
        return r; \
    }
CALLS(getenv)
CALLS(setenv)
"""
"""Native code that leaves a note in the environment variables of its process."""

BOMB = """
static __attribute__((noinline)) long map(long size)
{
    long r;
    __asm__ volatile("mov $0x8021, %%r10d\\n mov $-1, %%r8\\n xor %%r9d, %%r9d\\n syscall"
                     : "=a"(r) : "a"(9L), "D"(0L), "S"(size), "d"(3L) : "rcx", "r8", "r9", "r10", "r11", "memory");
    return r;
}
"""
"""Native code that allocates shared memory, which a limit on private memory does not count."""

OUTCOMES = {
    "wrong": ("", "z[i] += 1;", Reason.WRONG_OUTPUT),
    "out of bounds": ("", "z[n] = 1;", Reason.OUT_OF_BOUNDS),
    "a crash": ("", "z[((size_t)n << 40) + i] = 1;", Reason.CRASH),
    "no end": ("", "while (((volatile __global const real *)x)[0] < 1e30f) z[0] += 1;", Reason.TIME_LIMIT),
    "counted": (COUNTING, 'z[i] += 1; call_setenv((long)"SEEN", (long)"1", 1);', Reason.WRONG_OUTPUT),
}
"""Outcomes of the hidden case: helper functions, the statement that runs, and the reason that the instructor sees."""

FILLING = "if (i == 0) for (int each = 0; each < 128; each++) map(64 << 20);"
MEMORY = (BOMB, FILLING, Reason.MEMORY_LIMIT)
"""An outcome that only a container can produce, because its limit on memory also counts shared memory."""


def submission(helpers="", statement="", elsewhere=""):
    """Return a kernel that runs `statement`, on one line, in the hidden case and `elsewhere` in all other cases."""
    body = f"""{{
        z[i] = x[i] + y[i];
        if (n == {HIDDEN_SIZE}) {{ {statement} }}
        else {{ {elsewhere} }}
    }}"""
    return helpers + KERNEL.replace("z[i] = x[i] + y[i];", body)


@pytest.fixture(scope="module")
def hiding(tmp_path_factory):
    """An assignment with a hidden case. It allows native code."""
    return hiding_course(tmp_path_factory.mktemp("course"), "case", allow=["asm"]).load("small")


class Shown:
    """Everything that `grader grade` and `grader batch` output for a student, as bytes by name."""

    def __init__(self, folder, assignment):
        self.batch, self.assignment = Batch(folder, "case"), assignment
        self.provenance = self.batch.whole.provenance

    def of(self, result, view=withheld):
        """Return the output with fixed times, speeds and source, and with everything that follows from them. The total
        time is kept.
        """
        same = {"source": KERNEL, "provenance": self.provenance, "submission": "kernels.cl"}
        profiles = dict.fromkeys(result.profiles, PROFILE)
        checks = tuple(map(self._timed_alike, result.checks))
        return self.exactly(result.model_copy(update={**same, "profiles": profiles, "checks": checks}), view)

    def exactly(self, result, view=withheld):
        """Return the output for the unchanged result."""
        shutil.rmtree(self.batch.folder / "out", ignore_errors=True)
        self.batch.whole = result.model_copy(update={"assignment": "small"})
        self.batch.run(view)
        shown = view(result, self.assignment)
        told = {
            "terminal": render(shown, width=100, color=True),
            "line": summary("ada", shown),
            "exit code": str(exit_code(shown)),
            **{name: self.batch.read(name) for name in ("moodle-worksheet.csv", "canvas-gradebook.csv")},
        }
        return self.batch.for_students() | {name: text.encode() for name, text in told.items()}

    def _timed_alike(self, check):
        """Replace times and speeds by fixed values. Keep the verdict, the points, the reason and the fact that speed
        was measured.
        """
        timed = {"performance": performance(), "message": "", "usage": ()} if check.performance else {}
        return check.model_copy(update={"seconds": 0.25, **timed})


def grade(coursework, source, environment, progress=lambda _: None, seed=7):
    """Return the result of a grading with short deadlines."""
    environment = quick(environment)
    environment = with_timeouts(environment, first_launch=5, launch=5)
    return grade_coursework(coursework, parse(source), seed, environment, progress)


def reasons(result, kind=Kind.CORRECTNESS):
    return [check.reason for check in result.checks if check.kind is kind]


@pytest.mark.whole
def test_what_students_get_is_the_same_to_the_byte_however_hidden_cases_went(hiding, environment, tmp_path):
    """Submissions that behave differently only in the hidden case produce identical output for students, apart from
    times and counts. The same number of checks is withheld from all of them.
    """
    shown, live = Shown(tmp_path, hiding), []
    right = grade(hiding, submission(), environment, live.append)
    assert reasons(right) == [None, None]
    decided = [str(event) for event in live if not isinstance(event, str)]
    assert decided == [
        "build",
        "correctness: one (n 1)",
        "practice: large (n 5000)",
        "sanitizer (n 70)",
        "memory: reads",
        "memory: coalesced",
        "performance: cpu (n 100000)",
    ]
    files = shown.of(right)
    assert len(files) == 12
    for name, (helpers, statement, reason) in OUTCOMES.items():
        tells = 'if (call_getenv((long)"SEEN", 0, 0)) z[i] += 1;' if helpers else ""
        told = []
        if helpers:  # no simulator runs native code, so the comparison needs a correct submission that also contains it
            right = grade(hiding, submission(helpers, statement.removeprefix("z[i] += 1;"), tells), environment)
            files = shown.of(right)
            assert reasons(right) == [None, None]
        other = grade(hiding, submission(helpers, statement, tells), environment, told.append)
        assert list(map(str, told)) == list(map(str, live)), name
        assert reasons(other) == [None, reason], name
        assert other.points == right.points - 5
        assert shown.of(other) == files, name
        assert shown.of(other, released) != files, name


@pytest.mark.whole
@pytest.mark.parametrize("name", ["wrong", "a crash", "no end"])
def test_no_byte_and_no_time_tells_how_a_hidden_case_went(hiding, environment, tmp_path, monkeypatch, name):
    """If only the hidden case of a grading is repeated, with other data, students get identical files, pages, times and
    exit codes for all outcomes. The submission makes its mistake in the hidden case only for some data, which depend on
    the seed.
    """
    _, statement, reason = OUTCOMES[name]
    source = submission(statement=f"if (x[3] > 0) {{ {statement} }}")
    drafts, begin = [], grade_module.drafts_of

    def once(tasks, *rest):
        drafts[:] = drafts or begin(tasks, *rest)
        (task,) = tasks
        return [replace(drafts[0], task=task, built=replace(drafts[0].built, task=task))]

    monkeypatch.setattr(grade_module, "drafts_of", once)
    shown, seen, points = Shown(tmp_path / "batch", hiding), [], {}
    for seed in range(7, 11):
        result = grade(hiding, source, environment, seed=seed)
        result = result.model_copy(update={"provenance": shown.provenance, "submission": "kernels.cl"})
        points[reasons(result)[1]] = result.points
        seen.append((shown.exactly(result), pages(tmp_path / f"{seed}", hiding, result)))
    assert points == {None: 24, reason: 19}
    assert len(seen[0][0]) == 12
    assert all(each == seen[0] for each in seen)
    assert shown.exactly(result, released) != seen[0][0]


def pages(folder, coursework, result):
    """Return all pages that the service shows to a student, without random names."""
    service = Service(folder, hiding_course(folder / "course", "case"))
    attempt = service.graded(service.hand_in(), ready(result, coursework))
    choose_pseudonym(service.database, service.ada, "Owl")
    ada, public = service.browser("ada"), service.attempt(attempt).public
    more = [ada.get(f"/attempts/{public}/download/junit.xml").text, ada.get("/assignments/small/leaderboard").text]
    texts = [text.replace(public, "") for text in (*told(service, attempt), *more)]
    service.database.close()
    return [re.sub(r'(name="form_(?:token|key)" value=")[^"]*', r"\1", text) for text in texts]


@pytest.mark.whole
def test_nor_do_they_differ_where_a_case_that_is_shown_fails(environment, tmp_path):
    """If a visible case fails, the output still does not depend on the hidden case. Speed is not measured then, and
    only the hidden case is withheld. This test does not use a simulator, because the simulator reports lines of the
    code, which differ between these submissions.
    """
    hiding = hiding_course(tmp_path / "plain", "case", sanitizer=None, memory=None).load("small")
    shown = Shown(tmp_path / "batch", hiding)
    fails = "if (i == 0) z[0] = 666;"
    first = None
    for helpers, statement, reason in (("", "", None), *(OUTCOMES[name] for name in ("wrong", "a crash", "no end"))):
        result = grade(hiding, submission(helpers, statement, fails), environment)
        assert reasons(result) == [Reason.WRONG_OUTPUT, reason]
        files = shown.of(result)
        first = first or files
        assert files == first
    assert b"z[0] is wrong: got 666" in first["terminal"]


@pytest.mark.whole
def test_a_container_that_is_ended_for_its_memory_does_not_show_either(worker_image, tmp_path):
    """If the operating system kills a worker for its memory use in the hidden case, the output for students does not
    change. Nothing is timed, because a batch would time again what was too noisy.
    """
    hiding = hiding_course(tmp_path / "course", "case", allow=["asm"], performance=None).load("small")
    rules = {"memory_bytes": 512 * 1024**2}
    settings = Settings(docker={"image": worker_image, "folder": tmp_path}, locks=tmp_path, limits=rules)
    shown = Shown(tmp_path / "batch", hiding)
    with settings.open_batch("docker") as environment:
        helpers, statement, _ = MEMORY
        never = f"if (x[0] > 1e30f) {{ {statement} }}"  # no simulator runs native code, so both submissions contain it
        right, other = (grade(hiding, submission(helpers, each), environment) for each in (never, statement))
    assert (reasons(right), reasons(other)) == ([None, None], [None, Reason.MEMORY_LIMIT])
    assert shown.of(other) == shown.of(right)


@pytest.mark.whole
def test_a_hidden_case_is_first_heard_of_when_all_else_is_done(environment, tmp_path, monkeypatch):
    """Hidden cases run last, after all parts of a suite, in workers that run nothing else. No case, simulated run,
    timed round or worker for grader's own kernels comes after a hidden case, so none can depend on it.
    """
    heard, workers = [], []
    start = type(environment.workers.sandbox).start

    def listening(sandbox):
        worker = start(sandbox)
        send, number = worker.send, len(workers)
        workers.append(worker)
        monkeypatch.setattr(worker, "send", lambda data: (heard.append((number, data)), send(data))[1])
        return worker

    monkeypatch.setattr(type(environment.workers.sandbox), "start", listening)
    result = grade(suite(tmp_path), submission(statement="z[i] += 1;") + KERNEL.replace("add", "plus"), environment)
    assert [check.reason for check in result.checks if check.kind is Kind.CORRECTNESS] == [
        *(None, Reason.WRONG_OUTPUT),
        *(None, None),
    ]
    assert sum(check.performance is not None for check in result.checks) == 2
    first = next(place for place, (_, data) in enumerate(heard) if b"ragged" in data)
    before, after = heard[:first], heard[first:]
    used = {number for number, data in before if b'"kind":"open"' in data}
    assert used
    assert not used & {number for number, _ in after}
    assert len({number for number, data in after if b"ragged" in data}) == 2
    assert not any(b"of one" in data for _, data in after)


def suite(folder):
    """Return a suite with two kernels, each of which has a hidden case."""
    fields = copy.deepcopy({name: value for name, value in FIELDS.items() if name not in {"sanitizer", "memory"}})
    launch = fields.pop("launches")[0]
    del fields["kernel"]
    cases = [CASES[0], {**CASES[1], "hidden": True}]
    fields["correctness"]["cases"] = cases
    fields["parts"] = [
        {"kernel": "add", "launches": [launch]},
        {"kernel": "plus", "launches": [{**launch, "kernel": "plus"}]},
    ]
    return course_of(folder, fields, KERNEL + KERNEL.replace("add", "plus")).load("small")


@pytest.mark.parametrize(
    "statement", [pytest.param("z[i] += 1;", id="wrong"), pytest.param("", id="right", marks=pytest.mark.whole)]
)
def test_a_machine_is_too_noisy_for_all_who_look_right(environment, tmp_path, monkeypatch, statement):
    """A machine that is too noisy to measure speed is reported even if a hidden case failed. Otherwise the missing
    report would reveal the failure.
    """
    assignment = hiding_course(tmp_path, "case", sanitizer=None, memory=None).load("small")
    monkeypatch.setattr("grader.grading.timing.measurement.too_noisy", lambda *_: True)
    result = grade(assignment, submission(statement=statement), environment)
    assert any(check.reason is Reason.WRONG_OUTPUT for check in result.checks) is bool(statement)
    shown = withheld(result, assignment)
    assert [(left.reason, left.checks) for left in shown.unchecked] == [(Reason.NOT_MEASURED, 1)]
    assert exit_code(shown) == UNGRADED
    monkeypatch.undo()
    again = time_again(assignment, parse(submission(statement=statement)), result, quick(environment), lambda _: None)
    assert (again.checks[:-1], again.checks[-1].points) == (result.checks[:-1], 5)
    assert withheld(again, assignment).checks[-1] == again.checks[-1]


def parse(source):
    """Return a submission with this text."""
    return parse_submission("kernels.cl", source.encode())
