"""Secrets that browsers carry: made at random, kept as hashes, compared in constant time."""

import hashlib
import secrets

TOKEN_BYTES = 32


def fresh_token() -> str:
    """256 random bits, as text that can stand in an address."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_hash(token: str) -> str:
    """What is stored of it: nobody who reads the database can sign in with that."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def same_token(one: str, other: str) -> bool:
    """Whether they are equal, in a time that tells nothing."""
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
