"""auth.py: a form belongs to one session, and an attempt is seen only by its owners and by people who teach."""

import io

import pytest
from starlette.datastructures import FormData, UploadFile

from grader.course.submissions.submission import SIZE_LIMIT
from grader.service.db.tables.people import CourseRole
from grader.service.db.tables.submissions import ShareRow
from grader.service.errors import FieldError, NotFoundError
from grader.service.people.auth.api_tokens import TokenScope
from grader.service.web.auth import Caller, person_of, text_in, texts_in, upload_in, visible_attempt


def user(number, role=CourseRole.STUDENT):
    return Caller(id=number, key="k", name="n", role=role, token_id=1, scopes=frozenset({TokenScope.READ}))


@pytest.mark.parametrize(
    ("role", "teaches", "is_instructor"),
    [(CourseRole.STUDENT, False, False), (CourseRole.ASSISTANT, True, False), (CourseRole.INSTRUCTOR, True, True)],
)
def test_rights_follow_the_role(role, teaches, is_instructor):
    """Assistants see everything, and only instructors change the course."""
    assert (user(1, role).teaches, user(1, role).is_instructor) == (teaches, is_instructor)


def test_an_attempt_is_visible_to_its_owners_and_to_people_who_teach(service):
    """Owners and staff see an attempt. For other people, it looks like an attempt that does not exist."""
    number = service.hand_in()
    public = service.attempt(number).public
    ben = user(service.ben)
    with service.database.reading() as session:
        for seer in (user(service.ada), user(service.staff, CourseRole.ASSISTANT)):
            assert visible_attempt(session, public, seer).id == number
        for asked, seer in ((public, ben), ("none", user(service.ada)), ("none", user(service.staff))):
            with pytest.raises(NotFoundError):
                visible_attempt(session, asked, seer)
    with service.database.writing() as session:
        session.add(ShareRow(attempt_id=number, person_id=service.ben))
    with service.database.reading() as session:
        assert visible_attempt(session, public, ben).id == number
        assert person_of(session, service.ben).key == "ben"
        with pytest.raises(NotFoundError):
            person_of(session, 2**31 - 1)


def test_a_text_of_a_form_has_plain_line_ends_and_each_choice_counts_once():
    """Browsers end lines with two characters. A file in the field of a text counts as empty."""
    form = FormData(
        [("text", "a\r\nb\rc"), ("who", "ada"), ("who", "ben"), ("who", "ada"), ("file", UploadFile(io.BytesIO()))]
    )
    assert text_in(form, "text") == "a\nb\rc"
    assert [text_in(form, each) for each in ("file", "none")] == ["", ""]
    assert texts_in(form, "who") == ("ada", "ben")
    assert texts_in(form, "none") == ()


@pytest.mark.parametrize(
    ("upload", "words"),
    [
        (None, "No file was chosen. Choose one."),
        (UploadFile(io.BytesIO(), filename="", size=0), "No file was chosen. Choose one."),
        (
            UploadFile(io.BytesIO(b"x" * (SIZE_LIMIT + 1)), filename="a\x1b.cl"),
            "The file a\ufffd.cl is over 1 MiB. Choose one.",
        ),
    ],
    ids=["none", "not chosen", "large"],
)
def test_a_file_that_is_missing_or_too_large_is_a_mistake_in_its_field(upload, words):
    """The message belongs to the field of the file, and unprintable characters of the file name are replaced."""
    form = FormData([] if upload is None else [("file", upload)])
    with pytest.raises(FieldError) as caught:
        upload_in(form, "file", "Choose one.")
    assert (caught.value.field, str(caught.value)) == ("file", words)


def test_a_file_of_the_largest_size_is_read_whole():
    """A file of exactly 1 MiB is read. An empty file with a name is a chosen file."""
    for data in (b"x" * SIZE_LIMIT, b""):
        form = FormData([("file", UploadFile(io.BytesIO(data), filename="kernels.cl"))])
        assert upload_in(form, "file", "") == data
