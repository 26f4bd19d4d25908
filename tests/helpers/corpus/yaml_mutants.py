"""Numbered mutants of an assignment.yaml that imitate typing errors, misunderstandings and malice."""

import copy
import random
from datetime import date
from functools import cache

import yaml

ODD = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**64,
        10**400,
        1.5,
        -0.0,
        float("nan"),
        float("inf"),
        1e308,
        date(2020, 1, 1),
    ),
    *(
        "",
        "x",
        "1",
        "n",
        "(",
        "width*",
        "9**9**9",
        "width**99",
        "'a'*10",
        "1/0",
        "sqrt(-1)",
        "min()",
        "max(1)",
        "[1][2]",
    ),
    *("{}", "a.b", "lambda: 1", "1 if 1 else 2", "f'{1}'", "\0", "\ud800", "\U0001f600", "(" * 300, "-" * 3000 + "1"),
    *([], [[]], {}, [None], {"a": 1}, {1: 2}, {None: None}, [1] * 50, {"x": {"y": {}}}, "../../etc", b"bytes", {1, 2}),
]
SIGNS = "&*!|>%@`{}[]:,-#?\t\0\n'\"\ud800"
WORDS = ("&a ", "*a ", "!!python/object:os.system ", "<<: ", "!!binary ", "2020-13-45 ", "- ", "? ", ": ")


def mutant(text, number):
    """Return the mutant with this number, as the bytes of a file."""
    chance = random.Random(number)
    changed = _misspelt(text, chance) if chance.random() < 0.2 else _rearranged(copy.deepcopy(_fields(text)), chance)
    return changed.encode("utf-8", "surrogatepass")


@cache
def _fields(text):
    """Return the content of the file. It is cached, because reading it takes as long as reading one of thousands of
    mutants.
    """
    return yaml.safe_load(text)


def _misspelt(text, chance):
    letters = list(text)
    for _ in range(chance.choice((1, 2, 5))):
        place = chance.randrange(len(letters))
        letters[place : place + chance.randrange(2)] = [chance.choice((*SIGNS, *WORDS, ""))]
    return "".join(letters)


def _rearranged(fields, chance):
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = list(_places(fields))
        if places:
            _change(*chance.choice(places), [around[key] for around, key in places], chance)
    return yaml.safe_dump(fields, allow_unicode=True, sort_keys=False)


def _places(value):
    """Yield each value inside this one, as its container and its key."""
    for key in [*value] if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def _change(around, key, others, chance):
    match chance.randrange(6):
        case 0:
            around[key] = copy.deepcopy(chance.choice(ODD))
        case 1:
            del around[key]
        case 2:
            around[key] = copy.deepcopy(chance.choice(others))
        case 3 if isinstance(around, dict):
            around[chance.choice([f"{key}x", "kernel", "parts", None, 1, "", "sizes"])] = around.pop(key)
        case 4 if isinstance(around[key], str) and around[key]:
            at = chance.randrange(len(around[key]))
            around[key] = around[key][:at] + chance.choice("()*/%-+,'\"{}[]0x \n") + around[key][at + 1 :]
        case _:
            around[key] = [around[key]]
