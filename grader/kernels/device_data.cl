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
ulong word_at(__global const uint *words, uint i, uint count)
{
    const uint word = i < count ? words[i] : 0;
    return word == 0x80000000u ? 0 : word;    // -0 counts as 0
}

__kernel void digest(__global const uint *words, uint count, uint number, __global ulong *sums, ulong key)
{
    __local ulong parts[GROUP];
    const uint lid = get_local_id(0);
    ulong sum = 0;
    for (uint block = get_global_id(0); block < (count + 3) / 4; block += get_global_size(0)) {
        const ulong4 factors = philox(block, key, number);
        const uint i = 4 * block;
        sum += factors.x * word_at(words, i, count) + factors.y * word_at(words, i + 1, count)
             + factors.z * word_at(words, i + 2, count) + factors.w * word_at(words, i + 3, count);
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
