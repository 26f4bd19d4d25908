"""docs/clusters.md: its recipes work as printed."""

import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from batches import batch, done, end, run, scheduler, small_batch, start, waited, workers
from project import ROOT

pytest.importorskip("distributed")

BIN = Path(sys.executable).parent
TEXT = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
GRADED = 1
UNGRADED = 3


def blocks(language, heading):
    """Return the code blocks under a heading in this language."""
    section = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def as_typed(text, **variables):
    """Return the words of a command after replacing the shell's variables and the port."""
    return shlex.split(text.replace("$SCHEDULER", variables["scheduler"]).replace("8786", str(variables["port"])))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@pytest.mark.whole
def test_the_recipe_for_ssh_grades_a_batch(tmp_path):
    """The scheduler, workers and batch of the SSH recipe grade hand-ins on this machine. A fake `ssh` runs its commands
    locally.
    """
    small_batch(tmp_path, 3, kinds=("long-sizes", "copied-not-transposed"))
    (tmp_path / "bin").mkdir()
    ssh = tmp_path / "bin" / "ssh"
    ssh.write_text(
        '#!/bin/sh\nshift\nexec sh -c "$*"\n'
    )  # ssh joins its arguments into one command for the remote shell
    ssh.chmod(0o755)
    here = {"scheduler": "127.0.0.1", "port": free_port()}
    path = {"PATH": f"{tmp_path / 'bin'}:{BIN}:{os.environ['PATH']}"}
    scheduling, working, grading = (as_typed(text, **here) for text in blocks("sh", "By ssh"))
    processes = [start([*scheduling, "--no-dashboard"], tmp_path / "scheduler.log", **path)]
    try:
        processes += [start(working, tmp_path / f"worker{number}.log", **path) for number in range(2)]
        waited(lambda: (tmp_path / "scheduler.log").read_text().count("Register worker") == 2)
        grading[0] = str(BIN / grading[0])
        grading[grading.index("--assignment") + 1] = "coalsTransp"
        ours = ["--course", tmp_path / "course", "--sandbox", "process"]
        assert run([*grading, *ours], tmp_path / "batch.log") == GRADED
    finally:
        for process in reversed(processes):
            end(process)
    assert done(tmp_path / "results") == 3
    assert "Traceback" not in (tmp_path / "batch.log").read_text()


@pytest.mark.whole
def test_the_recipe_for_tls_lets_in_who_has_a_certificate_and_nobody_else(tmp_path):
    """With the certificates and configuration of the TLS recipe, a batch is graded. Without them, grader does not
    connect.
    """
    small_batch(tmp_path, 1, kinds=("long-sizes",))
    making, configuring = blocks("sh", "Access to the scheduler"), blocks("yaml", "Access to the scheduler")
    subprocess.run(["/bin/sh", "-e", "-c", making[0]], cwd=tmp_path, check=True, capture_output=True)
    settings = yaml.safe_load(re.sub(r"(\w+\.(?:pem|key))", rf"{tmp_path}/\1", configuring[0]))
    (tmp_path / "dask").mkdir()
    (tmp_path / "dask" / "tls.yaml").write_text(yaml.safe_dump(settings))
    known = {"DASK_CONFIG": str(tmp_path / "dask")}
    with (
        scheduler(tmp_path, "--host", "127.0.0.1", "--protocol", "tls", **known) as address,
        workers(address, tmp_path, 1, **known),
    ):
        assert address.startswith("tls://")
        command = batch(tmp_path, tmp_path / "out", "--scheduler", address)
        assert run(command, tmp_path / "stranger.log") == UNGRADED
        assert run(command, tmp_path / "log", **known) == GRADED
    *_, last = (tmp_path / "stranger.log").read_text().splitlines()
    assert last.startswith(f"grader: not graded: {address} requires certificates, and none are configured;")
    assert done(tmp_path / "out") == 1


def test_the_recipe_for_slurm_asks_for_what_a_worker_needs(tmp_path, monkeypatch):
    """The job script of the Slurm recipe requests a GPU, one thread and one device, and runs the
    preparation commands.
    """
    jobqueue = pytest.importorskip("dask_jobqueue")
    monkeypatch.chdir(tmp_path)
    asked = []
    monkeypatch.setattr(jobqueue.SLURMCluster, "scale", lambda _, jobs: asked.append(jobs))
    names = {}
    (recipe,) = blocks("python", "On a Slurm cluster")
    exec(recipe, names)
    try:
        script = names["cluster"].job_script()
    finally:
        names["cluster"].close()
    assert asked[0] == 8
    for words in ("--gres=gpu:1", "--cpus-per-task=4", "--nthreads 1", "--resources device=1", "$DOCKER_HOST &"):
        assert words in script
    subprocess.run(["/bin/sh", "-n", "-c", script], check=True)
