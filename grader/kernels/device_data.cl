// Data of timed rounds and their digests (device_data.py). A session defines the names of the kernels that it needs.

// Philox4x64-10: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. It has their
// multipliers; the key uses the golden ratio and the root of three less one. Block 0 has counter 1, as in NumPy.
ulong4 philox(uint block, ulong key, uint number)
{
    ulong4 c = (ulong4)((ulong)block + 1, 0, 0, 0);
    ulong k0 = key, k1 = number;
    #pragma unroll 1    // an unrolled loop in each kernel takes drivers a third of a second to compile
    for (int turn = 0; turn < 10; turn++) {
        c = (ulong4)(mul_hi(0xca5a826395121157ul, c.z) ^ c.y ^ k0, 0xca5a826395121157ul * c.z,
                     mul_hi(0xd2e7470ee14c6c93ul, c.x) ^ c.w ^ k1, 0xd2e7470ee14c6c93ul * c.x);
        k0 += 0x9e3779b97f4a7c15ul;
        k1 += 0xbb67ae8584caa73bul;
    }
    return c;
}

void put(uint8 words, __global uint *out, uint block, uint count)
{
    if (count - 8 * block >= 8) {
        vstore8(words, block, out);
        return;
    }
    uint rest[8];
    vstore8(words, 0, rest);
    for (uint i = 8 * block; i < count; i++)
        out[i] = rest[i % 8];
}

// Integers from `low` to below `low + span`, by the upper half of a product: equally likely, but for 2^-32 * span.
int8 within(uint8 words, int low, uint span)
{
    return as_int8(mul_hi(words, (uint8)(span))) + low;
}

#ifdef FLOATS
__kernel void floats(__global uint *out, uint count, uint number, int low, uint span, ulong key)
{
    for (uint block = get_global_id(0); block < (count + 7) / 8; block += get_global_size(0))
        put(as_uint8(convert_float8(within(as_uint8(philox(block, key, number)), low, span))), out, block, count);
}
#endif

#ifdef INTEGERS
__kernel void integers(__global uint *out, uint count, uint number, int low, uint span, ulong key)
{
    for (uint block = get_global_id(0); block < (count + 7) / 8; block += get_global_size(0))
        put(as_uint8(within(as_uint8(philox(block, key, number)), low, span)), out, block, count);
}
#endif

// Whole numbers in arrays whose numbers have other sizes; eight of them from eight words.
#define MAKER(NAME, TYPE, CONVERT)                                                                                     \
    __kernel void NAME(__global TYPE *out, uint count, uint number, int low, uint span, ulong key)                     \
    {                                                                                                                  \
        for (uint block = get_global_id(0); block < (count + 7) / 8; block += get_global_size(0)) {                    \
            TYPE made[8];                                                                                              \
            vstore8(CONVERT(within(as_uint8(philox(block, key, number)), low, span)), 0, made);                        \
            for (uint i = 8 * block; i < count && i < 8 * block + 8; i++)                                              \
                out[i] = made[i % 8];                                                                                  \
        }                                                                                                              \
    }

#ifdef BYTES
MAKER(bytes, uchar, convert_uchar8)
#endif

#ifdef SHORTS
MAKER(shorts, ushort, convert_ushort8)
#endif

#ifdef LONGS
MAKER(longs, long, convert_long8)
#endif

#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
MAKER(doubles, double, convert_double8)
#endif

#ifdef BITS
__kernel void bits(__global uint *out, uint count, uint number, int low, uint span, ulong key)
{
    // The sign, seven bits of the exponent and the mantissa are random, so that all numbers are finite and normal.
    for (uint block = get_global_id(0); block < (count + 7) / 8; block += get_global_size(0)) {
        const uint8 words = as_uint8(philox(block, key, number));
        put(((words & 0x3fffffff) + (64u << 23)) | (words & 0x80000000u), out, block, count);
    }
}
#endif

#ifdef ZEROS
__kernel void zeros(__global uint *out, uint count, uint number, int low, uint span, ulong key)
{
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        out[i] = 0;
}
#endif

#ifdef DIGEST
uint word_at(__global const uint *words, uint i, uint count)
{
    return i < count ? words[i] : 0;
}

// Four words from word i. In floating numbers of `real` bytes, -0 counts as 0. `real` is 0 for whole numbers.
uint4 words_at(__global const uint *words, uint i, uint count, uint real)
{
    uint4 four = (uint4)(word_at(words, i, count), word_at(words, i + 1, count), word_at(words, i + 2, count),
                         word_at(words, i + 3, count));
    if (real == 4)
        four = select(four, (uint4)(0), four == (uint4)(0x80000000u));
    if (real == 8)    // the sign is in the second word
        four = select(four, (uint4)(0), (four == (uint4)(0x80000000u)) & (int4)(0, four.x == 0, 0, four.z == 0) * -1);
    return four;
}

__kernel void digest(__global const uint *words, uint count, uint number, uint real, __global ulong *sums, ulong key)
{
    __local ulong parts[GROUP];
    const uint lid = get_local_id(0);
    ulong sum = 0;
    for (uint block = get_global_id(0); block < (count + 3) / 4; block += get_global_size(0)) {
        const ulong4 factors = philox(block, key, number);
        const ulong4 terms = factors * convert_ulong4(words_at(words, 4 * block, count, real));
        sum += terms.x + terms.y + terms.z + terms.w;
    }
    parts[lid] = sum;
    for (uint half_of = GROUP / 2; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_of)
            parts[lid] += parts[lid + half_of];
    }
    if (lid == 0)
        sums[number * get_num_groups(0) + get_group_id(0)] = parts[0];
}
#endif
