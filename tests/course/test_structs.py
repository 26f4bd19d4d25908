"""structs.py, by_value.py and truth/fields.py: layouts, values and comparisons of structs."""

import numpy as np
import pytest
from courses import ADDITION, course_of

from grader.common.errors import InputError, SolutionError
from grader.course.by_value import content
from grader.course.elements import ELEMENTS
from grader.course.structs import StructFields, all_laid_out, laid_out
from grader.course.tolerance import Tolerance
from grader.course.truth.comparators import Standard
from grader.course.truth.comparison import compare, place
from grader.course.truth.fields import as_numbers, cast, dtype_of, parts_of
from grader.course.truth.oracle import Truth, consult, load_oracle

MIXED = StructFields(fields={"a": "uchar", "b": "float3", "c": "half", "d": "double"})
PACKED = StructFields(fields=MIXED.fields, packed=True)


def test_the_layout_follows_the_rules_of_c():
    """Fields are aligned to their sizes, the size to the largest alignment, and a packed struct has no padding."""
    struct, packed = laid_out("Mixed", MIXED, {}), laid_out("Mixed", PACKED, {})
    assert [member.offset for member in struct.members] == [0, 16, 32, 40]
    assert (struct.bytes, struct.unit) == (48, 4)
    assert [member.offset for member in packed.members] == [0, 1, 17, 19]
    assert (packed.bytes, packed.unit) == (27, 1)
    assert packed.definition == (
        "typedef struct __attribute__((packed)) Mixed { uchar a; float3 b; half c; double d; } Mixed;"
    )


def test_numpy_has_the_same_layout():
    """The structured type has the offsets and the size of the struct."""
    for stated in (MIXED, PACKED):
        struct = laid_out("Mixed", stated, {})
        dtype = dtype_of(struct)
        assert dtype.itemsize == struct.bytes
        assert [dtype.fields[member.name][1] for member in struct.members] == [each.offset for each in struct.members]


NESTED = {
    "Outer": StructFields(fields={"id": "uchar", "mixed": "Mixed", "tight": "Tight", "more": "short"}),
    "Mixed": StructFields(fields={"a": "uchar", "b": "float3"}),
    "Tight": StructFields(fields={"c": "uchar", "d": "double"}, packed=True),
    "Dense": StructFields(fields={"id": "uchar", "mixed": "Mixed"}, packed=True),
}


def test_a_struct_within_a_struct_keeps_its_layout():
    """An inner struct has its own alignment and padding, which a packed one lacks, and precedes the outer struct."""
    structs = all_laid_out(NESTED)
    assert [*structs] == ["Mixed", "Tight", "Dense", "Outer"]
    outer, dense = structs["Outer"], structs["Dense"]
    offsets = {"id": 0, "mixed.a": 16, "mixed.b": 32, "tight.c": 48, "tight.d": 49, "more": 58}
    assert {member.name: member.offset for member in outer.members} == offsets
    assert (outer.alignment, outer.bytes) == (16, 64)
    assert [member.offset for member in dense.members] == [0, 1, 17]
    assert (dense.alignment, dense.bytes) == (1, 33)
    assert outer.definition == (
        "typedef struct Outer { uchar id; struct Mixed mixed; struct Tight tight; short more; } Outer;"
    )


def test_numbers_of_an_inner_struct_have_its_path():
    """NumPy, values and messages name a number in an inner struct by its path."""
    struct = all_laid_out(NESTED)["Outer"]
    assert dtype_of(struct).itemsize == struct.bytes
    values = {"id": 1, "mixed.a": 2, "mixed.b": (3, 4, 5), "tight.c": 6, "tight.d": 7, "more": -8}
    (element,) = np.frombuffer(content(struct, values, {}), dtype_of(struct))
    assert [element["mixed.a"], *element["mixed.b"][:3], element["tight.d"], element["more"]] == [2, 3, 4, 5, 7, -8]
    truth = np.zeros(2, dtype_of(struct))
    got = truth.copy()
    got["mixed.b"][1, 2] = 1
    found = compare("x", got, Truth(value=truth), standard(struct, rule="exact"))
    assert place(found) == "x[1].mixed.b.z"


def test_fields_of_floats_begin_as_nan():
    """An element that no kernel has written has NaN in floating fields, and the pattern of the type in others."""
    struct = laid_out("Mixed", PACKED, {})
    (element,) = np.frombuffer(struct.unwritten, dtype_of(struct))
    assert np.isnan(element["b"]).all()
    assert np.isnan(element["c"])
    assert np.isnan(element["d"])
    assert element["a"] == ELEMENTS["uchar"].poison


def test_values_are_packed_as_numpy_packs_them():
    """The bytes of a struct by value have its fields, and a number fills a vector."""
    struct = laid_out("Mixed", MIXED, {})
    held = content(struct, {"a": 7, "b": (1, "n", 3), "c": 0.5, "d": "-n"}, {"n": 4})
    (element,) = np.frombuffer(held, dtype_of(struct))
    assert [element["a"], *element["b"], element["c"], element["d"]] == [7, 1, 4, 3, 0, 0.5, -4]
    assert content(ELEMENTS["short2"], 3, {}) == b"\3\0\3\0"
    with pytest.raises(InputError, match="300 does not fit the type uchar"):
        content(struct, {"a": 300, "b": 0, "c": 0, "d": 0}, {})


def standard(struct, rule="rounding"):
    """Return the standard for an array of a struct."""
    return Standard(tolerance=Tolerance(rule=rule), amount=1.0, data="random", struct=struct)


def right():
    """Return an array of structs and its magnitude."""
    values = np.zeros(3, dtype_of(laid_out("Mixed", MIXED, {})))
    magnitude = np.zeros(3, [("b", "f8", 4), ("c", "f8"), ("d", "f8")])
    for name in magnitude.dtype.names:
        magnitude[name] = 1
    return values, magnitude


@pytest.mark.parametrize(
    ("field", "change", "where"), [("a", 1, "x[1].a"), ("b", [0, 1e-3, 0, 9], "x[1].b.y"), ("d", 1e-9, "x[1].d")]
)
def test_the_first_wrong_number_is_named(field, change, where):
    """Each field is compared by its own type, and the message names the number."""
    values, magnitude = right()
    got = values.copy()
    got[field][1] = change
    found = compare("x", got, Truth(value=values, magnitude=magnitude), standard(laid_out("Mixed", MIXED, {})))
    assert (place(found), found.wrong, found.total) == (where, 1, 3)


def test_rounding_and_padding_are_not_wrong():
    """Errors within the rounding of a field's type are right, and so are any bits of padding."""
    values, magnitude = right()
    got = values.copy()
    got["c"][0], got["b"][2, :3], got["b"][2, 3] = 2.0**-12, 2.0**-25, 5
    struct = laid_out("Mixed", MIXED, {})
    content_of = got.view("u1").reshape(3, -1)
    content_of[:, 1:16], content_of[:, 34:40] = 0xAB, 0xAB
    assert compare("x", got, Truth(value=values, magnitude=magnitude), standard(struct)) is None


def test_only_elements_without_any_store_count_as_unwritten():
    """If all elements have the bits from before the launch, all count as unwritten."""
    struct = laid_out("Mixed", MIXED, {})
    got = np.frombuffer(struct.unwritten * 3, dtype_of(struct)).copy()
    values, magnitude = right()
    truth = Truth(value=values, magnitude=magnitude)
    assert compare("x", got, truth, standard(struct)).unwritten == 3
    got["a"][1] = 0
    assert compare("x", got, truth, standard(struct)).unwritten == 2


def test_structs_of_one_type_become_numbers():
    """An array of structs with numbers of one type has them in its last dimension, without padding."""
    struct = laid_out("Two", StructFields(fields={"a": "float", "b": "float3"}), {})
    array = cast(np.ones(2, [("a", "f8"), ("b", "f8", 4)]), struct)
    assert as_numbers(array, struct).tolist() == [[1, 1, 1, 1]] * 2
    assert [part.words for part in parts_of(struct)] == [".a", ".b.x", ".b.y", ".b.z"]


BUFFERS = {**ADDITION["buffers"], "z": {"shape": ["n"], "type": "Pair"}}
PAIR = {"Pair": {"fields": {"a": "float", "b": "int"}}}
UNTIMED = {**{name: field for name, field in ADDITION.items() if name != "performance"}, "buffers": BUFFERS}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"structs": {"Pair": {"fields": {"a": "flaot"}}}}, "the field a of the struct Pair has the type flaot; write"),
        ({"structs": {"Pair": {"fields": {}}}}, "structs.Pair.fields: Dictionary should have at least 1 item"),
        (
            {"structs": {"Pair": {"fields": {"a": "Pair"}}}},
            "the field a of the struct Pair has the type Pair, so Pair contains itself; choose another type",
        ),
        (
            {"structs": {**PAIR, "In": {"fields": {"a": "int", "b": "Out"}}, "Out": {"fields": {"c": "In"}}}},
            "so Out contains itself; choose another type",
        ),
        ({"structs": {**PAIR, "Out": {"fields": {"c": "Pairs"}}}}, "such as float4, or a name from `structs`"),
        (
            {
                "structs": {**PAIR, "Out": {"fields": {"c": "Pair"}}},
                "scalars": {"p": {"type": "Out", "value": {"c": 1}}},
            },
            "the scalar p must be a mapping with the fields c.a, c.b of Out",
        ),
        ({"structs": {**PAIR, "float4": PAIR["Pair"]}}, "a struct cannot have the name float4, which is a type"),
        ({"structs": {**PAIR, "while": PAIR["Pair"]}}, "a struct cannot have the name while, which is a type, a"),
        ({"structs": {"Pair": {"fields": {"int": "float"}}}}, "the struct Pair has the field int, which is a type, a"),
        ({"structs": {"Pair": {"fields": {"GROUP": "float"}}}}, "GROUP is a constant, and a name in the struct Pair"),
        ({"structs": {}}, "buffers.z.type: there is no type Pair; write one of float,"),
        ({"structs": {**PAIR, "x": PAIR["Pair"]}}, "x is the name of two things; rename one"),
        ({"performance": ADDITION["performance"]}, "z has structs: write `verifier: oracle` under performance"),
        (
            {"scalars": {"p": {"type": "Pair", "value": 1}}},
            "the scalar p must be a mapping with the fields a, b of",
        ),
        (
            {"buffers": {**BUFFERS, "z": {"shape": ["n"], "type": "Pair", "tolerance": {"rule": "multiset"}}}},
            "the buffer z has structs, to which the rule multiset does not apply; choose another rule",
        ),
        (
            {"buffers": {**BUFFERS, "x": {"shape": ["n"], "type": "Pair", "data": "bits"}}},
            "the buffer x cannot have the data bits, which are for floats",
        ),
    ],
)
def test_a_bad_struct_is_explained_in_one_sentence(tmp_path, changes, message):
    """Each mistake about structs in assignment.yaml is one sentence with the name and the remedy."""
    with pytest.raises(InputError) as error:
        course_of(tmp_path, {**UNTIMED, "structs": PAIR, **changes}).load("small")
    assert message in str(error.value)


ORACLE = """import numpy as np
from grader.oracle import Truth

def expected(n, **_):
    return {{"z": Truth(value={})}}
"""


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "np.zeros(n)",
            "z has the dtype float64; make it a structured array with the fields a, b, in which a is",
        ),
        ("np.zeros(n, [('a', 'f8')])", "make it a structured array with the fields a, b, in which b is a real number"),
        ("np.zeros(n + 1, [('a', 'f8'), ('b', 'i8')])", "z has the shape (2,), but assignment.yaml says (1,)"),
        ("np.full(n, 2**40, [('a', 'f8'), ('b', 'i8')])", "numbers for z.b that its type int cannot hold"),
    ],
)
def test_an_oracle_with_another_type_is_explained(tmp_path, value, message):
    """An oracle that returns another dtype, shape or range gets a sentence with the field."""
    oracle = ORACLE.format(value)
    assignment = course_of(tmp_path, {**UNTIMED, "structs": PAIR}, oracle=oracle).load("small")
    with pytest.raises(SolutionError) as error:
        consult(load_oracle(assignment), assignment, {}, {"n": 1})
    assert message in str(error.value)


def test_the_order_of_fields_counts_in_hashes(tmp_path):
    """An assignment whose struct has its fields in another order needs new measurements."""
    turned = {"Pair": {"fields": dict(reversed(PAIR["Pair"]["fields"].items()))}}
    loaded = [
        course_of(tmp_path / str(number), {**UNTIMED, "structs": structs}).load("small")
        for number, structs in enumerate((PAIR, turned))
    ]
    assert loaded[0].measured_sha256 != loaded[1].measured_sha256
