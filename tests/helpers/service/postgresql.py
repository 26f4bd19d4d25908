"""A fixture with a PostgreSQL server for tests. It has its own folder, and a socket there instead of a port.

Without PostgreSQL, such a test is skipped with a reason. With GRADER_TEST_DATABASE=required, it fails instead.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from functools import cached_property
from itertools import count
from pathlib import Path

import pytest

from grader.service.db.migrate import migrate
from grader.service.db.session import Database

ABSENT = "PostgreSQL is not installed (Debian's package postgresql)"
PROGRAMS = ("initdb", "postgres", "pg_isready", "psql")
OWNER = "postgres"
QUICK = ("shared_buffers=32MB", "max_connections=100", "listen_addresses=")

numbers = count(1)


def do_without(reason):
    """Skip the test, or fail it if a database is required."""
    if os.environ.get("GRADER_TEST_DATABASE") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


def programs():
    """Return the folder of PostgreSQL's programs, or None if it is not installed."""
    on_path = shutil.which("initdb")
    found = [*Path("/usr/lib/postgresql").glob("*/bin"), *([Path(on_path).resolve().parent] if on_path else [])]
    return next((each for each in found if all((each / name).is_file() for name in PROGRAMS)), None)


class Server:
    """A server that can be killed and started again on the same data."""

    def __init__(self):
        self.programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="grader-postgresql-"))  # the path of a socket must be short
        self.folder.chmod(0o700)
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, OWNER)
        self._run("initdb", "--auth=trust", f"--username={OWNER}", "--encoding=UTF8", "--locale=C", "-D", self.data)
        self.process = None

    def start(self):
        """Start the server, and return as soon as it responds. After a kill it recovers all databases of the tests
        first, which takes long on a busy machine.
        """
        settings = [part for each in (*QUICK, f"unix_socket_directories={self.folder}") for part in ("-c", each)]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.data, *settings], stdout=log, stderr=log, **self._owner()
            )
        end = time.monotonic() + 180
        ask = [self.programs / "pg_isready", "--quiet", "--host", self.folder]
        while subprocess.run(ask, check=False).returncode:
            assert time.monotonic() < end, (self.folder / "log").read_text()
            assert self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.1)
        return self

    def kill(self):
        """Kill all processes of the server at once, as a power cut would."""
        self.process.send_signal(signal.SIGSTOP)  # it could otherwise start another process before it is killed
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in (self.process.pid, *map(int, children)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.process.wait()

    def new(self, how=""):
        """Return the address of a new, empty database. `how` is appended to the CREATE DATABASE statement."""
        name = f"grader{next(numbers)}"
        # By default, copying the template waits for a checkpoint. Writing the copy to the log avoids the wait, and is
        # quicker for small databases.
        self.psql(f"CREATE DATABASE {name} STRATEGY wal_log {how}")
        return self._address(name)

    def with_tables(self):
        """Return the address of a new database with the current tables. Copying them takes a quarter of the processor
        time of making them.
        """
        return self.new(f"TEMPLATE {self._tables}")

    @cached_property
    def _tables(self):
        """Name of a database with the current tables, to which nothing is connected."""
        name = "tables"
        self.psql(f"CREATE DATABASE {name}")
        database = Database(self._address(name))
        migrate(database)
        database.close()
        return name

    def _address(self, name):
        return f"postgresql://{OWNER}@/{name}?host={self.folder}"

    def psql(self, statement):
        self._run("psql", "--quiet", f"--host={self.folder}", "-c", statement)

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program, *words):
        command = [str(each) for each in (self.programs / program, *words)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, **self._owner())
        assert done.returncode == 0, done.stderr

    def _owner(self):
        """Return options to run as PostgreSQL's user, because PostgreSQL refuses to run as root."""
        return {"user": OWNER, "group": OWNER, "cwd": "/"} if os.geteuid() == 0 else {}


@pytest.fixture(scope="session")
def postgresql():
    """A server for this test process."""
    if programs() is None:
        do_without(ABSENT)
    server = Server()
    try:
        yield server.start()
    finally:
        server.close()
