"""xlsx.py: a workbook contains texts and numbers, and never a formula."""

from exported_files import cells, export

from grader.service.exports.jobs import ExportKind


def test_a_workbook_holds_text_and_numbers_and_no_formula(service):
    """A workbook contains texts and numbers but never a formula, no matter how a student is named. A key that consists
    of digits stays a text.
    """
    for key in ("=1+1", "+2", "-3", "@x", "007"):
        service.person(key, "student")
    service.graded(service.hand_in())
    found = cells(export(service, ExportKind.WORKBOOK), 1)
    assert {found[f"B{line}"] for line in range(2, 9)} == {"=1+1", "+2", "-3", "@x", "007", "ada", "ben"}
    (line,) = [place[1:] for place, value in found.items() if value == "ada" and place[0] == "B"]
    assert found[f"C{line}"] == service.course.load("small").points
    assert all(isinstance(value, str) for place, value in found.items() if place[0] in "AB")
    long = cells(export(service, ExportKind.WORKBOOK), 2)
    assert "points" in long.values()
    assert service.course.load("small").points in long.values()
    assert cells(export(service, ExportKind.WORKBOOK), 3)["B2"] == "correctness: one (n 1)"
