"""archive.py: the archive has all files that count, and its files for students contain nothing hidden."""

import json

import pytest
from exported_files import export, stamped, unzipped
from hidden_parts import SECRET, failing, hiding_course, right
from services import Service

from grader.service.exports.jobs import ExportKind


def test_the_archive_has_sources_and_reports(service):
    """The archive contains the sources and the reports that students see. No file name in it leads out of
    its folder.
    """
    mallory = service.person("../../m", "student")
    attempt = service.hand_in(person=mallory, data=b"// \xff kernel\n")
    service.graded(attempt, stamped(service, failing(right(service.course.load("small")), 1)))
    files = unzipped(export(service, ExportKind.ARCHIVE))
    assert not any(".." in name.split("/") or name.startswith("/") for name in files)
    (source,) = [name for name in files if name.startswith("sources/")]
    assert files[source] == b"// \xff kernel\n"
    student = source.removeprefix("sources/").removesuffix("small.cl")
    made = {name.removeprefix(f"students/{student}") for name in files if name.startswith("students/")}
    endings = ("codequality.json", "gradescope.json", "html", "json", "sarif", "xml")
    assert made == {f"small.{ending}" for ending in endings}
    assert (
        json.loads(files[f"students/{student}small.gradescope.json"])["score"]
        == service.gradings(attempt)[0].shown_points
    )
    assert f"./students/{student}small.html" in files["index.html"].decode()
    assert {"grades.csv", "grades.xlsx", "batch.xml"} <= files.keys()


@pytest.mark.parametrize("hidden", ["case", "performance"])
def test_what_is_hidden_is_in_no_file_for_students(tmp_path, hidden):
    """Files for students do not contain anything hidden, even if the assignment has changed since. Only the
    instructor's page does.
    """
    service = Service(tmp_path, course=hiding_course(tmp_path / "course", hidden))
    whole = failing(right(service.course.load("small")), {"case": 2, "performance": 7}[hidden])
    service.graded(service.hand_in(), stamped(service, whole))
    rubric = service.course.assignments / "small" / "assignment.yaml"
    for title in ("Adding", "Subtracting"):
        rubric.write_text(rubric.read_text().replace("Adding", title))
        files = unzipped(export(service, ExportKind.ARCHIVE))
        students = {name: data for name, data in files.items() if name.startswith("students/")}
        assert len(students) == 6
        for name, data in students.items():
            assert SECRET not in data.decode(), name
        assert SECRET in files["instructor/Ada/small.html"].decode()
