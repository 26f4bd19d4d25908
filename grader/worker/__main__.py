"""The worker's main loop: read a job, then serve requests until the judge hangs up.

Sessions come one after the other in a fork, until a kernel has run in it: then the next one gets a new fork, unless it
is to go on in a used one. What a driver has loaded for the first program that it builds is there for the second.
"""

import os
import sys
from typing import BinaryIO

from grader.protocol.messages import (
    REQUEST,
    Close,
    Done,
    Job,
    LaunchRequest,
    ListDevices,
    Open,
    Preprocess,
    Turn,
)
from grader.worker.drivers import find_drivers
from grader.worker.fork import Fork
from grader.worker.limits import apply, close_to_debuggers
from grader.worker.simulator import prepare


def main() -> None:
    """Serve the judge on what stdin and stdout were; kernels get /dev/null and the error file instead."""
    requests, replies = _take_over_stdio()
    from grader.worker import session  # noqa: PLC0415 - pyopencl must not print to the judge, and is imported only once

    find_drivers()
    line = requests.readline()
    if not line:
        return  # a spare worker that was never given a job
    job = Job.model_validate_json(line)
    apply(job.limits)
    if job.simulation is not None:
        prepare(job.simulation)
    close_to_debuggers()

    fork: Fork | None = None
    while line := requests.readline():
        request = REQUEST.validate_json(line)
        if isinstance(request, ListDevices | Preprocess | Open) and not (fork and _may_go_on(request, fork)):
            if fork:
                fork.kill()
            fork = Fork.start(lambda channel: session.serve(job, channel), inherited=(requests, replies))
        assert fork is not None, "the judge opens a session before it uses one"
        fork.is_spent |= isinstance(request, LaunchRequest | Turn)
        if isinstance(request, Close) and fork.is_spent:
            fork.kill()  # without asking: what has survived in the session may not answer
            replies.write(Done().model_dump_json().encode() + b"\n")
        else:
            replies.write(fork.ask(line, requests))
        replies.flush()
    if fork:
        fork.kill()


def _may_go_on(request: ListDevices | Preprocess | Open, fork: Fork) -> bool:
    """Whether a request may be answered by the process that served those before it."""
    is_used = isinstance(request, Open) and request.process == "used"
    return not (fork.has_ended if is_used else fork.is_spent)


def _take_over_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Move the control streams away from descriptors 0 and 1, where a kernel's printf writes."""
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
