"""Files to be downloaded, which browsers save and do not show; and large answers, sent part by part."""

import zlib
from collections.abc import Iterator, Mapping

from starlette.responses import Response, StreamingResponse

PART = 64 * 1024
"""Bytes of a large answer that are held until they are taken: who reads slowly holds a part, not all."""


def unpacked(packed: bytes, media_type: str, headers: Mapping[str, str]) -> Response:
    """What the database keeps packed. A report of a megabyte of quotation marks has ten."""
    return StreamingResponse(_parts(packed), media_type=media_type, headers=headers)


def _parts(packed: bytes) -> Iterator[bytes]:
    unpacking = zlib.decompressobj()
    while part := unpacking.decompress(packed, PART):
        packed = unpacking.unconsumed_tail
        yield part


CSV = "text/csv; charset=utf-8"


def csv_file(name: str, data: bytes) -> Response:
    """A table under this name."""
    return Response(data, media_type=CSV, headers=saved_as(name))


def saved_as(name: str) -> dict[str, str]:
    """The headers of a file that is saved under this name, which is one of ours; nothing in it runs."""
    return {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}
