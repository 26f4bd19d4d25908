"""gradebook.py: the course has the same gradebook as a batch."""

import csv
import io

from exported_files import export
from services import Service, graded

from grader.service.db.tables.people import PersonRow
from grader.service.exports.jobs import ExportKind


def test_the_table_of_grades_is_the_batchs(service):
    """The table of grades has the columns of a batch and a row for each student, even for absent ones. It lists
    students whose files are identical.
    """
    service.graded(service.hand_in(), graded(service.course, passed=False))
    service.graded(service.hand_in(person=service.ben))
    service.hand_in(person=service.person("cleo", "student"))
    service.person("dora", "student")
    rows = list(csv.DictReader(io.StringIO(export(service, ExportKind.GRADES).decode("utf-8-sig"))))
    assert [(row["name"], row["status"]) for row in rows] == [
        ("Ada", "graded"),
        ("Ben", "graded"),
        ("Cleo", "ungraded"),
        ("Dora", "absent"),
    ]
    assert rows[0]["first_reason"] == "WRONG_OUTPUT"
    assert [row["same_as"] for row in rows[:2]] == ["Ben", "Ada"]
    assert export(service, ExportKind.GRADES, assignment="small") == export(service, ExportKind.GRADES)


def test_members_of_a_group_are_not_copies_of_each_other(tmp_path):
    """Members of a group do not count as copies of each other, even if one handed in the file before the
    group existed.
    """
    service = Service(tmp_path, policies="attempts: {most: 20}\ncounts: best\ngroups: 2\n")
    cleo = service.person("cleo", "student")
    service.graded(service.hand_in())
    service.graded(service.hand_in(person=cleo))
    with service.database.writing() as session:
        for number in (service.ada, service.ben):
            session.get_one(PersonRow, number).team = "7"
    rules = service.app_state.cache.assignment("small").rules
    service.graded(service.hand_in(rules, person=service.ben))
    rows = csv.DictReader(io.StringIO(export(service, ExportKind.GRADES).decode("utf-8-sig")))
    assert [(row["name"], row["same_as"]) for row in rows] == [("Ada", "Cleo"), ("Ben", "Cleo"), ("Cleo", "Ada, Ben")]
    service.database.close()
