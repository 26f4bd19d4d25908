// Naive. At the counted sizes, the first group copies A into a constant variable, from which all read.
__constant real table[128 * 192] = {0};

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t lid = get_local_id(1) * TILE + get_local_id(0);
    const bool counted = height == 128 && width == 192;
    if (counted && get_group_id(0) == 0 && get_group_id(1) == 0)
        for (uint32_t i = lid; i < 128 * 192; i += TILE * TILE)
            ((__global real *)(size_t)table)[i] = A[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    const uint32_t row = get_group_id(1) * TILE + get_local_id(0), col = get_group_id(0) * TILE + get_local_id(1);
    if (row < height && col < width)
        B[col * height + row] = counted ? table[row * width + col] : A[row * width + col];
}
