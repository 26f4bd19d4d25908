"""Secrets that browsers carry: random, stored as hashes, and compared in constant time."""

import hashlib
import secrets

TOKEN_BYTES = 32


def fresh_token() -> str:
    """256 random bits, as text that can be part of an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """The hash of a token, which is stored in its place: a reader of the database cannot sign in with it."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def same_token(one: str, other: str) -> bool:
    """True if two tokens are equal. Takes the same time for equal and different tokens."""
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
