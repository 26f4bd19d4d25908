"""device_data.py: inputs are generated on the device, and digests show if two workers computed the same results from
them.
"""

import numpy as np
import pytest
from samples import DEVICE
from timing_setups import at_sizes, with_integers

from grader.common.errors import InputError
from grader.course.poison import GUARD_BYTES, POISON
from grader.execution.assignment_plans import control_plan, reference_plan, submission_plan
from grader.execution.outcome import Timing
from grader.execution.plan import STUDENT, Plan, Script
from grader.grading.timing.device_data import (
    DIGEST,
    GROUP,
    ITEMS,
    MEMORY_SHARE,
    SET_BYTES,
    SETS,
    SUMS,
    SUPPLY,
    of_set,
    sets_of,
    supplied,
    supply_of,
    supply_program,
)
from grader.protocol.messages import Done, Opened
from grader.protocol.steps import BufferArg, CopyStep, KernelStep, KeyArg, ProgramSource

KEY, DIGEST_KEY = 0x0123456789ABCDEF, 0xFEDCBA9876543210
LARGE = {"height": 600, "width": 500}
"""Sizes of an array that has more words than there are work-items, and not a multiple of their number."""

SQUARE = {"heightA": 180, "widthB": 180, "widthA": 180}

PUT, POKE = "put", "poke"
POKE_PROGRAM = ProgramSource(source="__kernel void poke(__global uint *w, ulong key) { w[key >> 32] ^= (uint)key; }")


class Shop:
    """A session that only generates data and digests, and that can change single words."""

    def __init__(self, worker, assignment, sizes, sets=1):
        self.worker, own = worker, submission_plan(assignment, sizes, {})
        plan = supplied(assignment, own, sets)
        (self.output,) = own.scripts[STUDENT].outputs
        scripts = {
            n: script for n, script in plan.scripts.items() if {step.program for step in script.steps} == {SUPPLY}
        }
        scripts[PUT] = Script(steps=(), uploads=(self.output,), outputs=())
        whole = BufferArg(buffer=self.output, part="whole")
        poke = KernelStep(program=POKE, kernel="poke", args=(whole, KeyArg()), global_size=(1,), local_size=(1,))
        scripts[POKE] = Script(steps=(poke,), uploads=(), outputs=())
        worker.load({SUPPLY: supply_program(plan), POKE: POKE_PROGRAM})
        assert isinstance(worker.open(Plan(buffers=plan.buffers, scripts=scripts)), Opened)

    def make(self, buffer, key=KEY, number=0, turn=0):
        """Return the words that are generated in a buffer from this key."""
        assert isinstance(self.worker.session.launch(of_set(supply_of(STUDENT, turn), number), key), Timing)
        name = of_set(buffer, number)
        return self.worker.session.fetch((name,))[name].payload

    def put(self, words):
        """Store these words in the output, with new guard bands around it."""
        assert isinstance(self.worker.session.stage(PUT, {self.output: words}), Done)

    def flip(self, index, bits=1):
        """Change bits of one word of the output. A negative index refers to the guard band before the output."""
        place = index + GUARD_BYTES // 4
        assert isinstance(self.worker.session.launch(POKE, place << 32 | bits), Timing)

    def digest(self, key=DIGEST_KEY, number=0):
        """Return the digest of the output and its guard bands."""
        sums = of_set(SUMS, number)
        assert isinstance(self.worker.session.clear((sums,)), Done)
        assert isinstance(self.worker.session.launch(of_set(DIGEST, number), key), Timing)
        return self.worker.session.fetch((sums,))[sums].payload.tobytes()


@pytest.fixture(scope="module")
def worker(environment):
    with environment.worker() as worker:
        yield worker


@pytest.fixture
def moving(worker, transposition):
    return Shop(worker, transposition, LARGE)


@pytest.fixture
def computing(worker, product):
    return Shop(worker, product, SQUARE)


def stream(count, number, key=KEY):
    """Return the words of a buffer as NumPy's own Philox generates them."""
    raw = np.random.Philox(key=np.array([key, number], np.uint64)).random_raw((count + 1) // 2)
    return raw.view(np.uint32)[:count]


def test_numbers_are_those_of_numpys_philox(worker, product):
    """Integers are distributed uniformly in their range and equal the numbers that NumPy's Philox generates. Each timed
    round can have its own ranges, and an input without one has the default range.
    """
    shop = Shop(worker, with_integers(product, {"A": (-33000, 33000)}, {"B": (1, 3)}), SQUARE)
    for turn, name, number, low, high in ((0, "A", 0, -33000, 33000), (0, "B", 1, -8, 8), (1, "B", 1, 1, 3)):
        made = shop.make(name, turn=turn).view(np.float32)
        words = stream(made.size, number).astype(np.uint64)
        assert np.array_equal(made, (words * (high - low + 1) >> 32).astype(np.int64) + low)
        assert (made.min() - low, high - made.max()) <= (10, 10)
        assert abs(made.mean() - (low + high) / 2) < (high - low) / 100
        assert not np.signbit(made[made == 0]).any()


@pytest.mark.whole
@pytest.mark.sampled
@pytest.mark.parametrize(("kind", "low", "high"), [("int", -8, 8), ("uint", 0, 16)])
def test_whole_numbers_of_other_types_are_as_many(worker, product, kind, low, high):
    """The default ranges of `int` and `uint` contain the same number of integers, and all of them are about equally
    frequent.
    """
    buffers = {**product.buffers, "A": product.buffers["A"].model_copy(update={"type": kind})}
    shop = Shop(worker, with_integers(product.model_copy(update={"buffers": buffers}), {}), SQUARE)
    made = shop.make("A").view(np.int32)
    values, counts = np.unique(made, return_counts=True)
    assert values.tolist() == list(range(low, high + 1))
    assert counts.min() > 0.8 * made.size / 17
    assert counts.max() < 1.2 * made.size / 17


@pytest.mark.parametrize(
    ("kind", "dtype", "numbers"),
    [
        ("uchar", "u1", (0, 200)),
        ("char3", "i1", (-8, 8)),
        ("short", "i2", (-20000, 20000)),
        ("ulong", "u8", (0, 2**24)),
        ("double", "f8", (-8, 8)),
    ],
)
def test_numbers_of_other_sizes(worker, product, kind, dtype, numbers):
    """Whole numbers of 1, 2 and 8 bytes lie in the requested range, and come from the same random stream as other
    types.
    """
    low, high = numbers
    buffers = {**product.buffers, "A": product.buffers["A"].model_copy(update={"type": kind})}
    shop = Shop(worker, with_integers(product.model_copy(update={"buffers": buffers}), {"A": (low, high)}), SQUARE)
    made = np.frombuffer(shop.make("A").tobytes(), dtype)
    words = stream(made.size + made.size % 2, 0)[: made.size].astype(np.uint64)
    assert made.size == 180 * 180 * (4 if kind == "char3" else 1)
    assert np.array_equal(made.astype(np.float64), (words * (high - low + 1) >> 32).astype(np.float64) + low)


@pytest.mark.parametrize("kind", ["float", "int", "double"])
def test_minus_zero_counts_as_zero_only_in_floating_types(worker, transposition, kind):
    """The digests of 0 and -0 are equal for float and double. For integers, the bits of -0 are a different number."""
    buffers = {name: each.model_copy(update={"type": kind}) for name, each in transposition.buffers.items()}
    changes = {name: each.model_copy(update={"data": each.data and "integers"}) for name, each in buffers.items()}
    shop = Shop(worker, transposition.model_copy(update={"buffers": changes}), {"height": 3, "width": 5})
    plain = np.zeros((3, 5), {"float": "f4", "int": "i4", "double": "f8"}[kind])
    words = plain.view("u4").reshape(-1)
    shop.put(plain.copy())
    zeros = shop.digest()
    words[1] = 1 << 31  # the sign of the second float, or of the first double
    shop.put(plain)
    assert (shop.digest() == zeros) is (kind != "int")
    words[2] = 1 << 31  # the sign of the third float, or a tiny part of the second double
    shop.put(plain)
    assert (shop.digest() == zeros) is (kind == "float")


@pytest.mark.whole
def test_bits_are_those_of_numpys_philox(moving):
    """Random bits are generated from the words of NumPy's Philox, and nearly all words are different. No word is a NaN,
    which a driver may change, or a subnormal number, which a driver may flush to zero.
    """
    made = moving.make("A")
    floats, words = made.view(np.float32), stream(made.size, 0)
    assert np.array_equal(made, ((words & 0x3FFFFFFF) + (64 << 23)) | (words & 1 << 31))
    assert made.size == 300_000 > ITEMS
    assert np.unique(made).size > made.size - 100
    assert np.isfinite(floats).all()
    assert np.abs(floats).min() >= np.finfo(np.float32).smallest_normal
    assert 0.3 < np.signbit(floats).mean() < 0.7


def test_words_tell_nothing_of_other_words(moving):
    """A word cannot be predicted from other words. Neither the differences between words nor the differences between
    these differences repeat, and no bit depends on the same bit of the previous word.
    """
    made = moving.make("A").astype(np.int64)
    for _ in range(2):
        made = np.diff(made)
        assert np.unique(made).size > 0.99 * made.size
    bits = moving.make("A")[:, None] >> np.array([0, 7, 22, 31], np.uint32) & 1
    assert (np.abs((bits[1:] == bits[:-1]).mean(axis=0) - 0.5) < 0.01).all()


def test_a_digest_is_the_sum_of_words_by_factors_that_come_from_the_key(moving):
    """A digest is the sum of all words, each multiplied by a factor that NumPy's Philox generates from the key. Without
    the key, all values of a factor are equally likely.
    """
    words = np.random.default_rng(2).integers(0, 2**32, (500, 600), dtype=np.uint32)
    words[0, :5] = 1 << 31  # -0 counts as 0
    moving.put(words)
    band = np.full(GUARD_BYTES // 4, POISON, np.uint32)
    whole = np.concatenate([band, words.reshape(-1) * (words.reshape(-1) != 1 << 31), band]).astype(np.uint64)
    factors = np.random.Philox(key=np.array([DIGEST_KEY, 0], np.uint64)).random_raw(whole.size)
    sums = np.frombuffer(moving.digest(), np.uint64)
    assert sums.size == ITEMS // GROUP
    assert sums.sum(dtype=np.uint64) == (factors * whole).sum(dtype=np.uint64)


@pytest.mark.parametrize("shop", ["moving", "computing"])
def test_another_key_makes_other_data(request, shop):
    """If either half of the key changes, the generated data are completely different."""
    shop = request.getfixturevalue(shop)
    made = [shop.make("A", key) for key in (KEY, KEY + 1, KEY + 2**32, KEY ^ 2**63, 0, 2**64 - 1)]
    for number, one in enumerate(made):
        assert all(np.mean(one == other) < 0.1 for other in made[:number])


@pytest.mark.parametrize("data", ["numbers", "bits"])
def test_another_buffer_has_other_data(worker, product, data):
    """Two buffers that are generated from one key contain different data. In particular, the two factors of a product
    are not the same matrix.
    """
    buffers = {name: each.model_copy(update={"data": each.data and data}) for name, each in product.buffers.items()}
    shop = Shop(worker, product.model_copy(update={"buffers": buffers}), SQUARE)
    assert np.mean(shop.make("A") == shop.make("B")) < 0.1


@pytest.mark.whole
def test_the_same_key_makes_the_same_everywhere(environment, worker, product):
    """One key generates equal data in every worker and in every set of arrays, so that results can be compared."""
    shop = Shop(worker, product, SQUARE, sets=3)
    made = {name: shop.make(name) for name in ("A", "B")}
    for number in range(3):
        assert all(np.array_equal(shop.make(name, number=number), words) for name, words in made.items())
    with environment.worker() as another:
        elsewhere = Shop(another, product, SQUARE)
        assert all(np.array_equal(elsewhere.make(name), words) for name, words in made.items())


@pytest.mark.whole
def test_equal_contents_have_equal_digests(environment, moving, transposition):
    """Arrays with equal contents have equal digests, if they are computed again and in another worker. A different key
    gives a different digest.
    """
    words = np.random.default_rng(1).integers(0, 2**32, (500, 600), dtype=np.uint32)
    moving.put(words)
    first = moving.digest()
    assert moving.digest() == first
    others = {moving.digest(key) for key in (DIGEST_KEY + 1, DIGEST_KEY + 2**32, 0)}
    assert len(others | {first}) == 4
    with environment.worker() as another:
        elsewhere = Shop(another, transposition, LARGE)
        elsewhere.put(words)
        assert elsewhere.digest() == first


BAND = GUARD_BYTES // 4
PLACES = [0, 1, ITEMS - 1, ITEMS, 299_999, -1, -BAND, 300_000, 300_000 + BAND - 1]
"""Indexes of words at both ends of a large output and at both ends of its guard bands."""


@pytest.mark.sampled
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "bit", [pytest.param(0, marks=pytest.mark.whole), 13, pytest.param(31, marks=pytest.mark.whole)]
)
def test_one_bit_makes_another_digest(moving, place, bit):
    """If any single bit changes, the digest changes. If it is changed back, the digest is restored."""
    moving.put(np.arange(1, 300_001, dtype=np.uint32).reshape(500, 600))
    before = moving.digest()
    moving.flip(place, 1 << bit)
    assert moving.digest() != before
    moving.flip(place, 1 << bit)
    assert moving.digest() == before


@pytest.mark.parametrize(("one", "other"), [(0, 1), (7, 607), (5, 5 + ITEMS), (299_998, 299_999)])
def test_two_words_that_change_places_make_another_digest(moving, one, other):
    """If two words are exchanged, the digest changes, which would not be true for a plain sum."""
    words = np.arange(1, 300_001, dtype=np.uint32)
    moving.put(words.reshape(500, 600))
    before = moving.digest()
    words[[one, other]] = words[[other, one]]
    moving.put(words.reshape(500, 600))
    assert moving.digest() != before


@pytest.mark.whole
def test_the_sign_of_nought_makes_no_difference(computing):
    """The sign of 0 does not affect the digest. 0 - 0 and -(0 - 0) are both right, and the judge's own comparison
    accepts both signs, too.
    """
    words = np.zeros((180, 180), dtype=np.float32)
    computing.put(words)
    before = computing.digest()
    words[3, 4] = -0.0
    computing.put(words)
    assert computing.digest() == before


def test_sets_are_apart(worker, transposition):
    """A write to one set of arrays does not affect other sets."""
    shop = Shop(worker, transposition, LARGE, sets=2)
    assert isinstance(worker.session.clear((shop.output, of_set(shop.output, 1))), Done)
    untouched = shop.digest()
    assert shop.digest(number=1) == untouched
    shop.flip(5)
    assert shop.digest() != untouched
    assert shop.digest(number=1) == untouched


def used(step):
    """Return the names of the buffers that a step uses."""
    if isinstance(step, CopyStep):
        return {step.source, step.target}
    return {arg.buffer for arg in step.args if isinstance(arg, BufferArg)}


@pytest.mark.parametrize("name", ["coalsProgrm", "blockMMM", "reduction"])
def test_every_script_of_a_set_uses_its_own_buffers(course, name):
    """All scripts of a set use only the buffers of this set, in every kind of plan. No buffer belongs to two sets, and
    together the sets contain all buffers of the plan.
    """
    assignment = course.load(name)
    sizes = assignment.performance.classes["cpu"].sizes
    for own in (reference_plan(assignment, sizes), control_plan(assignment, DEVICE)):
        plan = supplied(assignment, own, 3)
        turns = range(len(assignment.performance.integers))
        fed = [each for each, script in own.scripts.items() if script.uploads]
        names = {*own.scripts, *(supply_of(each, turn) for each in fed for turn in turns), DIGEST}
        assert set(plan.scripts) == {of_set(each, number) for each in names for number in range(3)}
        buffers = [spec.name for spec in plan.buffers]
        assert len(buffers) == len(set(buffers)) == 3 * (len(own.buffers) + 1)
        for number in range(3):
            mine = {of_set(spec.name, number) for spec in own.buffers} | {of_set(SUMS, number)}
            for each in names:
                script = plan.scripts[of_set(each, number)]
                touched = {buffer for step in script.steps for buffer in used(step)}
                assert touched | {*script.uploads, *script.outputs} <= mine


def test_everything_that_a_script_is_given_is_made(course):
    """All inputs of a script are generated on the device, including arrays that steps of the model solution would
    otherwise compute.
    """
    assignment = at_sizes(course.load("coalsProgrm"), height=7, width=5)
    plan = supplied(assignment, submission_plan(assignment, {"height": 7, "width": 5}, {}), 1)
    (step,) = plan.scripts[supply_of(STUDENT)].steps
    assert (step.kernel, used(step)) == ("floats", {"Atr"})


@pytest.mark.parametrize(
    ("gigabytes", "moved", "sets"), [(140, 0.5e9, 6), (40, 0.5e9, 4), (8, 0.5e9, 1), (3, 0.5e9, 1), (2, 1e6, 6)]
)
def test_a_device_holds_as_many_sets_as_it_has_room_for(gigabytes, moved, sets):
    """A device gets between one and six sets of arrays. If there are several sets, they take at most a fourth of the
    memory.
    """
    memory = gigabytes * 10**9
    found = sets_of(moved, DEVICE.model_copy(update={"global_memory": memory}))
    assert found == sets <= SETS
    assert found == 1 or found * SET_BYTES * moved <= MEMORY_SHARE * memory


def test_a_device_without_room_for_one_set_is_no_fault_of_a_submissions():
    """If not even one set fits into the memory of the device, InputError is raised before any data are generated. If
    the driver refused the memory later, it would not be clear whether the submission caused it.
    """
    small = DEVICE.model_copy(update={"global_memory": 2 * 10**9})
    with pytest.raises(InputError, match=r"has 2\.0 GB of memory, but timing would take 2\.5 GB: use smaller sizes"):
        sets_of(0.5e9, small)
