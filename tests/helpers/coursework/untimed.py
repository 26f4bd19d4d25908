"""A small assignment that checks everything except speed."""

from courses import KERNEL, course_of
from hidden_parts import FIELDS

UNTIMED = {name: value for name, value in FIELDS.items() if name != "performance"}
"""Fields of the assignment. It gives 10 points for two cases (a third is for practice), 3 for the sanitizer and 6 for
memory.
"""

POINTS = 19

WRONG = KERNEL.replace("x[i] + y[i];", "x[i] - y[i];")
STRIDED = KERNEL.replace(
    "const uint32_t i = get_global_id(0);", "const uint32_t i = get_global_id(0) * 8 % n + get_global_id(0) * 8 / n;"
)
"""A kernel that is right if n is a multiple of 8. Neighbouring work-items access words that are 8 words apart."""

SKELETON = KERNEL.replace("z[i] = x[i] + y[i];", ";")


def untimed_course(folder, **changes):
    """Return a course with the assignment. The kernel in its skeleton is empty."""
    course = course_of(folder, {**UNTIMED, **changes})
    (folder / "assignments" / "small" / "kernels.cl").write_text(SKELETON)
    return course
