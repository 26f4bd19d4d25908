"""A further web process of `grader serve`: `python -P -m grader.service.web COURSE GUIDE ORIGIN HOST PORT`.

It reads the address of the database, and the rules for signing in, from standard input. It ends with its parent.
"""

import sys
from contextlib import closing
from pathlib import Path

from grader.common.sign_in import SignInRules
from grader.service.db.session import Database
from grader.service.handover import end_with_parent, told_database, told_line
from grader.service.web.server import Address, run_server, state_for, with_sign_in

STOP_SECONDS = 10.0
"""Seconds that the process has to stop. It waits three seconds for answers that are being sent."""


def main() -> None:
    """Serve pages until the process is stopped."""
    course, guide, origin, host, port = sys.argv[1:]
    database = Database(told_database())
    rules = SignInRules.model_validate_json(told_line())
    end_with_parent(STOP_SECONDS)
    with closing(database), Address(host=host, port=int(port), is_shared=True).listen() as listener:
        state = with_sign_in(state_for(database, Path(course), Path(guide), origin), rules, print)
        run_server(state, listener, rules.proxies)


if __name__ == "__main__":
    main()
