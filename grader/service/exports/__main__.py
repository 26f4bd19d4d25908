"""The process that makes a file: `python -P -m grader.service.exports REQUEST`. It reads the address of the database
from standard input.

It writes the file to standard output. If it cannot make the file, it writes one line with the reason to standard error.
"""

import sys
from contextlib import closing

from grader.common.errors import GraderError
from grader.course.catalogue import Course
from grader.service.db.handover import told_line
from grader.service.db.session import Database
from grader.service.exports.files import WRITERS
from grader.service.exports.gradebook import GradebookReader
from grader.service.exports.jobs import EXIT_REFUSED, ExportRequest, limit_this_process


def main() -> None:
    """Make the requested file."""
    limit_this_process()
    request = ExportRequest.model_validate_json(sys.argv[1])
    course = Course(assignments=request.assignments, reference=request.reference)
    with closing(Database(told_line())) as database:
        try:
            reader = GradebookReader(database, course, request.assignment)
            WRITERS[request.kind](reader, sys.stdin.buffer.read(), sys.stdout.buffer)
        except GraderError as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(EXIT_REFUSED)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
