"""Print how the time of one grading divides into parts, for the model solution of each assignment.

    python tests/benchmarks/where_time_goes.py [ASSIGNMENT ...]

`start` is the time until the submission's worker is ready. `cases` and `timing` are the checks. `rest` is everything
else, such as starting grader's own workers in the background and stopping all workers.
"""

import sys
import time

from grader.course.rubric import Kind
from grader.course.submissions.submission import Task, fresh_seed, read_submission
from grader.grading.grade import grade_submission
from grader.grading.settings import load_settings


def main() -> None:
    """Grade each assignment once, and print one row for each."""
    settings = load_settings({})
    print(f"{'seconds':<14}{'start':>8}{'build':>8}{'cases':>8}{'timing':>8}{'rest':>8}{'total':>8}{'pairs':>8}")
    with settings.open_environment(settings.sandbox_for_ours()) as environment:
        names = sys.argv[1:] or settings.places.names()
        for assignment in (part for name in names for part in settings.places.load(name).parts):
            task = Task(assignment=assignment, submission=read_submission(assignment.reference), seed=fresh_seed())
            begin = time.perf_counter()
            marks: list[float] = []
            result = grade_submission(task, environment, lambda _: marks.append(time.perf_counter()))  # noqa: B023
            parts = {kind: sum(check.seconds for check in result.checks if check.kind is kind) for kind in Kind}
            start = marks[0] - begin
            known = start + sum(parts.values())
            performance = result.checks[-1].performance
            row = (start, parts[Kind.BUILD], parts[Kind.CORRECTNESS], parts[Kind.PERFORMANCE], result.seconds - known)
            pairs = performance.pairs if performance else 0
            print(
                f"{assignment.kernel:<14}"
                + "".join(f"{value:8.2f}" for value in (*row, result.seconds))
                + f"{pairs:8d}"
            )
    print(f"on {result.provenance.device.name}, grader {result.provenance.grader}")


if __name__ == "__main__":
    main()
