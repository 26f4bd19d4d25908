"""Small modules of the service: tables, course files, handouts, comparisons, progress notes, seeds and first lines."""

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
from grader.service.db.models import Base, PersonRow, ReleaseRow, UtcDateTime
from grader.service.db.session import Database, sqlite_url
from grader.service.errors import NotFoundError
from grader.service.serve.run import ServeRequest, first_lines, ready_database
from grader.service.serve.supervisor import StationSpec
from grader.service.station.seed import service_seed
from grader.service.submissions.diff import MAX_LINES_SHOWN, compared
from grader.service.submissions.progress import MAX_WORDS_LENGTH, in_brief, note_of


def test_the_steps_make_the_tables_that_the_code_has(service):
    """The migrations create the tables that the models define, and running them again changes nothing."""
    migrate(service.database)
    with service.database._engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_the_database_is_the_users_alone(tmp_path):
    """The database file is readable by its owner only, because it contains submissions and grades."""
    sqlite_url(tmp_path / "data")
    assert [path.stat().st_mode & 0o077 for path in (tmp_path / "data").glob("service.sqlite")] == [0]


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    """A data folder that cannot be created is an input error that names the option --data."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--data"):
        sqlite_url(tmp_path / "file" / "data")


def test_a_transaction_that_fails_leaves_nothing(service):
    """A transaction that fails changes no row."""

    def change_and_fail():
        with service.database.writing() as session:
            session.get_one(PersonRow, service.ada).name = "x"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        change_and_fail()
    assert "Ada" in service.browser("ada").get("/").text


def test_a_time_without_a_zone_is_refused():
    """A time without a zone is rejected, because it is ambiguous."""
    with pytest.raises(ValueError, match="zone"):
        UtcDateTime().process_bind_param(datetime(2026, 1, 1), None)  # noqa: DTZ001


def test_the_seed_is_made_once(service):
    """The seed is created once, by the first process that asks, and survives a restart."""
    first = service_seed(service.database)
    assert first == service_seed(Database(service.database.url)) != 0


def test_a_handout_that_changes_is_read_again(service):
    """A changed or deleted handout is read again without a restart."""
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
    """A handout becomes HTML without active content. Links lead to the web or the guide; images become their text."""
    assert markup in render_handout(text)
    assert "p.png" not in render_handout(text)


def test_every_handout_of_the_course_can_be_shown(course):
    """Every handout of the course and the guide to reports can be rendered."""
    cache = AssignmentCache(course, ROOT / "docs" / "reading-your-report.md")
    assert len(cache.all()) == len(course.names())
    assert all("<h1>" in each.handout for each in cache.all())
    assert "DATA_RACE" in cache.guide()


def test_a_slip_in_an_assignment_closes_nothing(tmp_path):
    """An assignment with an error keeps its last valid version and is reported; one that was never valid is absent."""
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
    """Return the list that receives the name of each assignment read from its files."""
    found, load = [], Course.load
    monkeypatch.setattr(Course, "load", lambda course, name: (found.append(name), load(course, name))[1])
    return found


def test_an_assignment_that_cannot_be_read_is_not_tried_again_for_every_page(tmp_path, reads):
    """An unreadable assignment is read again only after one of its files, or a file's permissions, changed."""
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
    """Files are checked for changes once a second: a page of 13 assignments would otherwise check a hundred files."""
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
    """Comments in a handout, such as those that `grader new` writes, are not shown to students."""
    assert render_handout("# Title\n\n<!-- Keep the\n\nsections -->\nText <!-- x -->end\n") == render_handout(
        "# Title\n\nText end\n"
    )


def test_the_handout_that_grader_new_writes_keeps_its_headings():
    """Removing a comment above a heading keeps the blank line that makes the heading one."""
    template = (ROOT / "grader" / "authoring" / "template" / "assignments" / "README.md").read_text()
    headings = re.findall("^#+ ", template, re.MULTILINE)
    assert len(re.findall("<h[1-6]>", render_handout(template))) == len(headings) > 1
    assert "--&gt;" not in render_handout(template)


def test_what_changes_in_the_course_is_shown_without_a_new_start(tmp_path):
    """Changed handouts, course dates and removed assignments are shown without a restart."""
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
    """A comparison lists removed lines before added ones, with three lines around; equal files have no differences."""
    old = b"\n".join(b"line %d" % number for number in range(30))
    new = old.replace(b"line 15\n", b"other\nmore\n")
    kinds = [(line.kind, line.old, line.new) for line in compared(old, new)]
    assert kinds[3:6] == [("removed", 16, None), ("added", None, 16), ("added", None, 17)]
    assert len(kinds) == 9
    assert compared(old, old) == []
    assert [line.kind for line in compared(b"a\r\nb", b"a\nb\n")] == []


@pytest.mark.parametrize("unit", [b"", b"same", b"%d"], ids=["empty", "same", "different"])
def test_a_comparison_of_the_largest_files_is_quick(unit):
    """Comparing the largest files takes under 3 s; repeated lines make other algorithms take minutes."""
    one = b"\n".join(unit % number if b"%" in unit else unit for number in range(4999))
    other = b"\n".join(reversed(one.split(b"\n"))) + b"\nx"
    begun = time.perf_counter()
    assert compared(one, other)
    assert time.perf_counter() - begun < 3


def test_what_is_told_of_a_check_is_short_and_showable(service):
    """A progress note has a limited, printable message; the report has the whole text and the findings."""
    check = right(service.course.load("small")).checks[1]
    note = note_of(Decided(check=check, sentence="\x1b[2J" + "x" * 5000))
    assert len(note.words) == MAX_WORDS_LENGTH
    assert "\x1b" not in note.words
    assert (note.check, note.verdict, note.reason) == (check.name, "passed", "")
    assert RACE.message not in in_brief(right(service.course.load("small"))).model_dump_json()


def test_a_check_that_was_not_run_is_shown_as_skipped(service):
    """A check that was not run is shown as skipped during and after grading. Programs get its verdict "failed"."""
    assignment = service.course.load("small")
    last = right(assignment).checks[-1]
    failing_last = failing(right(assignment), -1, reason=Reason.NOT_RUN)
    assert (failing_last.checks[-1].name, failing_last.checks[-1].verdict) == (last.name, Verdict.FAILED)
    for brief in (note_of(Decided(check=failing_last.checks[-1])), in_brief(failing_last).checks[-1]):
        assert (brief.verdict, brief.shown_verdict) == ("failed", "skipped")
    for brief in (note_of(Decided(check=last)), in_brief(right(assignment)).checks[-1]):
        assert brief.shown_verdict == brief.verdict == "passed"


def test_a_comparison_ends_after_so_many_lines():
    """A comparison ends after a fixed number of lines: 10,000 lines take a second to render and are of no use."""
    old, new = (b"".join(b"%s %d\n" % (word, number) for number in range(4000)) for word in (b"old", b"new"))
    shown = compared(old, new)
    assert len(shown) == MAX_LINES_SHOWN + 1
    assert shown[-1].kind == "more"


def test_no_message_of_the_database_holds_what_is_stored(service):
    """A database error does not contain stored values, because it could reach a log."""
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
    """The origin is the listening address or --url; IPv6 addresses get brackets, and default ports are omitted."""
    assert asked_to_serve(tmp_path, **asked).origin == origin


@pytest.mark.parametrize("asked", [{"host": "0.0.0.0"}, {"host": "::"}, {"url": "grader.example.org"}], ids=str)
def test_an_address_that_browsers_cannot_go_to_is_refused(tmp_path, asked):
    """An origin that browsers cannot reach is rejected with a hint to --url, because visitors are redirected to it."""
    with pytest.raises(InputError, match="--url"):
        _ = asked_to_serve(tmp_path, **asked).origin


def test_nobody_is_given_two_sign_in_links_at_once(tmp_path):
    """Each person gets one sign-in link at start, even an invited person of the demo: a second would end the first."""
    request = asked_to_serve(tmp_path, demo=True)
    with closing(ready_database(tmp_path)) as database:
        list(first_lines(database, request))
        lines = list(first_lines(database, replace(request, invite=("student",))))
    assert [line.partition(",")[0] for line in lines[1:]] == [
        "sign in as Ada Student (student)",
        "sign in as Instructor (instructor)",
    ]
