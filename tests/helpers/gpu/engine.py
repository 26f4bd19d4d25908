"""Fixtures with a container engine and its images, for the tests that need them.

Without an engine, such a test is skipped with a reason. With GRADER_TEST_ENGINE=required, it fails instead.
"""

import os
from contextlib import closing

import docker
import pytest
from docker.errors import DockerException, ImageNotFound
from worker_rules import LIMITS, TIMEOUTS

from grader.common.errors import WorkerError
from grader.execution.client import Worker
from grader.execution.sandbox.docker.sandbox import ContainerSandbox
from grader.execution.sandbox.limits import ContainerRules, Rules

WORKER_IMAGE = "grader-worker"
GRADER_IMAGE = "grader"

NO_ENGINE = "no container engine answers"


def do_without(reason):
    """Skip the test, or fail it if a container engine is required."""
    if os.environ.get("GRADER_TEST_ENGINE") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def engine():
    """The container engine of this machine."""
    try:
        client = docker.from_env()
    except (DockerException, OSError):
        do_without(NO_ENGINE)
    with closing(client):
        yield client


@pytest.fixture(scope="session")
def worker_image(engine, tmp_path_factory):  # noqa: ARG001 - without an engine there are no images
    """Name of the worker's image. It must contain the worker of this source tree. GRADER_DOCKER__IMAGE overrides the
    name.
    """
    name = os.environ.get("GRADER_DOCKER__IMAGE", WORKER_IMAGE)
    rules = ContainerRules(image=name, folder=tmp_path_factory.mktemp("first-worker"))
    try:
        with (
            closing(ContainerSandbox(Rules(limits=LIMITS, container=rules))) as sandbox,
            Worker(sandbox, 0, TIMEOUTS) as worker,
        ):
            worker.ready()
    except WorkerError as error:
        do_without(f"the image {name} cannot be used: {error}")
    return name


@pytest.fixture(scope="session")
def grader_image(engine):
    """Name of the image with the judge and its command line."""
    try:
        engine.images.get(GRADER_IMAGE)
    except ImageNotFound:
        do_without(f"there is no image {GRADER_IMAGE}")
    return GRADER_IMAGE
