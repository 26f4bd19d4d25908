"""The process of a clerk: `python -P -m grader.service.exports ORDER`, the database on standard input.

What it makes comes on standard output, which is a file. If it cannot, it says why in a line of standard error.
"""

import sys
from contextlib import closing

from grader.common.errors import GraderError
from grader.course.catalogue import Course
from grader.service.db.session import Database
from grader.service.exports.files import PAPERS
from grader.service.exports.gradebook import Desk
from grader.service.exports.jobs import REFUSED, PaperOrder, limit_this_process
from grader.service.handover import told_database


def main() -> None:
    """Make what is asked for."""
    limit_this_process()
    order = PaperOrder.model_validate_json(sys.argv[1])
    course = Course(assignments=order.assignments, reference=order.reference)
    with closing(Database(told_database())) as database:
        try:
            desk = Desk(database, course, order.assignment)
            PAPERS[order.paper](desk, sys.stdin.buffer.read(), sys.stdout.buffer)
        except GraderError as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(REFUSED)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
