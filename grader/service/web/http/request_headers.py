"""Facts from the headers of a request: the page that it comes from, and the format of its body."""

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers

OWN_FORM = re.compile(r"multipart/form-data; ?boundary=[\w'()+,./:=?-]{1,70}", re.ASCII | re.IGNORECASE)
"""Content type of the service's own forms. Others could cost much time: some charsets take quadratic time to decode,
and a URL-encoded form may have a million empty fields.
"""

PLATFORM_FORM = re.compile(r"application/x-www-form-urlencoded(; ?charset=utf-8)?", re.ASCII | re.IGNORECASE)
"""Content type of these forms. They are parsed with a limit on the number of fields."""

API_BODY_TYPES = frozenset(
    {
        None,
        "application/octet-stream",
        "application/x-www-form-urlencoded",
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=utf-8",
    }
)


def from_own_page(headers: Headers, origin: str) -> bool:
    """True if the headers show that a page of the service sent the request. Also true if they do not show where it
    comes from. In that case it comes from a program, which does not have the cookies of other users.
    """
    said = headers.get("origin")
    if said is not None:
        return said == origin
    return headers.get("sec-fetch-site") in {None, "same-origin"} and _same_site(headers.get("referer"), origin)


def is_own_form(headers: Headers) -> bool:
    """True for the content type of the service's own forms, and without a content type, because then the body is not
    parsed.
    """
    said = headers.get("content-type")
    return said is None or OWN_FORM.fullmatch(said) is not None


def is_platform_form(headers: Headers) -> bool:
    """Return True for the content type of forms from learning platforms."""
    return PLATFORM_FORM.fullmatch(headers.get("content-type", "")) is not None


def is_api_body(headers: Headers) -> bool:
    """True for the content types that programs send. Only used for the API, which ignores cookies."""
    said = headers.get("content-type")
    return (None if said is None else said.lower()) in API_BODY_TYPES


def referring_page(headers: Headers, origin: str) -> str:
    """Address of the service's page from which a browser comes; "/" if the page is unknown or belongs to
    another site.
    """
    referer = headers.get("referer")
    if referer is None or not _same_site(referer, origin):
        return "/"
    return origin + urlsplit(referer).path


def _same_site(referer: str | None, origin: str) -> bool:
    if referer is None:
        return True
    try:
        return origin_of(referer) == origin
    except ValueError:
        return False


def origin_of(address: str) -> str:
    """The origin of an address: its scheme, host and port. Raises ValueError if the address is malformed."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
