"""responses.py: a large answer is sent in parts."""

import zlib

from grader.service.web.http.responses import PART_BYTES, _parts


def test_a_large_report_is_sent_part_by_part(service):
    """A large report is sent in parts, so that a slow reader occupies little memory. Quotation marks can make a report
    ten times as large as the submitted file.
    """
    page = b"'" * (3 * PART_BYTES) + b"end"
    parts = list(_parts(zlib.compress(page)))
    assert b"".join(parts) == page
    assert max(map(len, parts)) == PART_BYTES
    service.graded(attempt := service.hand_in())
    said = service.browser("ada").get(f"{service.page_of(attempt)}/report")
    assert "content-length" not in said.headers
    assert said.text.startswith("<!DOCTYPE html>")
