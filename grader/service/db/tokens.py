"""Secrets that browsers send. They are random, stored as hashes, and compared in constant time."""

import hashlib
import secrets

TOKEN_BYTES = 32


def fresh_token() -> str:
    """256 random bits, as text that is safe in a URL."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """The hash of a token. The database stores the hash instead of the token, so that reading the database does not
    allow a sign-in.
    """
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def same_token(one: str, other: str) -> bool:
    """True if two tokens are equal. The comparison takes the same time for equal and different tokens."""
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
