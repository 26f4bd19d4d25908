"""check_kinds.py: the list of check kinds has one entry for each section of a rubric."""

from typing import get_args

from samples import DEVICE

from grader.common.record import replace
from grader.course.rubric import Rubric
from grader.grading.check_kinds import CHECK_KINDS, observers, unobserved_checks, untimed_checks


def test_every_section_has_a_kind_in_the_same_order():
    """The entries have the same order as the sections of a rubric, which is the order of checks in a result."""
    fields = (field.annotation for field in Rubric.model_fields.values())
    sections = [next(iter(get_args(annotation)), annotation) for annotation in fields]
    assert [kind.section for kind in CHECK_KINDS] == sections


def test_checks_after_the_cases_follow_from_the_sections(transposition):
    """A section that an assignment omits has neither a check nor a function that makes one. The speed check is listed
    separately.
    """
    names = [check.name for check in unobserved_checks(transposition, DEVICE)]
    assert len(names) == 1 + len(transposition.memory.checks)
    assert [check.kind for check in untimed_checks(transposition, DEVICE)] == ["performance"]
    bare = replace(transposition, sanitizer=None, memory=None, performance=None)
    assert (list(observers(bare)), list(unobserved_checks(bare, DEVICE)), untimed_checks(bare, DEVICE)) == ([], [], ())
