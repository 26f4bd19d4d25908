"""Dynamic registration: a learning platform registers itself, with a link from the operator.

The link is needed because a registration decides whose messages are trusted, and because the service sends requests to
the addresses in it.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from grader.service.errors import RefusedError
from grader.service.lti.launches.launch import LAUNCH_PATH, SELECTION_PATH
from grader.service.lti.launches.message import DEEP_LINKING
from grader.service.lti.platform_client import PlatformClient, PlatformError
from grader.service.lti.registrations import Registration
from grader.service.lti.services.delivery import AGS_SCOPE
from grader.service.lti.services.roster import SCOPE as ROSTER_SCOPE

SCOPES = (
    f"{AGS_SCOPE}lineitem",
    f"{AGS_SCOPE}score",
    f"{AGS_SCOPE}result.readonly",
    ROSTER_SCOPE,
)
"""Permissions that the service requests: columns, scores, the results at the platform, and the roster."""

TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
PLATFORM = "https://purl.imsglobal.org/spec/lti-platform-configuration"


def registered_at(client: PlatformClient, configuration_url: str, token: str, origin: str) -> Registration:
    """Register the service at a platform whose configuration is at this address. Raises RefusedError if that fails."""
    try:
        client.require_address(configuration_url, "address of the configuration")
        stated = _object(client.plain("GET", configuration_url))
        place = _text(stated, "registration_endpoint")
        if urlsplit(configuration_url).hostname != urlsplit(_text(stated, "issuer")).hostname:
            raise RefusedError("The configuration names an issuer on another server, so it is not trusted.")
        client.require_address(place, "address of registrations")
        made = _object(client.plain("POST", place, tool_configuration(origin), token))
    except PlatformError as error:
        raise RefusedError(f"The registration failed: {error}.") from error
    tool = made.get(TOOL)
    deployment = tool.get("deployment_id") if isinstance(tool, dict) else None
    platform = stated.get(PLATFORM)
    family = platform.get("product_family_code") if isinstance(platform, dict) else None
    return Registration(
        name=f"{family or 'LMS'} at {urlsplit(_text(stated, 'issuer')).hostname}",
        issuer=_text(stated, "issuer"),
        client_id=_text(made, "client_id"),
        authorization_url=_text(stated, "authorization_endpoint"),
        token_url=_text(stated, "token_endpoint"),
        jwks_url=_text(stated, "jwks_uri"),
        token_audience=str(stated.get("authorization_server") or ""),
        deployments=(str(deployment),) if deployment else (),
    )


def tool_configuration(origin: str) -> dict[str, Any]:
    """The service as a tool, in the form of the specification of dynamic registration."""
    host = urlsplit(origin).netloc
    selection = {"type": DEEP_LINKING, "target_link_uri": origin + SELECTION_PATH, "label": "Assignments of grader"}
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "initiate_login_uri": f"{origin}/lti/login",
        "redirect_uris": [origin + LAUNCH_PATH],
        "client_name": "grader",
        "jwks_uri": f"{origin}/lti/keys",
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": " ".join(SCOPES),
        TOOL: {
            "domain": host,
            "target_link_uri": origin + LAUNCH_PATH,
            "claims": ["iss", "sub", "name", "given_name", "family_name", "email"],
            "messages": [selection],
        },
    }


def _object(answer: Any) -> Mapping[str, Any]:
    if not 200 <= answer.status < 300:
        raise RefusedError(
            f"The registration failed: the platform answered with status {answer.status}: {answer.words}"
        )
    found = answer.json
    if not isinstance(found, dict):
        raise RefusedError("The registration failed: the platform's answer is not an object.")
    return found


def _text(stated: Mapping[str, Any], name: str) -> str:
    value = stated.get(name)
    if not isinstance(value, str) or not value:
        raise RefusedError(f"The registration failed: the platform's answer lacks {name}.")
    return value
