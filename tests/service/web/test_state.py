"""state.py: the names of cookies keep services of one machine apart, and a request has the time of its first byte."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from grader.service.web.state import ARRIVED_KEY, arrival_of, state_of


@pytest.mark.parametrize(
    ("origin", "secure", "name"),
    [
        ("http://127.0.0.1", False, "grader"),
        ("http://127.0.0.1:8000", False, "grader-8000"),
        ("https://grader.example.org", True, "__Host-grader"),
        ("https://grader.example.org:8443", True, "__Host-grader-8443"),
    ],
)
def test_cookies_of_two_services_on_one_host_differ(service, origin, secure, name):
    """A cookie has the port in its name, because browsers send it to all ports. With TLS, it has the prefix that other
    hosts of the domain cannot set.
    """
    state = replace(service.app_state, origin=origin)
    names = {state.cookie, state.code_cookie, state.sign_on_cookie}
    assert (state.secure, state.cookie) == (secure, name)
    assert len(names) == 3
    assert all(each.startswith(name) for each in names)


def test_a_request_has_the_time_of_its_first_byte(service):
    """A form that takes long to arrive has the time of its first byte. Without that time, the present time counts."""
    begun = service.now - timedelta(minutes=5)
    request = SimpleNamespace(app=service.app, scope={"state": {ARRIVED_KEY: begun}})
    assert state_of(request) is service.app_state
    assert arrival_of(request) == begun
    for scope in ({}, {"state": {}}):
        assert arrival_of(SimpleNamespace(app=service.app, scope=scope)) == service.now


def test_the_place_in_the_queue_is_by_the_clock_of_the_service(service):
    """The place of a grading counts those before it, and the newest one is last."""
    numbers = [service.hand_in(person=person) for person in (service.ada, service.ben)]
    rows = [service.gradings(each)[0] for each in numbers]
    with service.database.reading() as session:
        assert [service.app_state.place(session, each).ahead for each in rows] == [0, 1]
