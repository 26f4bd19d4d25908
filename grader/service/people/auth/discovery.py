"""Discovery documents and keys of OpenID Connect issuers. The operator enters their addresses, so issuers may be in
private networks.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from joserfc.jwk import KeySet

from grader.common.errors import InputError
from grader.service.network.addresses import ANY_NETWORK, LOOPBACK
from grader.service.network.client import HttpClient
from grader.service.people.auth.issuer_keys import key_set

CLIENT = HttpClient(private=ANY_NETWORK)


def require_safe_issuer(issuer: str, setting: str) -> None:
    """Raise InputError if an issuer on another machine does not use TLS."""
    parts = urlsplit(issuer)
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise InputError(f"{setting} must begin with https://; correct your settings.")


def metadata_of(issuer: str) -> Mapping[str, Any]:
    """The discovery document of an issuer. Raises OSError or ValueError if the issuer does not provide a usable one."""
    metadata = _json(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    if not isinstance(metadata, dict) or metadata.get("issuer") != issuer:
        raise ValueError("the discovery document belongs to another issuer")
    return metadata


def keys_in(metadata: Mapping[str, Any]) -> KeySet:
    """The keys of the issuer with this metadata. Raises OSError, ValueError or KeyError if there is no usable key."""
    return key_set(_json(metadata["jwks_uri"]))


def _json(place: str) -> Any:
    answer = CLIENT.send("GET", place, {"accept": "application/json"})
    if answer.status != 200 or not answer.is_complete:
        raise ValueError("the issuer does not answer")
    return json.loads(answer.text)
