"""Sends one request to another service. It does not follow redirects, and it cuts off answers that are too large or too
slow.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import requests

from grader.protocol.text import showable
from grader.service.network.addresses import Network
from grader.service.network.guard import NOT_IN_TIME, UnansweredError, guarded

CONNECT_SECONDS = 5.0
"""Seconds to wait for a connection to each address of a host."""

MAX_WORDS = 300
"""Maximum number of characters of the other side's answer that are kept for messages."""

CHUNK_BYTES = 64 * 1024
"""Number of bytes that are read at a time from an answer."""


@dataclass(frozen=True, kw_only=True)
class HttpAnswer:
    """The answer of another service, cut off at the maximum size."""

    status: int
    headers: Mapping[str, str]
    text: str
    is_complete: bool = True

    @property
    def is_accepted(self) -> bool:
        """True if the other side has accepted the request."""
        return 200 <= self.status < 300

    @property
    def words(self) -> str:
        """The beginning of the answer's text, in one line."""
        return " ".join(showable(self.text).split())[:MAX_WORDS]


@dataclass(frozen=True, kw_only=True)
class HttpClient:
    """Sends requests to public addresses by TLS, and to the `private` networks. A whole answer may take `seconds` and
    have `max_bytes`. Each wait for its next part may take `read_seconds`.
    """

    private: Sequence[Network] = ()
    read_seconds: float = 10.0
    seconds: float = 30.0
    max_bytes: int = 4 * 1024 * 1024  # a page of a platform's roster with 1,000 members has about 500 KB

    def send(self, method: str, url: str, headers: Mapping[str, str], data: Any = None) -> HttpAnswer:
        """Send a request. `data` is bytes or the fields of a form. Raises UnansweredError with the reason if there is
        no answer.
        """
        session = _WithoutRedirects()
        with _in_words(), guarded(session, self.private, self.seconds):
            answer = session.request(
                method,
                url,
                headers={**headers, "user-agent": "grader"},
                data=data,
                timeout=(CONNECT_SECONDS, self.read_seconds),
                allow_redirects=False,
                stream=True,
            )
            content = self._start_of(answer)
        return HttpAnswer(
            status=answer.status_code,
            headers=answer.headers,
            text=content[: self.max_bytes].decode("utf-8", "replace"),
            is_complete=len(content) <= self.max_bytes,
        )

    def _start_of(self, answer: requests.Response) -> bytes:
        content = b""
        for part in answer.iter_content(min(CHUNK_BYTES, self.max_bytes + 1)):
            content += part
            if len(content) > self.max_bytes:
                break
        return content


class _WithoutRedirects(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None, because the requests library would otherwise read the whole answer and parse the new address."""


@contextlib.contextmanager
def _in_words() -> Iterator[None]:
    """Convert network errors to UnansweredError, with a reason in words."""
    try:
        yield
    except UnansweredError:
        raise
    except requests.exceptions.SSLError as error:
        raise UnansweredError("has no valid certificate") from error
    except requests.exceptions.Timeout as error:
        raise UnansweredError(NOT_IN_TIME) from error
    except (requests.exceptions.RequestException, ValueError, OSError) as error:
        raise UnansweredError("cannot be reached: no connection") from error
