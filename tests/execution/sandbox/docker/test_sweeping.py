"""sweeping.py: containers that killed judges have left are removed, and no others."""

import errno
from contextlib import closing
from pathlib import Path

import pytest
from container_engines import refusal, rules

from grader.execution.sandbox.docker.sandbox import ContainerSandbox
from grader.execution.sandbox.docker.sweeping import LABEL
from grader.execution.sandbox.folder import PREFIX, WorkerFolder


def container_of(folder, name):
    return {"Id": name, "Labels": {LABEL: str(folder)}}


def test_only_what_the_dead_left_is_swept(fake, tmp_path):
    """Containers of killed judges and containers whose folders are missing are removed. Containers of running judges
    stay.
    """
    living = WorkerFolder.make(tmp_path)
    dead = tmp_path / f"{PREFIX}dead"
    dead.mkdir()
    (dead / "in.bin").touch()
    fake.listed = [
        container_of(dead, "dead"),
        container_of(living.path, "living"),
        container_of(tmp_path / f"{PREFIX}gone", "gone"),
    ]
    with closing(ContainerSandbox(rules(tmp_path))):
        assert fake.removed == ["dead", "gone"]
    assert not dead.exists()
    assert living.path.is_dir()
    living.remove()


def test_containers_are_removed_before_their_folders(fake, tmp_path, monkeypatch):
    """Containers are removed before their folders. If the engine fails, each remaining container still has a folder by
    which it is found.
    """
    dead = tmp_path / f"{PREFIX}dead"
    dead.mkdir()
    (dead / "in.bin").touch()
    fake.listed = [container_of(dead, "dead")]
    there = []
    monkeypatch.setattr(fake, "remove_container", lambda *_, **__: there.append(dead.is_dir()))
    with closing(ContainerSandbox(rules(tmp_path))):
        assert there == [True]


@pytest.mark.parametrize("reason", ["removal is already in progress", "driver failed to remove root filesystem"])
def test_a_container_that_cannot_be_swept_stops_nobody(fake, tmp_path, reason):
    """A container that cannot be removed does not delay any start. Another judge may already be removing it."""
    fake.listed = [container_of(tmp_path / f"{PREFIX}gone", "gone")]
    fake.failures["remove_container"] = refusal(reason)
    with closing(ContainerSandbox(rules(tmp_path))) as sandbox:
        sandbox.start().stop()
    assert len(fake.created) == 1


def test_folders_that_this_judge_does_not_see_are_left_to_those_who_do(fake, tmp_path):
    """Containers whose folders this judge cannot see are left alone, because another judge's folders may be elsewhere,
    invisible to a judge in a container.
    """
    fake.listed = [container_of(f"/srv/of-another-judge/{PREFIX}living", "living")]
    with closing(ContainerSandbox(rules(tmp_path))):
        assert fake.removed == []


def test_a_folder_of_another_user_that_cannot_be_looked_at_stops_nobody(fake, tmp_path, monkeypatch):
    """Containers whose folders this user may not look at, for example in another user's home, are left alone."""
    fake.listed = [container_of(f"/home/them/{PREFIX}living", "living")]
    exists = Path.exists

    def forbidden(path):
        if str(path).startswith("/home/them/"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return exists(path)

    monkeypatch.setattr(Path, "exists", forbidden)
    with closing(ContainerSandbox(rules(tmp_path))):
        assert fake.removed == []
