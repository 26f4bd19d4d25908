// The build phase of Barnes-Hut: keys of particles, their order, and a binary tree of the sorted keys.
//
// Launch:   mortonKeys, then sortStep for k = 2, 4, ... n and j = k/2, k/4, ... 1, then linkNodes. Work-group (GROUP).
// Defined:  GROUP (64), uint32_t (uint).

// keys[i] has the 21 bits of floor(x * 2^21), of y and of z: bit 3*b + 2 is bit b of x, 3*b + 1 of y, 3*b of z.
__kernel void mortonKeys(__global const float4 *particles, __global ulong *keys, uint32_t n)
{
    // TODO
}

// Exchange keys[i] and keys[i ^ j] so that the smaller key comes first if (i & k) == 0, and with them the order, which
// is 0, 1, 2, ... at first.
__kernel void sortStep(__global ulong *keys, __global uint32_t *order, uint32_t n, uint32_t k, uint32_t j)
{
    // TODO
}

// Inner node i covers the keys between i and another end. It splits after the key `s` with the longest common prefix
// with the first key: children[i] = (s, s + 1). Compare the bits of equal keys' positions, too.
__kernel void linkNodes(__global const ulong *keys, __global uint2 *children, uint32_t n)
{
    // TODO
}
