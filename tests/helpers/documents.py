"""The commands in the sh blocks of a document, run as if a reader had typed them."""

import os
import re
import shlex
import subprocess
import sys

from worker_rules import FEW_PAIRS

# A new solution is only a skeleton, so these commands exit with 1 because checks fail.
EXPECTED_EXIT = {"grade": 1, "batch": 1, "explain": 1, "profile": 1}

FEWER = {"GRADER_TIMING__MIN_PAIRS": str(FEW_PAIRS.min_pairs), "GRADER_SEARCH__SECONDS": "0"}
"""Settings that time fewer pairs if these are enough to decide, and that switch off the search for lines."""


def commands_in(text):
    """Return the lines of the sh blocks in a text, without comments."""
    return [
        line.partition("#")[0].strip()
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
        if line.strip()
    ]


def run_all(commands, folder, locks, **expected):
    """Run each command in the folder, and check its exit code. `expected` overrides the expected exit code of a
    command.
    """
    environment = {**os.environ, **FEWER, "GRADER_LOCKS": str(locks), "GRADER_PROFILES": str(folder / "profiles")}
    codes, said = {**EXPECTED_EXIT, **expected}, []
    for command in commands:
        _, *args = shlex.split(command)
        found = subprocess.run(
            [sys.executable, "-m", "grader.cli.main", *args],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == codes.get(args[0], 0), f"{command}\n{found.stdout}\n{found.stderr}"
        assert "Traceback" not in found.stderr
        said.append(found.stdout)
    return said
