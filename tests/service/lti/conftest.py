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
    """Return a platform at which the service is registered, as it was when it started."""
    running.__init__(running.address)
    registered(service, running)
    return running
