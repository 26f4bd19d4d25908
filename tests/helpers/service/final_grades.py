"""Courses with dates and groups, and the final grades of their students."""

from dataclasses import replace as changed

from courses import course_of
from services import Service, graded

from grader.service.grades.decisions.extensions import hand_in_rules
from grader.service.grades.visibility import grades_of, grades_of_all
from grader.service.submissions.accept import accept
from grader.service.submissions.queue import claim, finish

DUE = "timezone: Europe/Berlin\ndue: 2026-11-23T13:00\n"
"""Policies with the service's noon as the due date."""


def opened(folder, policies, names=("small",)):
    """Return a service for a course with these assignments, each of which is worth 15 points."""
    for name in names:
        course = course_of(folder / "course", name=name)
    return Service(folder, course=course, policies=policies)


def handed_in(service, points, person=None, assignment="small"):
    """Store an attempt that is graded with these points, and return its number."""
    with service.database.writing() as session:
        offer = service.offer(person=person, assignment=assignment)
        rules = hand_in_rules(session, service.app_state.cache.all(), assignment, offer.person_id)
        number = accept(session, offer, rules, service.now).id
        claimed = claim(session, "one", service.now)
        outcome = changed(graded(service.course), points=points, early_points=points)
        assert finish(session, claimed, outcome, service.now)
    return number


def standing(service, person, name="small"):
    """Return a person's grade. It must be equal in the course table and on the person's page."""
    with service.database.reading() as session:
        every = service.app_state.cache.all()
        own, all_of = grades_of(session, every, person)[name], grades_of_all(session, every)[person, name]
    assert (own.points, own.in_words, own.rules) == (all_of.points, all_of.in_words, all_of.rules)
    return own
