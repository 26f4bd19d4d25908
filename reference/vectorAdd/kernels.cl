// Model solution: C = A + B, four neighbouring words at a time.
//
// A work-item that adds one element has two words under way while it waits. With any number of resident work-items,
// that is too few to hide the latency of memory. With a real4 of each array it has eight, and one load moves four.
// The arrays are aligned for real4, and neighbouring work-items still access neighbouring words.
//
// grader: global = ceil_to(ceil_div(n, 4), 256)
// grader: local = 256
typedef float4 real4;

__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t quad = get_global_id(0);

    if (4 * quad + 3 < n)
        ((__global real4 *)C)[quad] = ((__global const real4 *)A)[quad] + ((__global const real4 *)B)[quad];
    else    // the last few elements, and the work-items that fill the last group
        for (uint32_t i = 4 * quad; i < n; i++)
            C[i] = A[i] + B[i];
}
