"""Compare the rates of one Dask worker and of two. Then kill one of two workers, and check that the other finishes the
work.

    python tests/benchmarks/two_workers.py [--submissions 30] [--cores-each N] [--timed]

A grading uses more than one core: for the judge, for PoCL's threads, and for the next worker that starts. On the same
cores, a second worker could therefore use only the idle time of the first. This is why each worker, with the sandboxes
that it starts, is bound to separate cores: `--cores-each` of them, by default half of all. The submissions fail a
check, so none of them is timed. With `--timed`, most are right. Their timed sections on a CPU exclude each other, so a
second worker gains less. The sandbox is `process`, because affinity does not apply to containers. The goal is a ratio
of 1.7 on an otherwise idle machine. The load of the machine is printed.
"""

import argparse
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = map(str, (ROOT / "tests" / "helpers").glob("**/"))

import batches  # noqa: E402

GOAL = 1.7
GRADED = 1


def main() -> int:
    """Grade three batches with the same submissions."""
    cores = sorted(os.sched_getaffinity(0))
    options = argparse.ArgumentParser()
    options.add_argument("--submissions", type=int, default=30)
    options.add_argument("--cores-each", type=int, default=max(1, len(cores) // 2))
    options.add_argument("--timed", action="store_true")
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="two-workers-"))
    batches.small_batch(folder, given.submissions, kinds=batches.STEADY if given.timed else batches.WRONG)
    shares = [cores[: given.cores_each], cores[given.cores_each : 2 * given.cores_each] or cores[: given.cores_each]]
    load = os.getloadavg()[0]
    print(f"{len(cores)} cores, {given.cores_each} for each worker; load {load:.1f}; {given.submissions} submissions")
    one = rate(grade(folder, "one", shares[:1], killed=False))
    two = rate(grade(folder, "two", shares, killed=False))
    verdict = "reached" if two / one >= GOAL else "missed"
    print(f"one worker: {one:.1f} per minute; two: {two:.1f}; ratio {two / one:.2f}, the goal of {GOAL} is {verdict}")
    out = grade(folder, "killed", shares, killed=True)
    same = batches.essences(out) == batches.essences(folder / "one")
    results = "the same results" if same else "OTHER RESULTS"
    print(f"one of two killed half way: {batches.done(out)} of {given.submissions} graded, {results}")
    batches.remove(folder)
    return 0 if same and two / one >= GOAL else 1


def grade(folder: Path, name: str, shares: list[list[int]], *, killed: bool) -> Path:
    """Grade the batch with one worker for each share of the cores. Return the folder of its results."""
    out = folder / name
    with batches.scheduler(folder) as address, ExitStack() as running:
        workers = []
        for number, share in enumerate(shares):
            binding = ("taskset", "--cpu-list", ",".join(map(str, share)))
            command = (*binding, *batches.DASK, "worker", address, *batches.WORKER, "--local-directory", folder)
            workers.append(batches.start(command, folder / f"{name}{number}.log"))
            running.callback(batches.end, workers[-1])
        registered = folder / "scheduler.log"
        batches.waited(lambda: registered.read_text().count("Register worker") >= len(shares))
        registered.write_text("")
        batch = batches.start(batches.batch(folder, out, "--scheduler", address), folder / f"{name}.log")
        if killed:
            half = len(list((folder / "submissions").iterdir())) // 2
            batches.waited(lambda: batches.done(out) >= half, 600)
            batches.kill_all(workers[0])
        code = batch.wait()
        if code != GRADED:
            sys.exit(f"the batch ended with {code}: {(folder / f'{name}.log').read_text()}")
    return out


def rate(out: Path) -> float:
    """Return the gradings per minute between the first result and the last. This excludes the time for starting."""
    times = sorted(path.stat().st_mtime for path in (out / "results").glob("*.json"))
    return 60 * (len(times) - 1) / (times[-1] - times[0])


if __name__ == "__main__":
    sys.exit(main())
