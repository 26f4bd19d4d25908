"""Sandboxes with a container engine that a test controls."""

from contextlib import closing
from types import SimpleNamespace

import docker
import pytest
from container_engines import FakeEngine, rules

from grader.execution.sandbox.docker import container
from grader.execution.sandbox.docker.sandbox import ContainerSandbox


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(container, "RESTART_SECONDS", 1.2)
    made = FakeEngine()
    monkeypatch.setattr(docker, "from_env", lambda: SimpleNamespace(api=made))
    yield made
    made.ours.close()
    made.theirs.close()


@pytest.fixture
def failing(fake, request):
    """A fake engine in which one call fails with an error. The test's parameter gives both."""
    call, error = request.param
    fake.failures[call] = error
    return fake


@pytest.fixture
def sandbox(fake, tmp_path):
    """A sandbox with the fake engine. At the end, the fixture checks that nothing of its workers is left."""
    with closing(ContainerSandbox(rules(tmp_path))) as made:
        yield made
    assert fake.closed
    assert list(tmp_path.iterdir()) == []
