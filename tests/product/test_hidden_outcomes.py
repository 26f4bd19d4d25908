"""grade.py, withholding.py and publishing.py together: nothing that students get before release hangs on how a hidden
case went, and neither does whether there is anything to get.
"""

import copy
import shutil

import pytest
from courses import KERNEL, course_of
from hiding import CASES, FIELDS, Batch, hiding_course
from suites import quick

from grader.cli.exit_codes import UNGRADED
from grader.cli.result_codes import exit_code
from grader.common.record import replace
from grader.course.submissions.submission import parse_submission
from grader.grading.grade import grade_coursework
from grader.grading.retiming import time_again
from grader.grading.settings import Settings
from grader.reports.terminal import render
from grader.results.result import Kind, Reason
from grader.results.withholding import released, withheld

HIDDEN_SIZE = 1000
"""Of the case that is hidden, "ragged"."""

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
"""Native code remembers in the environment of its process what it has seen there."""

BOMB = """
static __attribute__((noinline)) long map(long size)
{
    long r;
    __asm__ volatile("mov $0x8021, %%r10d\\n mov $-1, %%r8\\n xor %%r9d, %%r9d\\n syscall"
                     : "=a"(r) : "a"(9L), "D"(0L), "S"(size), "d"(3L) : "rcx", "r8", "r9", "r10", "r11", "memory");
    return r;
}
"""
"""Native code takes shared memory, which a limit on private memory does not count."""

OUTCOMES = {
    "wrong": ("", "z[i] += 1;", Reason.WRONG_OUTPUT),
    "out of bounds": ("", "z[n] = 1;", Reason.OUT_OF_BOUNDS),
    "a crash": ("", "z[((size_t)n << 40) + i] = 1;", Reason.CRASH),
    "no end": ("", "while (((volatile __global const real *)x)[0] < 1e30f) z[0] += 1;", Reason.TIME_LIMIT),
    "counted": (COUNTING, 'z[i] += 1; call_setenv((long)"SEEN", (long)"1", 1);', Reason.WRONG_OUTPUT),
}
"""What a submission does in the hidden case: helpers, the statement, and the reason that the instructor sees."""

FILLING = "if (i == 0) for (int each = 0; each < 128; each++) map(64 << 20);"
MEMORY = (BOMB, FILLING, Reason.MEMORY_LIMIT)
"""The same where memory is counted by the kernel: in a container."""


def submission(helpers="", statement="", elsewhere=""):
    """Right but for the hidden case, where it does this, in a line of its own; and for what it does elsewhere."""
    body = f"""{{
        z[i] = x[i] + y[i];
        if (n == {HIDDEN_SIZE}) {{ {statement} }}
        else {{ {elsewhere} }}
    }}"""
    return helpers + KERNEL.replace("z[i] = x[i] + y[i];", body)


@pytest.fixture(scope="module")
def hiding(tmp_path_factory):
    """The assignment; it allows native code."""
    return hiding_course(tmp_path_factory.mktemp("course"), "case", allow=["asm"]).load("small")


class Shown:
    """All that is made for a student of a result, as bytes by their names."""

    def __init__(self, folder, assignment):
        self.batch, self.assignment = Batch(folder, "case"), assignment
        self.provenance = self.batch.whole.provenance

    def of(self, result, view=withheld):
        """Only times of checks, the source and what comes of it are made the same; the time of the whole is not."""
        checks = tuple(check.model_copy(update={"seconds": 0.25}) for check in result.checks)
        same = {"checks": checks, "source": KERNEL, "provenance": self.provenance, "submission": "kernels.cl"}
        alike = result.model_copy(update=same)
        shutil.rmtree(self.batch.folder / "out", ignore_errors=True)
        self.batch.whole = alike.model_copy(update={"assignment": "small"})
        self.batch.run(view)
        shown = view(alike, self.assignment)
        told = {"terminal": render(shown, width=100, color=True), "exit code": str(exit_code(shown))}
        return self.batch.for_students() | {name: text.encode() for name, text in told.items()}


def grade(coursework, source, bench, progress=lambda _: None):
    """The result, with deadlines for which one can wait."""
    bench = quick(bench)
    bench = replace(bench, deadlines=replace(bench.deadlines, first_launch=5, launch=5))
    return grade_coursework(coursework, parse(source), 7, bench, progress)


def reasons(result, kind=Kind.CORRECTNESS):
    return [check.reason for check in result.checks if check.kind is kind]


@pytest.mark.whole
def test_what_students_get_is_the_same_to_the_byte_however_hidden_cases_went(hiding, bench, tmp_path):
    """Of submissions that are right elsewhere: they are timed and counted alike, and all that is kept back alike."""
    shown, live = Shown(tmp_path, hiding), []
    right = grade(hiding, submission(), bench, live.append)
    assert reasons(right) == [None, None]
    decided = [str(event) for event in live if not isinstance(event, str)]
    assert decided == ["build", "correctness: one (n 1)", "practice: large (n 5000)"]
    files = shown.of(right)
    assert len(files) == 7
    for name, (helpers, statement, reason) in OUTCOMES.items():
        tells = 'if (call_getenv((long)"SEEN", 0, 0)) z[i] += 1;' if helpers else ""
        told = []
        other = grade(hiding, submission(helpers, statement, tells), bench, told.append)
        assert list(map(str, told)) == list(map(str, live)), name
        assert reasons(other) == [None, reason], name
        assert other.points < right.points
        assert shown.of(other) == files, name
        assert shown.of(other, released) != files, name


@pytest.mark.whole
def test_nor_do_they_differ_where_a_case_that_is_shown_fails(bench, tmp_path):
    """Then nothing is timed, and no more is kept back than the hidden case.

    Without the simulator: it names the lines that a compiler made of a text, and here the texts are not the same.
    """
    hiding = hiding_course(tmp_path / "plain", "case", sanitizer=None, memory=None).load("small")
    shown = Shown(tmp_path / "batch", hiding)
    fails = "if (i == 0) z[0] = 666;"
    first = None
    for helpers, statement, reason in (("", "", None), *(OUTCOMES[name] for name in ("wrong", "a crash", "no end"))):
        result = grade(hiding, submission(helpers, statement, fails), bench)
        assert reasons(result) == [Reason.WRONG_OUTPUT, reason]
        files = shown.of(result)
        first = first or files
        assert files == first
    assert b"z is wrong" in first["terminal"]


@pytest.mark.whole
def test_a_container_that_is_ended_for_its_memory_does_not_show_either(hiding, worker_image, tmp_path):
    """There the kernel ends the worker."""
    rules = {"memory_bytes": 512 * 1024**2}
    settings = Settings(docker={"image": worker_image, "folder": tmp_path}, locks=tmp_path, limits=rules)
    shown = Shown(tmp_path / "batch", hiding)
    with settings.open_batch("docker") as bench:
        right, other = (grade(hiding, submission(*each[:2]), bench) for each in (("", ""), MEMORY))
    assert (reasons(right), reasons(other)) == ([None, None], [None, Reason.MEMORY_LIMIT])
    assert shown.of(other) == shown.of(right)


@pytest.mark.whole
def test_a_hidden_case_is_first_heard_of_when_all_else_is_done(bench, tmp_path, monkeypatch):
    """By workers that were given nothing before and are given nothing else; in a suite, those of all parts come last.

    So no case, simulated run, timed round or worker of ours comes after something that a hidden case can lead to.
    """
    heard, workers = [], []
    start = type(bench.sandbox).start

    def listening(sandbox):
        worker = start(sandbox)
        send, number = worker.send, len(workers)
        workers.append(worker)
        monkeypatch.setattr(worker, "send", lambda data: (heard.append((number, data)), send(data))[1])
        return worker

    monkeypatch.setattr(type(bench.sandbox), "start", listening)
    result = grade(suite(tmp_path), submission(statement="z[i] += 1;") + KERNEL.replace("add", "plus"), bench)
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
    """Two kernels, of each of which a case is hidden."""
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
def test_a_machine_is_too_noisy_for_all_who_look_right(bench, tmp_path, monkeypatch, statement):
    """Also for those that a hidden case finds wrong: another word about their speed would tell them that it did."""
    assignment = hiding_course(tmp_path, "case", sanitizer=None, memory=None).load("small")
    monkeypatch.setattr("grader.grading.timing.measurement.too_noisy", lambda *_: True)
    result = grade(assignment, submission(statement=statement), bench)
    assert any(check.reason is Reason.WRONG_OUTPUT for check in result.checks) is bool(statement)
    shown = withheld(result, assignment)
    assert [(left.reason, left.checks) for left in shown.unchecked] == [(Reason.NOT_MEASURED, 1)]
    assert exit_code(shown) == UNGRADED
    monkeypatch.undo()
    again = time_again(assignment, parse(submission(statement=statement)), result, quick(bench), lambda _: None)
    assert (again.checks[:-1], again.checks[-1].points) == (result.checks[:-1], 0 if statement else 5)
    assert withheld(again, assignment).checks[-1].reason is Reason.HIDDEN


def parse(source):
    """A submission of this text."""
    return parse_submission("kernels.cl", source.encode())
