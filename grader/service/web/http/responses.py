"""Downloads, which browsers save instead of showing them, and large answers, which are sent in parts."""

import zlib
from collections.abc import Iterator, Mapping
from itertools import islice

from markupsafe import Markup
from starlette.responses import Response, StreamingResponse

PART_BYTES = 64 * 1024
"""Maximum number of bytes of a large answer that are in memory at once, even for a client that reads slowly."""


def decompressed(packed: bytes, media_type: str, headers: Mapping[str, str]) -> Response:
    """Answer with compressed data, which is decompressed in parts. The report about a file with 1 MB of quotation marks
    has 10 MB.
    """
    return StreamingResponse(_parts(packed), media_type=media_type, headers=headers)


def decompressed_page(packed: bytes, link: Markup, headers: Mapping[str, str]) -> Response:
    """Answer with a compressed report, with this link inserted at its beginning."""
    return StreamingResponse(_with_link(_parts(packed), link.encode()), media_type=HTML, headers=headers)


def _with_link(parts: Iterator[bytes], link: bytes) -> Iterator[bytes]:
    """Yield the parts of a page. Its body begins in the first part, and no text before it contains a tag."""
    yield from (part.replace(BODY, BODY + link, 1) for part in islice(parts, 1))
    yield from parts


def _parts(packed: bytes) -> Iterator[bytes]:
    unpacking = zlib.decompressobj()
    while part := unpacking.decompress(packed, PART_BYTES):
        packed = unpacking.unconsumed_tail
        yield part


HTML = "text/html; charset=utf-8"
BODY = b"<body>"

CSV = "text/csv; charset=utf-8"


def csv_file(name: str, data: bytes) -> Response:
    """A CSV file that the browser saves with this name."""
    return Response(data, media_type=CSV, headers=download_headers(name))


def download_headers(name: str) -> dict[str, str]:
    """Headers of a file that the browser saves with this name. Scripts in it do not run. The name must not come from a
    user.
    """
    return {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}
