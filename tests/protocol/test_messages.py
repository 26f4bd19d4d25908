"""messages.py: the judge's own types limit the size of each worker's reply, because the worker's limits cannot be
trusted.
"""

import contextlib
import json

import pytest
from cost_growth import assert_linear
from pydantic import ValidationError
from samples import SEEN

from grader.protocol.messages import REPLY, REPLY_LIMIT, TEXT_LIMIT, BuildFailed
from grader.protocol.observation import MESSAGES
from grader.protocol.steps import MOST_RUNS, TURNS
from grader.protocol.wire import FEW, LOG_LIMIT, MANY, NAME_LIMIT, STEPS, WORDS_LIMIT

ARG = {"address_space": "global", "type": "float*", "name": "A"}
KERNEL = {"program": "p", "name": "k", "args": [ARG]}
TIME = {"start_ns": 0, "end_ns": 1}
ARRAY = {"space": 1, "buffer": 1, "name": "A", "size": 4}
MESSAGE = {"text": "t", "array": "A", "times": 1, "endings": [], "writes": []}
BRANCH = {"line": 1, "reached": 1, "diverged": 0, "constant": True}

LISTS = {
    "kernels": (FEW, lambda n: {"kind": "opened", "kernels": [KERNEL] * n}),
    "parameters": (FEW, lambda n: {"kind": "opened", "kernels": [{**KERNEL, "args": [ARG] * n}]}),
    "logs": (FEW, lambda n: {"kind": "opened", "kernels": [], "logs": [{"program": "p", "log": ""}] * n}),
    "times": (STEPS, lambda n: {"kind": "launched", "times": [TIME] * n}),
    "iterations": (MOST_RUNS, lambda n: {"kind": "launched", "times": [], "turns": [1] * n}),
    "turns": (FEW, lambda n: {"kind": "turned", "launches": [{"times": []}] * n, "waits_ns": []}),
    "waits": (FEW, lambda n: {"kind": "turned", "launches": [], "waits_ns": [1] * n}),
    "names": (FEW, lambda n: {"kind": "devices", "worker": "w", "devices": [], "too_new": ["a"] * n}),
    "launches": (TURNS, lambda n: {"kind": "observed", "kernels": [SEEN] * n}),
    "arrays": (MANY, lambda n: {"kind": "observed", "kernels": [{**SEEN, "arrays": [ARRAY] * n}]}),
    "messages": (MESSAGES, lambda n: {"kind": "observed", "kernels": [{**SEEN, "messages": [MESSAGE] * n}]}),
    "branches": (MANY, lambda n: {"kind": "observed", "kernels": [{**SEEN, "branches": [BRANCH] * n}]}),
    "endings": (
        MANY,
        lambda n: {"kind": "observed", "kernels": [{**SEEN, "messages": [{**MESSAGE, "endings": [[1, 1]] * n}]}]},
    ),
    "writes": (
        MANY,
        lambda n: {"kind": "observed", "kernels": [{**SEEN, "messages": [{**MESSAGE, "writes": [True] * n}]}]},
    ),
}


def read(reply):
    return REPLY.validate_json(json.dumps(reply))


@pytest.mark.sampled
@pytest.mark.parametrize(("limit", "reply"), LISTS.values(), ids=LISTS)
def test_a_list_has_its_limit(limit, reply):
    """A list in a reply is accepted up to its limit, and rejected if it has one more element."""
    read(reply(limit))
    with pytest.raises(ValidationError) as refused:
        read(reply(limit + 1))
    assert refused.value.error_count() == 1


def test_texts_are_cut_to_their_limits():
    """Names, logs and messages in replies are cut to their limits, so later code need not check their length."""
    long = "x" * REPLY_LIMIT
    failed = read({"kind": "build_failed", "program": long, "log": long})
    assert (len(failed.program), len(failed.log)) == (NAME_LIMIT, LOG_LIMIT)
    kernel = {**SEEN, "messages": [{**MESSAGE, "text": long}]}
    (seen,) = read({"kind": "observed", "kernels": [kernel]}).kernels
    assert len(seen.messages[0].text) == WORDS_LIMIT


def test_a_preprocessed_text_is_whole_or_refused():
    """A preprocessed text that is too long is rejected, because a cut text would have another meaning."""
    assert len(read({"kind": "preprocessed", "text": "x" * TEXT_LIMIT}).text) == TEXT_LIMIT
    with pytest.raises(ValidationError):
        read({"kind": "preprocessed", "text": "x" * (TEXT_LIMIT + 1)})


@pytest.mark.parametrize(
    "fields",
    [{"turns": [TURNS + 1]}, {"turns": [1, 0]}, {"turns": 1}, {"times": [{"start_ns": 0, "end_ns": 2**63}]}],
    ids=str,
)
def test_numbers_have_their_limits(fields):
    """Numbers of turns and times that are outside their ranges are rejected, because the judge adds or shows them."""
    with pytest.raises(ValidationError):
        read({"kind": "launched", "times": [], **fields})


RUBBISH = {
    "wrong elements": lambda size: b'{"kind":"observed","kernels":[' + b"1," * (size // 2) + b"1]}",
    "unknown fields": lambda size: (
        '{"kind":"done"' + "".join(f',"{i:07}":1' for i in range(size // 12 + 1)) + "}"
    ).encode(),
    "digits": lambda size: b'{"kind":"launched","times":[],"delay_ns":' + b"9" * size + b"}",
    "brackets": lambda size: b"[" * size,
    "quotes": lambda size: b'{"kind":"build_failed","program":"' + b'\\"' * (size // 2) + b'","log":""}',
}


@pytest.mark.whole
@pytest.mark.parametrize("make", RUBBISH.values(), ids=RUBBISH)
def test_rubbish_is_refused_in_proportion_to_its_length(make):
    """Rejecting a malformed reply takes time proportional to its length, which is limited before the parser runs."""

    def parse(said):
        with contextlib.suppress(ValidationError):
            assert isinstance(REPLY.validate_json(said), BuildFailed)

    assert_linear(parse, make)
