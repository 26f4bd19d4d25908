"""seccomp.json: which system calls are allowed with which arguments, evaluated in 64 bits as libseccomp does."""

import json
from importlib.resources import files

import pytest

from grader.execution.sandbox.docker.sandbox import SECCOMP
from grader.forkserver.system_calls import OF_FILES

LIST = json.loads(files("grader.execution.sandbox.docker").joinpath(SECCOMP).read_text(encoding="utf-8"))

MATCHES = {
    "SCMP_CMP_EQ": lambda argument, rule: argument == rule["value"],
    "SCMP_CMP_LE": lambda argument, rule: argument <= rule["value"],
    "SCMP_CMP_MASKED_EQ": lambda argument, rule: argument & rule["value"] == rule["valueTwo"],
}
"""Comparisons that are safe in a list of allowed calls. The kernel looks at only 32 bits of most arguments. These
comparisons refuse an argument with higher bits, whereas `not equal` or `greater` would allow it.
"""


def allows(name, *arguments):
    """Return True if a call with these arguments is allowed."""
    given = (*arguments, *[0] * (6 - len(arguments)))
    return any(
        all(MATCHES[each["op"]](given[each["index"]], each) for each in rule.get("args", ()))
        for rule in LIST["syscalls"]
        if name in rule["names"] and rule["action"] == "SCMP_ACT_ALLOW"
    )


def test_only_safe_comparisons_are_made():
    """Each rule compares at most one argument, with a safe comparison. Calls that are not in the list are refused."""
    compared = [rule["args"] for rule in LIST["syscalls"] if "args" in rule]
    assert {each["op"] for rules in compared for each in rules} == MATCHES.keys()
    assert {len(rules) for rules in compared} == {1}
    assert LIST["defaultAction"] == "SCMP_ACT_ERRNO"


def test_a_call_whose_arguments_are_compared_is_in_no_other_rule():
    """A call whose arguments are compared does not occur in a rule without arguments, which would allow all its
    arguments.
    """
    compared = {name for rule in LIST["syscalls"] if "args" in rule for name in rule["names"]}
    assert compared == {"clone", "fcntl", "madvise", "prctl", "prlimit64"}
    plain = {name for rule in LIST["syscalls"] if "args" not in rule for name in rule["names"]}
    assert not compared & plain


@pytest.mark.parametrize(
    "name",
    [
        *("alarm", "setitimer", "timer_create", "timerfd_create", "setrlimit", "seccomp", "bpf", "perf_event_open"),
        *(
            "io_setup",
            "io_submit",
            "io_uring_setup",
            "io_uring_enter",
            "inotify_init",
            "inotify_init1",
            "fanotify_init",
        ),
        *("add_key", "request_key", "keyctl", "userfaultfd", "unshare", "setns", "clone3", "mount", "fsmount"),
        *("socket", "socketpair", "memfd_create", "splice", "vmsplice", "tee", "sync_file_range", "process_madvise"),
        *("landlock_create_ruleset", "landlock_restrict_self", "mq_open", "mq_notify", "sched_setattr", "mknod"),
    ],
)
def test_services_that_work_later_are_not_in_the_list(name):
    """Services that continue to work after a call has returned are refused for all arguments."""
    assert not allows(name)


REFUSED = [
    *(("fcntl", 1, command) for command in (*OF_FILES, 9, 11, 16, 1025, 1031, 1033)),
    *(("madvise", 2, advice) for advice in (12, 13, 20, 21, 24, 25, 100)),
    *(("prctl", 0, option) for option in (22, 35, 59, 67)),
    *(("clone", 0, 1 << bit) for bit in (17, 25, 26, 27, 28, 29, 30)),
    ("prlimit64", 1, 4),
]
"""Calls with the index of the compared argument and a value that must be refused."""


@pytest.mark.parametrize("high", [0, 1 << 32, 1 << 62, (1 << 64) - (1 << 32)])
@pytest.mark.parametrize(("name", "index", "value"), REFUSED)
def test_what_works_later_is_refused_whatever_the_higher_bits_are(name, index, value, high):
    """Setting higher bits of a refused argument does not make it allowed, because the kernel ignores these bits."""
    arguments = [0] * 6
    arguments[2] = 1 if name == "prlimit64" else 0
    arguments[index] = value | high
    assert not allows(name, *arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *(("fcntl", (1, command)) for command in (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032, 1034)),
        *(("madvise", (0, 0, advice)) for advice in (0, 3, 4, 8, 10, 11, 14, 15, 22, 23)),
        *(("prctl", (option,)) for option in (1, 3, 4, 15, 16, 38, 39, 0x53564D41)),
        *(("prlimit64", (0, resource, 1)) for resource in (0, 1, 2, 3, 6, 7, 8, 12)),
        *(("prlimit64", (0, resource, 0)) for resource in range(16)),
        *(("clone", (flags,)) for flags in (17, 0x3D0F00, 0x01200011)),
    ],
)
def test_what_computing_needs_is_allowed(name, arguments):
    """A worker can set its limits, read limits, give memory advice, and start threads and processes."""
    assert allows(name, *arguments)
