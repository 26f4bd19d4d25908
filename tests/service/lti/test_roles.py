"""roles.py: only a role in the course lets a person in, and never with more rights than the platform states."""

import pytest

from grader.service.db.tables.people import CourseRole
from grader.service.lti.roles import ASSISTANT, MEMBERSHIP, role_of

INSTITUTION = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#"
SYSTEM = "http://purl.imsglobal.org/vocab/lis/v2/system/person#"


@pytest.mark.parametrize(
    ("stated", "role"),
    [
        ([f"{MEMBERSHIP}Learner"], CourseRole.STUDENT),
        (["Learner"], CourseRole.STUDENT),
        ([f"{MEMBERSHIP}Instructor"], CourseRole.INSTRUCTOR),
        ([f"{MEMBERSHIP}Administrator"], CourseRole.INSTRUCTOR),
        ([f"{MEMBERSHIP}Learner", f"{MEMBERSHIP}Instructor"], CourseRole.INSTRUCTOR),
        ([f"{MEMBERSHIP}Instructor", ASSISTANT], CourseRole.ASSISTANT),
        ([f"{MEMBERSHIP}Learner", ASSISTANT], CourseRole.ASSISTANT),
        ([f"{INSTITUTION}Faculty", f"{INSTITUTION}Instructor", f"{MEMBERSHIP}Learner"], CourseRole.STUDENT),
        ([f"{INSTITUTION}Instructor"], None),
        ([f"{SYSTEM}SysAdmin"], None),
        ([f"{MEMBERSHIP}Mentor", f"{MEMBERSHIP}ContentDeveloper"], None),
        ([], None),
    ],
)
def test_a_role_in_the_course_decides(stated, role):
    """A professor who is a student of this course is a student here. An assistant whom the platform also calls an
    instructor is an assistant. Without a role in the course, a person may not enter.
    """
    assert role_of(stated) is role
