"""Signs a terminal in and out (RFC 8628), and shows the user's standing in the course."""

import platform
import time
from collections.abc import Callable
from datetime import datetime

from grader.cli.remote.calls import Service, origin_of
from grader.cli.remote.job_sign_in import current_sign_in
from grader.cli.remote.sign_in_file import SignIn, forget, store, stored
from grader.common.errors import InputError
from grader.protocol.text import showable

Say = Callable[[str], None]
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
SLOWER = 5
"""Seconds by which the interval is increased if the service asks for slower requests."""

ENDS = {
    "access_denied": "the sign-in was denied in the browser; run `grader login` again if that was a mistake.",
    "expired_token": "the code has expired; run `grader login` again.",
}


def sign_in(url: str, say: Say) -> None:
    """Sign in with a code that the user confirms in a browser. Raises InputError if it is not confirmed."""
    origin = origin_of(url)
    service = Service(origin)
    told = service.post_form("/api/v1/device/code", client_id=platform.node() or "a terminal", scope="read submit")
    if not isinstance(told.get("device_code"), str):
        raise InputError(f"{origin} does not answer like a grader service; check the address.")
    say(showable(f"Open {told['verification_uri_complete']}"))
    say(showable(f"and confirm the code {told['user_code']}. Waiting; press Ctrl-C to stop."))
    token = _waited_for(service, told["device_code"], float(told["interval"]))
    store(SignIn(url=origin, token=token))
    say(f"This terminal is signed in at {origin}.")


def _waited_for(service: Service, code: str, interval: float) -> str:
    while True:
        time.sleep(interval)
        told = service.post_form("/api/v1/device/token", grant_type=GRANT, device_code=code)
        match told.get("error"):
            case None:
                return str(told["access_token"])
            case "authorization_pending":
                continue
            case "slow_down":
                interval += SLOWER
            case why:
                raise InputError(ENDS.get(why, f"the service refused to sign in this terminal ({why})."))


def sign_out(say: Say) -> None:
    """Delete the token on this machine, and revoke it at the service if it is still valid."""
    kept = stored()
    try:
        Service(kept.url, kept.token).ask("DELETE", "/api/v1/token")
    finally:
        forget()
    say("This terminal is signed out.")


def standing(say: Say) -> None:
    """Print a line for each assignment. It is at most 80 columns wide, except for long names."""
    kept = current_sign_in()
    for each in Service(kept.url, kept.token).ask("GET", "/api/v1/assignments"):
        due = (
            "no due date"
            if each["due"] is None
            else f"due {datetime.fromisoformat(each['due']).astimezone():%d %b %H:%M}"
        )
        left = "no limit" if each["attempts_left"] is None else f"{each['attempts_left']} left"
        points = "-" if each["points"] is None else f"{each['points']:g}/{each['max_points']:g}"
        hidden = f" ({each['hidden_points']:g} hidden)" if each.get("hidden_points") else ""
        say(showable(f"{each['name']:<24} {due:<18} {left:<10} {points:>12}{hidden}"))
