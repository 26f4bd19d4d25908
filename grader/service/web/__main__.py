"""A further web process of `grader serve`: `python -P -m grader.service.web COURSE GUIDE ORIGIN HOST PORT`.

It reads the address of the database, and the operator's rules, from standard input. The process ends when its parent
ends.
"""

import sys
from contextlib import closing
from pathlib import Path

from grader.service.db.handover import end_with_parent, told_line
from grader.service.db.session import Database
from grader.service.web.server import Address, WebRules, run_server, state_for, with_rules

STOP_SECONDS = 10.0
"""Seconds that the process has to stop. It waits three seconds for answers that are being sent."""


def main() -> None:
    """Serve pages until the process is stopped."""
    course, guide, origin, host, port = sys.argv[1:]
    database = Database(told_line())
    rules = WebRules.model_validate_json(told_line())
    end_with_parent(STOP_SECONDS)
    with closing(database), Address(host=host, port=int(port), is_shared=True).listen() as listener:
        state = with_rules(state_for(database, Path(course), Path(guide), origin), rules, print)
        run_server(state, listener, rules.sign_in.proxies)


if __name__ == "__main__":
    main()
