// The kernels of `grader calibrate` (calibration.py).

__kernel void fill(__global uint16 *words)
{
    // All words differ: memory may be faster with equal words.
    const uint16 lane = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    words[get_global_id(0)] = (lane + 16 * (uint)get_global_id(0)) * 2654435761u;
}

__kernel void copy(__global const uint16 *from, __global uint16 *to)
{
    to[get_global_id(0)] = from[get_global_id(0)];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void local_reads(__global float *out, uint turns)
{
    __local float4 shelf[SHELF];
    const uint me = get_local_id(0);
    for (uint i = me; i < SHELF; i += GROUP) shelf[i] = (float4)(0, 1, 2, 3) + (float)(i % 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    // Neighbours read neighbouring vectors, so that no two use the same bank, and different ones in each iteration.
    float4 a = 0, b = 0, c = 0, d = 0;
    #pragma unroll 4
    for (uint turn = 0; turn < turns; turn++) {
        const uint at = (me + turn) % GROUP;
        a += shelf[at];
        b += shelf[at + GROUP];
        c += shelf[at + 2 * GROUP];
        d += shelf[at + 3 * GROUP];
    }
    const float4 sum = (a + b) + (c + d);
    out[get_global_id(0)] = (sum.x + sum.y) + (sum.z + sum.w);
}

__kernel void nothing(__global float *out)    // NVIDIA's compiler refuses a kernel without a parameter and a body
{
    if (get_global_id(0) == 0xffffffff)
        out[0] = 0;
}
