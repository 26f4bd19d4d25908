"""Grade many submissions in a row, some of them hostile, while the judge is killed and the engine is restarted.

    python tests/benchmarks/endurance.py [--gradings 200] [--restart "systemctl restart docker"]

A third of the submissions are hostile. The judge (`grader batch`) is killed with SIGKILL after a third and after two
thirds of the gradings, and the engine is restarted after half of them. The batch is started again each time. At the
end, no container, folder or process may be left over, and each submission must have the verdicts that it gets when it
is graded alone. Prints a table. The exit code is 1 if a condition is not met.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import cycle, islice
from pathlib import Path

import docker

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

from attacks import QUICK, corpus, small_course, verdict  # noqa: E402

from grader.execution.sandbox.docker.sweeping import LABEL  # noqa: E402
from grader.results.result import Result  # noqa: E402

NAME = "coalsTransp"
GRADER = [sys.executable, "-m", "grader.cli.main"]
WAIT = 900


def main() -> int:
    """Grade all submissions, inspect what is left over, and print the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--gradings", type=int, default=200)
    options.add_argument("--restart", default="systemctl restart docker")
    given = options.parse_args()
    work = Path(tempfile.mkdtemp(prefix="endurance-"))
    arrays = work / "arrays"
    arrays.mkdir()
    os.environ.update({**QUICK, "GRADER_DOCKER__FOLDER": str(arrays), "GRADER_SANDBOX": "docker"})
    kinds = submissions()
    small_course(work / "course", NAME, ("include", "line", "asm", "has_include", "long line"), watched=False)
    entries = spread(kinds, given.gradings)
    alone = {kind: grade_alone(work, kinds[kind]) for kind in sorted({*entries.values()})}
    for name, kind in entries.items():
        (work / "handed-in" / name).mkdir(parents=True)
        source = (kinds[kind] / "kernels.cl").read_bytes()
        (work / "handed-in" / name / "kernels.cl").write_bytes(source + f"\n// {name}\n".encode())  # all differ
    begin = time.monotonic()
    print("\n".join(run_all(work, len(entries), given.restart)))
    print(f"{'seconds each':<30}{(time.monotonic() - begin) / len(entries):.2f}")
    return report(work, arrays, entries, alone)


def submissions() -> dict[str, Path]:
    """Return the golden and the hostile submissions by name. Submissions that run into a deadline are left out, because
    they are slow.
    """
    golden = {path.parent.name: path.parent for path in (ROOT / "tests" / "submissions" / NAME).glob("*/expected.yaml")}
    hostile = {
        f"hostile-{attack.name}": attack.folder
        for attack in corpus()
        if attack.assignment == NAME and attack.docker not in {"TIME_LIMIT", "FORBIDDEN"}
    }
    return golden | hostile


def spread(kinds: dict[str, Path], count: int) -> dict[str, str]:
    """Return the kind of each entry. Every third entry is hostile, and names sort in the order of grading."""
    hostile = cycle(kind for kind in kinds if kind.startswith("hostile-"))
    honest = cycle(kind for kind in kinds if not kind.startswith("hostile-"))
    return {f"{n:04d}": next(hostile) if n % 3 == 1 else next(honest) for n in islice(range(10**4), count)}


def grade_alone(work: Path, submission: Path) -> list[tuple[str, str]]:
    """Return the verdicts of one submission, graded by a separate judge."""
    path = work / "alone.json"
    command: list[str | Path] = [
        *GRADER,
        "grade",
        submission,
        "--assignment",
        NAME,
        "--course",
        work / "course",
        "--json",
        path,
    ]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return verdicts(path)


def verdicts(path: Path) -> list[tuple[str, str]]:
    """Return the name and the reason of each check, or its verdict if it has no reason."""
    result = Result.model_validate_json(path.read_text())
    return [(check.name, str(check.reason or check.verdict)) for check in result.checks]


def run_all(work: Path, count: int, restart: str) -> list[str]:
    """Run the batch until it is done, and disturb it at the chosen moments."""
    disturbances = [
        (count // 3, "judge killed", lambda judge: judge.send_signal(signal.SIGKILL)),
        (count // 2, "engine restarted", lambda _: subprocess.run(restart, shell=True, check=True)),
        (2 * count // 3, "judge killed", lambda judge: judge.send_signal(signal.SIGKILL)),
    ]
    events = []
    code = None
    while code not in {0, 1}:
        command: list[str | Path] = [*GRADER, "batch", work / "handed-in", "--assignment", NAME, "--out", work / "out"]
        judge = subprocess.Popen([*command, "--course", work / "course"], stdout=subprocess.DEVNULL, stderr=sys.stderr)
        while judge.poll() is None:
            done = len(list((work / "out").glob("results/*.json")))
            if disturbances and done >= disturbances[0][0]:
                _, what, disturb = disturbances.pop(0)
                events.append(f"{what} after {done} of {count} gradings")
                disturb(judge)
            time.sleep(0.05)
        code = judge.returncode
        events.append(f"batch ended with {code}")
    return events


def report(work: Path, arrays: Path, entries: dict[str, str], alone: dict[str, list[tuple[str, str]]]) -> int:
    """Print the table. Return 1 if a condition is not met."""
    subprocess.run([*GRADER, "devices"], check=True, stdout=subprocess.DEVNULL)  # removes leftovers
    engine = docker.from_env().api
    containers = [each["Id"] for each in engine.containers(all=True, filters={"label": LABEL})]
    processes = [entry.name for entry in Path("/proc").glob("[0-9]*") if owner(entry) == 65534]
    different = [
        f"{name} ({kind}): {verdicts(report_of(work, name))}, alone {alone[kind]}"
        for name, kind in entries.items()
        if verdicts(report_of(work, name)) != alone[kind]
    ]
    print("\n".join(different))
    hostile = sum(kind.startswith("hostile-") for kind in entries.values())
    rows = {
        "gradings": len(entries),
        "of them hostile": hostile,
        "verdicts unlike those alone": len(different),
        "containers left": len(containers),
        "folders left": len(list(arrays.iterdir())),
        "processes left": len(processes),
    }
    print("\n".join(f"{what:<30}{figure}" for what, figure in rows.items()))
    results = (Result.model_validate_json(report_of(work, name).read_text()) for name in entries)
    print("first failures:", dict(Counter(map(verdict, results))))
    shutil.rmtree(work)
    return int(bool(different or containers or rows["folders left"] or processes))


def report_of(work: Path, name: str) -> Path:
    """Return the path of the batch's JSON report for a submission."""
    return work / "out" / "students" / name / f"{NAME}.json"


def owner(entry: Path) -> int:
    """Return the user id of a process's owner, or -1 if the process has ended."""
    try:
        return entry.stat().st_uid
    except OSError:
        return -1


if __name__ == "__main__":
    sys.exit(main())
