"""The worker's main loop: read a job, then serve requests until the judge closes the connection."""

import os
import sys
from collections.abc import Iterable
from functools import partial
from typing import BinaryIO

from grader.protocol.messages import (
    REQUEST,
    Close,
    Done,
    Job,
    LaunchRequest,
    Turn,
)
from grader.worker.drivers import find_drivers
from grader.worker.limits import apply, close_to_debuggers
from grader.worker.simulator import prepare
from grader.worker.succession import Succession

DONE = Done().model_dump_json().encode() + b"\n"


def main() -> None:
    """Serve the judge on the original stdin and stdout. Kernels get /dev/null and the error file instead."""
    requests, replies = _take_over_stdio()
    from grader.worker import session  # noqa: PLC0415 - pyopencl must not print to the judge, and is imported only once

    find_drivers()
    line = requests.readline()
    if not line:
        return  # a spare worker that never got a job
    job = Job.model_validate_json(line)
    apply(job.limits)
    if job.simulation is not None:
        prepare(job.simulation)
    close_to_debuggers()

    succession = Succession(serve=partial(session.serve, job), inherited=(requests, replies))
    while line := requests.readline():
        request = REQUEST.validate_json(line)
        fork = succession.process_for(request)
        fork.is_spent |= isinstance(request, LaunchRequest | Turn)
        if isinstance(request, Close) and request.process == "new" and fork.is_spent:
            fork.kill()  # no request first: code that has survived in the session may not answer it
            said: Iterable[bytes] = (DONE,)
        else:
            said = fork.ask(line, requests)
        for each in said:
            replies.write(each)
            replies.flush()
    succession.end()


def _take_over_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Move the control streams away from descriptors 0 and 1, because a kernel's printf writes to 1."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    return requests, replies


if __name__ == "__main__":
    main()
    sys.exit(0)
