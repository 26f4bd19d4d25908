"""Roles in a course of a learning platform, as roles of this course.

Only roles in the course count. A professor may be a student of another professor's course, so roles in the institution
say nothing.
"""

from collections.abc import Collection

from grader.service.db.models import CourseRole

MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
ASSISTANT = "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"

NAMES = {
    "Instructor": CourseRole.INSTRUCTOR,
    "Administrator": CourseRole.INSTRUCTOR,
    "Learner": CourseRole.STUDENT,
}
"""Roles in the course. Others, such as Mentor and ContentDeveloper, may not enter."""


def role_of(stated: Collection[str]) -> CourseRole | None:
    """The highest role among those that a platform states; None if none of them may enter. Platforms state the role
    Instructor of an assistant, too, so the role of an assistant comes first.
    """
    if ASSISTANT in stated or "TeachingAssistant" in stated:
        return CourseRole.ASSISTANT
    found = {NAMES.get(each.removeprefix(MEMBERSHIP)) for each in stated}
    return next((each for each in (CourseRole.INSTRUCTOR, CourseRole.STUDENT) if each in found), None)
