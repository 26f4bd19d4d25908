"""Files to be downloaded: browsers save them and show none."""

from starlette.responses import Response


def csv_file(name: str, data: bytes) -> Response:
    """A table under this name."""
    return Response(data, media_type="text/csv; charset=utf-8", headers=saved_as(name))


def saved_as(name: str) -> dict[str, str]:
    """The headers of a file that is saved under this name, which is one of ours; nothing in it runs."""
    return {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}
