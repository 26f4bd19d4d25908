"""Roles in a course of a learning platform, as roles of this course.

Only roles in the course count. Roles in the institution do not, because a professor may be a student in another
professor's course.
"""

from collections.abc import Collection

from grader.service.db.tables.people import CourseRole

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
ASSISTANT = "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"

NAMES = {
    "Instructor": CourseRole.INSTRUCTOR,
    "Administrator": CourseRole.INSTRUCTOR,
    "Learner": CourseRole.STUDENT,
}
"""Roles in the course. Others, such as Mentor and ContentDeveloper, may not enter."""


def role_of(stated: Collection[str]) -> CourseRole | None:
    """The highest role among those that a platform states, or None if none of them may enter. Platforms also state the
    role Instructor for an assistant, so the role of an assistant comes first.
    """
    if ASSISTANT in stated or "TeachingAssistant" in stated:
        return CourseRole.ASSISTANT
    found = {NAMES.get(each.removeprefix(MEMBERSHIP)) for each in stated}
    return next((each for each in (CourseRole.INSTRUCTOR, CourseRole.STUDENT) if each in found), None)
