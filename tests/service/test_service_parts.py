"""Small modules of the service, such as tables, course files, handouts, comparisons, progress notes, seeds and first
lines.
"""

import os
import re
import shutil
import time
from contextlib import closing
from dataclasses import replace
from datetime import datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from courses import course_of
from hidden_parts import failing, right
from project import ROOT
from samples import RACE
from sqlalchemy.exc import IntegrityError

from grader.common.errors import InputError
from grader.course.catalogue import Course
from grader.grading.progress import Decided
from grader.results.check import Reason, Verdict
from grader.service.course.assignments import AssignmentCache
from grader.service.course.handouts import render_handout
from grader.service.db.migrate import migrate
from grader.service.db.session import Database, sqlite_url
from grader.service.db.tables import METADATA
from grader.service.db.tables.assignments import ReleaseRow
from grader.service.db.tables.base import UtcDateTime
from grader.service.db.tables.people import PersonRow
from grader.service.errors import NotFoundError
from grader.service.serve.run import ServeRequest, first_lines, ready_database
from grader.service.serve.supervisor import StationSpec
from grader.service.station.seed import service_seed
from grader.service.submissions.diff import MAX_LINES_SHOWN, compared
from grader.service.submissions.progress import MAX_WORDS_LENGTH, in_brief, note_of


def test_the_steps_make_the_tables_that_the_code_has(service):
    """The migrations create exactly the tables of the models, and migrating again changes nothing."""
    migrate(service.database)
    with service.database._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []


def test_the_database_is_the_users_alone(tmp_path):
    """Only its owner can read the database file, because it contains submissions and grades."""
    sqlite_url(tmp_path / "data")
    assert [path.stat().st_mode & 0o077 for path in (tmp_path / "data").glob("service.sqlite")] == [0]


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    """If the data folder cannot be created, the error is an input error that mentions the option --data."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--data"):
        sqlite_url(tmp_path / "file" / "data")


def test_a_transaction_that_fails_leaves_nothing(service):
    """A failed transaction does not change any row."""

    def change_and_fail():
        with service.database.writing() as session:
            session.get_one(PersonRow, service.ada).name = "x"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_and_fail()
    assert "Ada" in service.browser("ada").get("/").text


def test_a_time_without_a_zone_is_refused():
    """A time without a zone is refused, because it is ambiguous."""
    with pytest.raises(ValueError, match="zone"):
        UtcDateTime().process_bind_param(datetime(2026, 1, 1), None)  # noqa: DTZ001


def test_the_seed_is_made_once(service):
    """The first process that asks for the seed creates it. It survives a restart."""
    first = service_seed(service.database)
    assert first == service_seed(Database(service.database.url)) != 0


def test_a_handout_that_changes_is_read_again(service):
    """A handout that has changed or was deleted is read again without a restart."""
    path = service.course.assignments / "small" / "README.md"
    path.write_text("Subtract.\n")
    os.utime(path, (1, 1))
    assert "Subtract" in service.app_state.cache.assignment("small").handout
    path.unlink()
    assert service.app_state.cache.assignment("small").handout == ""


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("[x](https://khronos.org)", 'href="https://khronos.org"'),
        ("[x](../../docs/reading-your-report.md#a)", 'href="/guide"'),
        ("[x](../other/README.md)", "<a>x</a>"),
        ("[x](#below)", 'href="#below"'),
        ("![words](http://x.example/p.png)", "words"),
        ("| a |\n|---|\n| 1 |\n", "<td>1</td>"),
    ],
)
def test_a_handout_is_markup_in_which_nothing_runs(text, markup):
    """A handout becomes HTML without active content. Links lead to other sites or to the guide, and images are replaced
    by their text.
    """
    assert markup in render_handout(text)
    assert "p.png" not in render_handout(text)


@pytest.mark.whole
def test_every_handout_of_the_course_can_be_shown(course):
    """Every handout of the course and the guide to reports can be rendered."""
    cache = AssignmentCache(course, ROOT / "docs" / "reading-your-report.md")
    assert len(cache.all()) == len(course.names())
    assert all("<h1>" in each.handout for each in cache.all())
    assert "DATA_RACE" in cache.guide()


def test_a_slip_in_an_assignment_closes_nothing(tmp_path):
    """If an assignment file becomes invalid, its last valid version is used and the error is reported. An assignment
    that was never valid is left out.
    """
    copied = course_of(tmp_path)
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    before = cache.all()
    assert cache.problems() == []
    rubric = copied.assignments / "small" / "assignment.yaml"
    right = rubric.read_text()
    rubric.write_text(right.replace("title:", "titel:"))
    assert cache.all() == before == [cache.assignment("small")]
    (problem,) = cache.problems()
    assert "titel" in problem
    fresh = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    assert fresh.all() == []
    with pytest.raises(NotFoundError):
        fresh.assignment("small")
    rubric.write_text(right)
    assert cache.problems() == []


@pytest.fixture
def reads(monkeypatch):
    """Return a list that records the name of each assignment that is read from its files."""
    found, load = [], Course.load
    monkeypatch.setattr(Course, "load", lambda course, name: (found.append(name), load(course, name))[1])
    return found


def test_an_assignment_that_cannot_be_read_is_not_tried_again_for_every_page(tmp_path, reads):
    """An unreadable assignment is read again only when one of its files or their permissions change."""
    copied = course_of(tmp_path)
    rubric = copied.assignments / "small" / "assignment.yaml"
    rubric.write_text("title: [")
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    for _ in range(3):
        assert cache.all() == []
        assert len(cache.problems()) == 1
    assert reads == ["small"]
    rubric.chmod(0o600)
    cache.problems()
    assert reads == ["small"] * 2


def test_files_are_looked_at_again_only_after_a_while(tmp_path, monkeypatch):
    """Files are checked for changes at most once a second. Otherwise, a page with 13 assignments would check a hundred
    files.
    """
    now = 100.0
    monkeypatch.setattr("grader.service.course.assignments.time.monotonic", lambda: now)
    copied = course_of(tmp_path)
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md", fresh=1.0)
    before = cache.assignment("small").handout
    (copied.assignments / "small" / "README.md").write_text("# Said now\n")
    now += 0.9
    assert cache.assignment("small").handout == before
    now += 0.1
    assert "Said now" in cache.assignment("small").handout


@pytest.mark.parametrize(
    "lacking", ["reference/small/oracle.py", "reference/small/baseline.cl", "reference/small/kernels.cl"]
)
def test_an_assignment_is_read_again_when_what_it_lacks_is_there(tmp_path, lacking):
    """An assignment with a missing reference file is read again as soon as the file exists."""
    copied = course_of(tmp_path)
    text = (tmp_path / lacking).read_text()
    (tmp_path / lacking).unlink()
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    (problem,) = cache.problems()
    assert f"{lacking} is missing" in problem
    (tmp_path / lacking).write_text(text)
    assert (cache.problems(), len(cache.all())) == ([], 1)


def test_comments_of_a_handout_are_for_whoever_writes_it():
    """Students do not see comments in a handout, such as those that `grader new` writes."""
    assert render_handout("# Title\n\n<!-- Keep the\n\nsections -->\nText <!-- x -->end\n") == render_handout(
        "# Title\n\nText end\n"
    )


def test_the_handout_that_grader_new_writes_keeps_its_headings():
    """When a comment above a heading is removed, the blank line stays, so that the heading is still rendered as one."""
    template = (ROOT / "grader" / "authoring" / "template" / "saxpy" / "assignments" / "README.md").read_text()
    headings = re.findall("^#+ ", template, re.MULTILINE)
    assert len(re.findall("<h[1-6]>", render_handout(template))) == len(headings) > 1
    assert "--&gt;" not in render_handout(template)


def test_what_changes_in_the_course_is_shown_without_a_new_start(tmp_path):
    """Changed handouts, changed policies and removed assignments take effect without a restart."""
    copied = course_of(tmp_path)
    cache = AssignmentCache(copied, ROOT / "docs" / "reading-your-report.md")
    handout = copied.assignments / "small" / "README.md"
    handout.unlink(missing_ok=True)
    assert cache.assignment("small").handout == ""
    handout.write_text("# Said now\n")
    assert "Said now" in cache.assignment("small").handout
    handout.unlink()
    assert [each.handout for each in cache.all()] == [""]
    (tmp_path / "course.yaml").write_text("attempts: {most: 7}\n")
    assert cache.assignment("small").policies.attempts.most == 7
    shutil.rmtree(copied.assignments / "small")
    course_of(tmp_path, name="other")
    assert [each.name for each in cache.all()] == ["other"]
    with pytest.raises(NotFoundError):
        cache.assignment("small")


def test_a_comparison_shows_changes_with_what_is_around_them():
    """A comparison lists removed lines before added ones, with three lines of context. Files with equal lines have no
    differences.
    """
    old = b"\n".join(b"line %d" % number for number in range(30))
    new = old.replace(b"line 15\n", b"other\nmore\n")
    kinds = [(line.kind, line.old, line.new) for line in compared(old, new)]
    assert kinds[3:6] == [("removed", 16, None), ("added", None, 16), ("added", None, 17)]
    assert len(kinds) == 9
    assert compared(old, old) == []
    assert [line.kind for line in compared(b"a\r\nb", b"a\nb\n")] == []


@pytest.mark.parametrize("unit", [b"", b"same", b"%d"], ids=["empty", "same", "different"])
def test_a_comparison_of_the_largest_files_is_quick(unit):
    """Comparing the largest files takes less than 3 s, even if their lines repeat, for which other algorithms need
    minutes.
    """
    one = b"\n".join(unit % number if b"%" in unit else unit for number in range(4999))
    other = b"\n".join(reversed(one.split(b"\n"))) + b"\nx"
    begun = time.perf_counter()
    assert compared(one, other)
    assert time.perf_counter() - begun < 3


def test_what_is_told_of_a_check_is_short_and_showable(service):
    """A progress note has a short, printable message. The whole text and the findings are only in the report."""
    check = right(service.course.load("small")).checks[1]
    note = note_of(Decided(check=check, sentence="\x1b[2J" + "x" * 5000))
    assert len(note.words) == MAX_WORDS_LENGTH
    assert "\x1b" not in note.words
    assert (note.check, note.verdict, note.reason) == (check.name, "passed", "")
    assert RACE.message not in in_brief(right(service.course.load("small"))).model_dump_json()


def test_a_check_that_was_not_run_is_shown_as_skipped(service):
    """A check that was not run is shown as skipped, both during and after grading. Programs still get its verdict
    "failed".
    """
    assignment = service.course.load("small")
    last = right(assignment).checks[-1]
    failing_last = failing(right(assignment), -1, reason=Reason.NOT_RUN)
    assert (failing_last.checks[-1].name, failing_last.checks[-1].verdict) == (last.name, Verdict.FAILED)
    for brief in (note_of(Decided(check=failing_last.checks[-1])), in_brief(failing_last).checks[-1]):
        assert (brief.verdict, brief.shown_verdict) == ("failed", "skipped")
    for brief in (note_of(Decided(check=last)), in_brief(right(assignment)).checks[-1]):
        assert brief.shown_verdict == brief.verdict == "passed"


def test_a_comparison_ends_after_so_many_lines():
    """A comparison stops after a fixed number of lines. Rendering 10,000 lines would take a second and help no one."""
    old, new = (b"".join(b"%s %d\n" % (word, number) for number in range(4000)) for word in (b"old", b"new"))
    shown = compared(old, new)
    assert len(shown) == MAX_LINES_SHOWN + 1
    assert shown[-1].kind == "more"


def test_no_message_of_the_database_holds_what_is_stored(service):
    """Database errors do not contain stored values, because an error may be logged."""
    with service.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="staff", at=service.now))
    with pytest.raises(IntegrityError) as caught, service.database.writing() as session:
        session.add(ReleaseRow(assignment="small", who="a secret", at=service.now))
    assert "a secret" not in str(caught.value)


def asked_to_serve(folder, **more):
    asked = {
        "host": "127.0.0.1",
        "port": 8001,
        "url": None,
        "stations": StationSpec(count=0, course=ROOT, settings_json=""),
    }
    return ServeRequest(database=folder, course=ROOT, guide=ROOT, **{**asked, **more})


@pytest.mark.parametrize(
    ("asked", "origin"),
    [
        ({}, "http://127.0.0.1:8001"),
        ({"host": "::1"}, "http://[::1]:8001"),
        ({"host": "localhost"}, "http://localhost:8001"),
        ({"host": "0.0.0.0", "url": "https://Grader.example.org/"}, "https://grader.example.org"),
        ({"port": 80}, "http://127.0.0.1"),
        ({"url": "https://grader.example.org:443"}, "https://grader.example.org"),
        ({"url": "https://grader.example.org:4430"}, "https://grader.example.org:4430"),
    ],
    ids=["IPv4", "IPv6", "name", "url", "usual port", "usual port of TLS", "another port"],
)
def test_browsers_go_to_the_address_that_is_listened_on_or_to_the_one_that_is_named(tmp_path, asked, origin):
    """The origin is the address on which the service listens, or --url. IPv6 addresses get brackets, and default ports
    are left out.
    """
    assert asked_to_serve(tmp_path, **asked).origin == origin


@pytest.mark.parametrize("asked", [{"host": "0.0.0.0"}, {"host": "::"}, {"url": "grader.example.org"}], ids=str)
def test_an_address_that_browsers_cannot_go_to_is_refused(tmp_path, asked):
    """An origin that browsers cannot reach is refused with a hint to --url, because visitors are redirected to the
    origin.
    """
    with pytest.raises(InputError, match="--url"):
        _ = asked_to_serve(tmp_path, **asked).origin


def test_nobody_is_given_two_sign_in_links_at_once(tmp_path):
    """Each person gets only one sign-in link at the start, even an invited person in the demo, because a second link
    would end the first.
    """
    request = asked_to_serve(tmp_path, demo=True)
    with closing(ready_database(tmp_path)) as database:
        list(first_lines(database, request))
        lines = list(first_lines(database, replace(request, invite=("student",))))
    assert [line.partition(",")[0] for line in lines[1:]] == [
        "sign in as Ada Student (student)",
        "sign in as Instructor (instructor)",
    ]
