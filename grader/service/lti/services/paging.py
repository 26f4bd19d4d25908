"""Reads lists that a platform sends in several pages."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from grader.service.errors import RefusedError
from grader.service.lti.platform_client import Endpoints, PlatformAnswer, PlatformClient, ServiceRequest
from grader.service.lti.tokens import SigningKey

MAX_PAGES, MAX_CHARACTERS = 500, 32 * 1024 * 1024
"""Maximum number of pages of a list, and of characters in all of them. 10,000 members have 5 million."""

NEXT = re.compile(r'<([^<>]*)>\s*;[^,<]*\brel="?next"?', re.IGNORECASE)
"""Pattern of the address of the next page in a Link header. It is searched in linear time: no part of it reaches beyond
the next `<`.
"""


def pages(
    client: PlatformClient, platform: Endpoints, key: SigningKey, first: ServiceRequest
) -> Iterator[PlatformAnswer]:
    """Return all pages of a list, starting with this request. Raises a PlatformError or RefusedError if a page cannot
    be read, or if the list is too large.
    """
    address, seen, length = first.url, set[str](), 0
    while address:
        if address in seen or len(seen) >= MAX_PAGES:
            raise RefusedError("the list has too many pages.")
        seen.add(address)
        asked = ServiceRequest(method="GET", url=address, scopes=first.scopes, accept=first.accept)
        answer = client.ask(platform, key, asked)
        length += len(answer.text)
        if length > MAX_CHARACTERS:
            raise RefusedError("the list is too large.")
        yield answer
        address = _next(answer, address)


def _next(answer: PlatformAnswer, address: str) -> str:
    """Address of the next page, or empty on the last page. It must be on the same server, because it gets the token."""
    found = NEXT.search(answer.headers.get("link", ""))
    if found is None:
        return ""
    try:
        following: str = urljoin(address, found[1])
        is_elsewhere = urlsplit(following)[:2] != urlsplit(address)[:2]
    except ValueError as error:
        raise RefusedError("the address of the next page of the list is not valid.") from error
    if is_elsewhere:
        raise RefusedError("the next page of the list is at another server.")
    return following
