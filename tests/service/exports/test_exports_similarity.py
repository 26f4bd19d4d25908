"""similarity.py and its page: the pool takes sources of earlier courses from files and zips, and removes them again."""

import io
import zipfile
from contextlib import suppress

import pytest
from services import post
from similar_sources import PAGE, RENAMED, SOLUTION, graded, pooled

from grader.lms.intake.reading.archive import PACKINGS
from grader.service.db.tables.assignments import PoolRow
from grader.service.errors import RefusedError
from grader.service.exports.similarity import MAX_SOURCE_BYTES, _sources


@pytest.fixture
def staff(service):
    return service.browser("staff")


@pytest.mark.whole
def test_work_of_an_earlier_course_is_found(service, staff):
    """Sources of earlier courses, which may come in a zip, are compared and can be removed again. The audit trail
    records the upload.
    """
    attempt = graded(service, SOLUTION)
    assert "No sources are similar" in staff.get(PAGE).text
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("sources/Eve/small.cl", RENAMED)
        archive.writestr("students/Eve/small.html", "<p>")
    assert pooled(staff, "earlier", packed.getvalue(), "old.zip").status_code == 303
    page = staff.get(PAGE).text
    assert "1 source of earlier courses" in page
    assert "earlier course: sources/Eve/small.cl" in page
    assert service.page_of(attempt) in page
    assert "added 1 source to the pool" in staff.get("/course/audit").text
    removal = "/course/assignments/small/pool/remove"
    assert "This removes 1 source of earlier courses." in staff.get(f"{removal}?kind=earlier").text
    assert service.page_of(attempt) in staff.get(PAGE).text
    assert post(staff, removal, f"{removal}?kind=earlier", kind="earlier").status_code == 303
    assert "No sources are similar" in staff.get(PAGE).text


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("stolen", b"kernel", "is not a kind of sources. Choose one kind"),
        ("earlier", b"", "Choose a .cl file"),
        ("earlier", b"PK\x03\x04 and no zip", "cannot be read"),
        ("earlier", b" \n", "does not contain any source"),
    ],
    ids=["kind", "none", "zip", "blank"],
)
def test_what_is_no_source_is_refused(service, staff, kind, data, words):
    """Files that are not sources are refused with the reason, and nothing is stored."""
    said = pooled(staff, kind, data, "old.cl" if data else "")
    assert said.status_code == 422
    assert words in said.text
    with service.database.reading() as session:
        assert session.query(PoolRow).count() == 0


@pytest.mark.whole
@pytest.mark.parametrize(
    "packing",
    [
        pytest.param(zipfile.ZIP_STORED, marks=pytest.mark.whole),
        zipfile.ZIP_DEFLATED,
        pytest.param(zipfile.ZIP_BZIP2, marks=pytest.mark.whole),
        pytest.param(zipfile.ZIP_LZMA, marks=pytest.mark.whole),
    ],
)
def test_a_damaged_zip_is_refused_whatever_its_compression(staff, packing):
    """A zip that was damaged by accident or on purpose is refused for every kind of compression, and never causes an
    internal error.
    """
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as archive:
        archive.writestr("old.cl", SOLUTION)
    whole = packed.getvalue()
    assert pooled(staff, "earlier", whole).status_code == (303 if packing in PACKINGS else 422)
    for at in range(4, len(whole), 7):
        damaged = whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]
        with suppress(RefusedError):
            assert list(_sources("old.zip", damaged)) is not None
    assert "cannot be read" in pooled(staff, "earlier", whole[: len(whole) // 2]).text


def test_a_zip_is_unpacked_no_further_than_is_kept(service, staff):
    """A zip is unpacked only up to the size that can be stored."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("large.cl", b"x" * 50 * 1024 * 1024)
    assert pooled(staff, "earlier", packed.getvalue()).status_code == 303
    with service.database.reading() as session:
        assert [len(row.data) for row in session.query(PoolRow)] == [MAX_SOURCE_BYTES]
