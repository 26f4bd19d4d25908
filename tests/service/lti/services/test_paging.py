"""paging.py: lists of a platform are read in pages up to a limit."""

import time

from lti_platforms import member, roster_words

from grader.service.lti.services import paging
from grader.service.lti.services.paging import NEXT


def test_a_long_link_header_is_searched_quickly():
    """The next page is found in time that grows with the length of the header, not with its square."""
    began = time.perf_counter()
    assert NEXT.search("<>;" * 300_000) is None
    assert NEXT.search('<a>; rel="first", <b>; x="1"; rel="next"')[1] == "b"
    assert time.perf_counter() - began < 2


def test_a_list_of_large_pages_is_given_up(service, platform, monkeypatch):
    """A platform cannot fill the memory with few members that have long fields on many pages."""
    monkeypatch.setattr(paging, "MAX_CHARACTERS", 50_000)
    asked = []

    def one(*_):
        asked.append(1)
        link = f'<{platform.address}/members?page={len(asked)}>; rel="next"'
        return 200, {"link": link}, {"members": [member("sub-ann", junk="x" * 20_000)]}

    platform.answers = {"/members": one}
    assert roster_words(service) == "The roster could not be read: the list is too large."
    assert len(asked) == 3
