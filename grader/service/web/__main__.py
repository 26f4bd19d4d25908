"""One more web process of `grader serve`: `python -P -m grader.service.web COURSE GUIDE ORIGIN SOCKET`.

SOCKET is the number of the open one; the database is told on standard input. It ends with the process that started it.
"""

import socket
import sys
from contextlib import closing
from pathlib import Path

from grader.service.database.connecting import Database
from grader.service.handing_over import end_with_parent, told_database
from grader.service.web.process import answer, web_for

LEAVE = 10.0
"""Seconds in which it must have stopped; it waits three for answers that are under way."""


def main() -> None:
    """Answer until told to stop."""
    course, guide, origin, number = sys.argv[1:]
    database = Database(told_database())
    end_with_parent(LEAVE)
    with closing(database), socket.socket(fileno=int(number)) as listener:
        answer(web_for(database, Path(course), Path(guide), origin), listener)


if __name__ == "__main__":
    main()
