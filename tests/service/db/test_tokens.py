"""tokens.py: tokens are random, and their hashes identify them."""

import hashlib

from grader.service.db.tokens import TOKEN_BYTES, fresh_token, same_token, token_hash


def test_each_token_is_new_and_fits_in_an_address():
    """Tokens differ from each other, have at least 256 bits, and need no quoting in an address."""
    tokens = {fresh_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(each) * 6 >= TOKEN_BYTES * 8 for each in tokens)
    assert all(each.replace("-", "").replace("_", "").isalnum() for each in tokens)


def test_a_token_that_is_no_text_of_a_browser_is_compared_without_a_fault():
    """Half of a surrogate pair, which UTF-8 cannot encode, is hashed and compared like any wrong token."""
    token = fresh_token()
    assert token_hash(token) == hashlib.sha256(token.encode()).hexdigest()
    assert len(token_hash("\ud800")) == 64
    assert [same_token(token, each) for each in (token, token[:-1], "\ud800", "")] == [True, False, False, False]
