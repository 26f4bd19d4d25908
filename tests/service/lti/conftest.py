"""Fixtures of tests about learning platforms."""

import pytest
from lti_platforms import platform_at_work, registered


@pytest.fixture(scope="module")
def running():
    """Run a learning platform for the tests of a module."""
    with platform_at_work() as made:
        yield made


@pytest.fixture
def platform(running, service):
    """Return a platform in its initial state, at which the service is registered."""
    running.__init__(running.address)
    registered(service, running)
    return running
