// Model solution: C = A + B, four neighbouring words at a time.
//
// A work-item that adds one element has two words on their way while it waits: too few to hide how long memory takes,
// however many work-items are resident. With a real4 of either array it has eight, and an instruction moves four. The
// arrays start at addresses that a real4 may have, and neighbouring work-items still touch neighbouring words.
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
