"""A handmade gradebook of students with difficult names, and short forms to make others."""

from samples import BUILD, SLOW, SPEED, UNGRADED, check, failed, result

from grader.course.submissions.handin import Student
from grader.results.gradebook import Gradebook, StudentRow, grade_of
from grader.results.verdicts import Reason

GOOD = result(BUILD, check("correctness: one"), check("correctness: two"), SPEED)
WRONG = result(
    BUILD,
    check("correctness: one"),
    failed("correctness: two", message='it <b>is</b> & "wrong".'),
    failed("correctness: three", reason=Reason.NOT_WRITTEN, message="it is not written."),
    SLOW,
)

NAMES = (
    "Ada Lovelace",
    "O'Neil, Jr., Pat",
    'Robert "Bobby" Tables',
    "Jürgen Groß",
    '=HYPERLINK("http://x")',
    "עדה לבלייס",
    "two\nlines",
    "-1+1|cmd",
    "under_score/slash",
)


def student(number, name):
    return Student(label=f"s{number}", name=name, key=str(number))


STUDENTS = tuple(student(number, name) for number, name in enumerate(NAMES, start=101))


def row(of, outcome=GOOD, **more):
    grade = grade_of(outcome)
    return StudentRow(
        student=of, assignment="coalsTransp", where=f"{of.label}/kernels.cl", grade=grade, shown=grade, **more
    )


ABSENT = StudentRow(student=student(201, "Gone"), assignment="coalsTransp")
FAULT = StudentRow(
    student=student(202, "Our Fault"),
    assignment="coalsTransp",
    where="s202/kernels.cl",
    fault=f"+{UNGRADED.fault}\nno.",
)


def gradebook(*rows):
    return Gradebook(
        shape="a folder",
        assignments=("coalsTransp",),
        titles={"coalsTransp": "Coalesced transposition"},
        maxima={"coalsTransp": 100.0},
        skeletons={"coalsTransp": ""},
        parts={"coalsTransp": ("",)},
        rows=rows,
    )


GRADED = tuple(row(each, (GOOD, WRONG)[index % 2]) for index, each in enumerate(STUDENTS))
COURSE = gradebook(*GRADED, ABSENT, FAULT)
