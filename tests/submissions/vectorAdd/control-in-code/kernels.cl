// Vectors of four
// grader: global = ceil_to(ceil_div(n, 4), 256)
// grader: local = 256
typedef float4 real4;

__kernel void vectorAdd(__global const real *A, __global const real *B, __global real *C, uint32_t n)
{
    const uint32_t quad = get_global_id(0);
    if (4 * quad + 3 < n)
        ((__global real4 *)C)[quad] = ((__global const real4 *)A)[quad] + ((__global const real4 *)B)[quad];
    else
        for (uint32_t i = 4 * quad; i < n; i++)
            C[i] = A[i] + B[i];
}
