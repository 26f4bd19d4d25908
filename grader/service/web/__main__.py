"""One more web process of `grader serve`: `python -P -m grader.service.web COURSE GUIDE ORIGIN HOST PORT`.

The database, and how people sign in, are told on standard input. It ends with the process that started it.
"""

import sys
from contextlib import closing
from pathlib import Path

from grader.common.sign_in import SignInRules
from grader.service.db.session import Database
from grader.service.handover import end_with_parent, told_database, told_line
from grader.service.web.server import Address, answer, state_for, with_entry

LEAVE = 10.0
"""Seconds in which it must have stopped; it waits three for answers that are under way."""


def main() -> None:
    """Answer until told to stop."""
    course, guide, origin, host, port = sys.argv[1:]
    database = Database(told_database())
    rules = SignInRules.model_validate_json(told_line())
    end_with_parent(LEAVE)
    with closing(database), Address(host=host, port=int(port), is_shared=True).listen() as listener:
        web = with_entry(state_for(database, Path(course), Path(guide), origin), rules, print)
        answer(web, listener, rules.proxies)


if __name__ == "__main__":
    main()
