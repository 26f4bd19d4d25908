"""choices.py: statements in students' comments are followed, and statements that cannot be followed are refused."""

import pytest
from courses import ADDITION, course_of
from samples import DEVICE
from submission_texts import submitted

from grader.course.assignment import Assignment
from grader.course.submissions.scan import scan
from grader.grading.checks.compilation.choices import chosen, unfit_sizes
from grader.grading.explain.problem import Problem

DEVICE = DEVICE.model_copy(update={"max_work_group": 1024})
STATED = "// grader: global = ceil_to(n, 128)\n// grader: local = 128\n"


@pytest.fixture(scope="module")
def open_assignment(tmp_path_factory):
    """Return an assignment that leaves GROUP and the launch sizes to students."""
    choices = {"constants": {"GROUP": [32, 64, 128]}, "launches": ["add"]}
    return course_of(tmp_path_factory.mktemp("open"), {**ADDITION, "choices": choices}).load("small")


def choose(assignment, source):
    return chosen(assignment, submitted(source))


def refusal(assignment, source):
    """Return the message about a file with statements that cannot be followed at all, or not on this device."""
    found = choose(assignment, source)
    problem = unfit_sizes(found, DEVICE) if isinstance(found, Assignment) else found
    assert isinstance(problem, Problem)
    assert problem.reason == "LAUNCH_SIZES"
    return problem.message


def test_statements_are_read_from_every_kind_of_comment():
    """Statements are read from every kind of comment, together with their lines. They are not read from code."""
    source = "// grader: TILE = 16\n/* grader: global = n, m\n * grader: add local = 8, 4 */\nint grader; // TILE = 3\n"
    assert [(each.line, each.kernel, each.what, each.value) for each in scan(source).statements] == [
        (1, None, "TILE", "16"),
        (2, None, "global", "n, m"),
        (3, "add", "local", "8, 4"),
    ]


def test_what_is_stated_is_built_and_launched_with(open_assignment):
    """The program is built with the stated constants and launched with the stated sizes. Division in a statement is C's
    integer division.
    """
    stated = "// grader: GROUP = 32\n// grader: global = (n + 4*GROUP - 1) / (4*GROUP) * (4*GROUP)\n"
    found = choose(open_assignment, stated + "// grader: add local = 4*GROUP\n")
    assert found.constants["GROUP"] == 32
    (launch,) = found.launches
    assert found.items(launch, launch.global_size, {"n": 1000}) == (1024,)
    assert found.items(launch, launch.local_size, {"n": 1000}) == (128,)
    assert unfit_sizes(found, DEVICE) is None


def test_a_constant_that_is_not_stated_is_the_assignments(open_assignment):
    """If a constant is not stated, the assignment's value is used. Sizes have no default value, so a file without them
    is refused.
    """
    assert choose(open_assignment, STATED).constants["GROUP"] == 64
    assert "you must state the global size of add" in refusal(open_assignment, "// grader: local = 64\n")


def test_a_file_for_another_assignment_is_asked_about(open_assignment):
    """If a file states no sizes and does not contain the kernel's name, help asks if it is for another assignment. A
    file with the kernel gets no such help.
    """
    other = choose(open_assignment, "__kernel void multiply(__global float *x) {}\n")
    own = choose(open_assignment, "__kernel void add(__global float *x) {}\n")
    assert other.help == "The file contains no kernel named add. Is it for another assignment?"
    assert (own.reason, own.help) == ("LAUNCH_SIZES", "")


def test_where_nothing_is_left_to_students_comments_are_comments(product):
    """If an assignment does not leave any choices to students, statements are ordinary comments. Files that were
    written for another assignment therefore stay valid.
    """
    assert choose(product, "// grader: TILE = 3\n") is product


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("// grader: GROUP = 48\n" + STATED, "line 1 states GROUP = 48; it may be 32, 64 or 128."),
        ("// grader: RT = 8\n" + STATED, "line 1 states RT, which is not yours to choose: you may state GROUP"),
        ("// grader: global = n\n// grader: local = 64\n", "not a multiple of the group size 64: round up"),
        ("// grader: global = 4096\n// grader: local = 2048\n", "runs groups of at most 1,024"),
        ("// grader: global = 64, 2\n// grader: local = 64\n", "2 dimensions in `global` and 1 in `local`"),
        ("// grader: global = 1, 1, 1, 1\n// grader: local = 1, 1, 1, 1\n", "give one to three sizes"),
        ("// grader: global =\n// grader: local = 1\n", "give one to three sizes"),
        ("// grader: global = n - n\n// grader: local = 1\n", "would have 0 work-items"),
        ("// grader: global = width\n// grader: local = 1\n", "'width' is not defined"),
        ("// grader: global = n / 0\n// grader: local = 1\n", "by zero"),
        ("// grader: global = " + "*".join(["999999999"] * 9) + "\n// grader: local = 1\n", "far more than can be run"),
    ],
)
def test_what_cannot_be_followed_is_told_with_its_reason(open_assignment, source, words):
    """The message about a refused statement names its line or its sizes, what is wrong, and what is allowed."""
    assert words in refusal(open_assignment, source)


@pytest.mark.parametrize(
    "expression",
    [
        "9**9**9**9",
        "n**n**n**n**n",
        "().__class__.__bases__[0].__subclasses__()",
        "__import__('os').system('id')",
        "'a'*10**9",
        "[i for i in range(10**9)]",
        "open('/etc/passwd')",
        "n.real",
        "(" * 90 + "1" + ")" * 9,
        "min()",
        "ceil_to(n, 0)",
        "ceil_to",
        "real",
        "١٢٨",
        "1 if n else 2",
        "n" + "+n" * 200,
        "1e9",
        "1 << 9999",
        "lambda: 1",
        "max(n, n, n) or 5",
    ],
)
def test_a_statement_is_arithmetic_or_nothing(open_assignment, expression):
    """Only bounded arithmetic is accepted in a statement. The judge evaluates statements, so none of them may run code,
    use much memory or take long.
    """
    refusal(open_assignment, f"// grader: global = {expression}\n// grader: local = 1\n")
