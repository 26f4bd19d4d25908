"""similarity.py and similarity_search.py: similar sources are paired, even with sources in the pool. Attempts that a
group shares are not.
"""

import hashlib
import io
import re
import zipfile
from contextlib import suppress

import pytest
from hidden_parts import right
from services import post, visible

from grader.common.record import replace
from grader.lms.intake.reading.archive import PACKINGS
from grader.service.db.tables.assignments import PoolRow
from grader.service.db.tables.submissions import ShareRow
from grader.service.errors import RefusedError
from grader.service.exports.similarity import MAX_SOURCE_BYTES, _sources
from grader.service.station.grader import ready

LINES = "\n".join(f"    value = value * {number} + first[{number}] - second[{number} * 2];" for number in range(1, 12))
SOLUTION = f"__kernel void add(__global float *first, __global float *second)\n{{\n    float value = 0;\n{LINES}\n}}\n"
RENAMED = SOLUTION.replace("first", "mine").replace("value", "total").replace("* 7", "+ 7")
OTHER = (
    "__kernel void add() {\n" + "\n".join(f"for (int i{n} = 0; i{n} < {n}; ++i{n}) {{ }}" for n in range(9)) + "\n}\n"
)
PAGE = "/course/assignments/small/similar"


@pytest.fixture
def staff(service):
    return service.browser("staff")


def graded(service, text, person=None):
    """Return a graded attempt with this source. Its result contains the hash of the source."""
    attempt = service.hand_in(person=person, data=text.encode())
    assignment = service.course.load("small")
    whole = right(assignment)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    provenance = whole.provenance.model_copy(update={"submission_sha256": sha256})
    return service.graded(attempt, ready(replace(whole, provenance=provenance), assignment))


def pooled(staff, kind, data, name="old.cl"):
    return post(staff, "/course/assignments/small/pool/upload", kind=kind, file=(name, data))


def test_near_copies_stand_side_by_side_with_their_differences_marked(service, staff):
    """Near copies are shown in two columns with their differences marked, even if names were changed. Other solutions
    are not listed.
    """
    attempts = [graded(service, SOLUTION), graded(service, RENAMED, service.ben)]
    graded(service, OTHER, service.person("cleo", "student"))
    answer = staff.get(PAGE)
    page = answer.text
    for attempt in attempts:
        assert service.page_of(attempt) in page
    assert "Cleo" not in visible(answer)
    assert page.count("≠</td>") == 1
    assert "mine[7]" in page


def found_in(answer):
    """Return the text of each pair or group that was found."""
    return [" ".join(re.sub("<[^>]*>", "", line).split()) for line in re.findall("<li>(.*?)</li>", answer.text)]


@pytest.mark.whole
def test_identical_files_have_a_line_of_their_own(service, staff):
    """Identical files share one line, no matter how short they are. In a line of near copies, the first file represents
    all of them.
    """
    cleo, dora, eve = (service.person(key, "student") for key in ("cleo", "dora", "eve"))
    attempts = [graded(service, SOLUTION), graded(service, SOLUTION, service.ben), graded(service, RENAMED, cleo)]
    attempts += [graded(service, "__kernel void add() {}\n", person) for person in (dora, eve)]
    answer = staff.get(PAGE)
    same, short, (near, _, names) = (line.partition(": ") for line in found_in(answer))
    assert same == ("Identical files", ": ", "Ada, Ben")
    assert short == ("Identical files", ": ", "Dora, Eve")
    assert near.endswith("% alike")
    assert names == "Ada, Cleo"
    assert all(service.page_of(attempt) in answer.text for attempt in attempts)


@pytest.mark.whole
def test_the_text_of_a_source_is_text(service, staff):
    """The text of a source is escaped, so it cannot add markup."""
    for person in (service.ada, service.ben):
        graded(service, SOLUTION + f"// <script>{person}</script>\n", person)
    page = staff.get(PAGE).text
    assert "&lt;script&gt;" in page
    assert "<script>" not in page.partition("<main")[2]


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


@pytest.mark.whole
def test_what_everybody_may_use_makes_no_copies(service, staff):
    """Sources that all students may use do not count as copies, and neither does the skeleton."""
    graded(service, SOLUTION)
    graded(service, RENAMED, service.ben)
    assert pooled(staff, "allowed", SOLUTION.encode()).status_code == 303
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


@pytest.mark.whole
def test_a_group_that_hands_in_together_is_no_pair_of_copies(service, staff):
    """An attempt that a group shares is a single source, so the members are not a pair of copies."""
    shared = graded(service, SOLUTION)
    with service.database.writing() as session:
        session.add(ShareRow(attempt_id=shared, person_id=service.ben))
    page = staff.get("/course/points").text
    assert page.count(service.page_of(shared)) == 2
    assert "No sources are similar" in staff.get(PAGE).text
