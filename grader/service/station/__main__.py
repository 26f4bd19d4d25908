"""The process of a station: `python -P -m grader.service.station COURSE SETTINGS CLASS CLUSTER`. It reads the address
of the database from standard input. CLUSTER is the address of a Dask scheduler. If it is empty, the station grades in
this process.

The station ends at SIGTERM, and also when its standard input is closed, because the process that started it has then
ended.
"""

import os
import platform
import secrets
import signal
import sys
from contextlib import closing, suppress
from pathlib import Path

from grader.common.errors import GraderError, InterruptedGradingError, WorkerError
from grader.common.interrupts import interrupt_on
from grader.course.catalogue import Course
from grader.protocol.text import showable
from grader.service.course.assignment_view import memory_in
from grader.service.db.handover import end_with_parent, told_line
from grader.service.db.session import Database
from grader.service.station.backends import Backend
from grader.service.station.grader import Judge, service_seed
from grader.service.station.heartbeat import Presence
from grader.service.station.loop import patient, work
from grader.service.submissions.health import StationFacts

LEAVE = 20.0
"""Seconds that a station has to stop its sandboxes. Container engines have been seen to take ten."""


def main() -> None:
    """Run the station until a signal to stop. The signal interrupts gradings that have begun."""
    folder, settings_json, device_class, cluster = sys.argv[1:]
    url = told_line()
    interrupt_on([signal.SIGTERM], _stop)
    end_with_parent(LEAVE)
    name = f"{platform.node()}-{os.getpid()}-{secrets.token_hex(4)}"
    course = Course(assignments=Path(folder) / "assignments", reference=Path(folder) / "reference")
    with closing(Database(url)) as database, suppress(InterruptedGradingError):
        seed, backend = patient(lambda: service_seed(database)), _backend(cluster, settings_json)
        judge = Judge(course, backend, seed, device_class, memory_in(database))
        try:
            facts = _facts(judge, name)
            with Presence(database, facts, lambda: backend.devices):
                if facts.fault:
                    sys.exit(f"this station cannot grade: {facts.fault}")
                with closing(backend.gradings()) as gradings:
                    work(database, judge, name, gradings=gradings)
        except WorkerError as error:
            sys.exit(f"this station ends: {showable(str(error))}")
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            judge.close()


def _backend(cluster: str, settings_json: str) -> Backend:
    if not cluster:
        return Backend(settings_json)
    from grader.service.station.cluster import ClusterBackend  # an optional dependency, which only this backend needs

    return ClusterBackend(cluster, settings_json)


def _facts(judge: Judge, name: str) -> StationFacts:
    """Return the facts about the station. If it cannot grade, they contain the fault instead of the device."""
    host = platform.node()
    try:
        facilities = judge.facilities
    except GraderError as error:
        return StationFacts(name=name, host=host, fault=showable(str(error)))
    return StationFacts(
        name=name,
        host=host,
        device=showable(facilities.device.name),
        device_class=judge.device_class,
        grader=facilities.grader,
    )


def _stop(_number: int) -> InterruptedGradingError:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # ignore further signals during the clean-up
    return InterruptedGradingError("the station has been stopped.")


if __name__ == "__main__":
    main()
