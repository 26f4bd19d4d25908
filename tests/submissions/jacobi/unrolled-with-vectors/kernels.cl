// Four elements of a column at a time, with the elements of x as one vector.
__kernel void jacobiUnrolled(__global const real *At, __global const real *b, __global const real *xold,
                             __global real *xnew, uint32_t n)
{
    uint32_t i = get_global_id(0);
    if (i >= n)
        return;

    float4 part = (float4)(0);
    uint32_t whole = n & ~3u;
    for (uint32_t j = 0; j < whole; j += 4) {
        __global const real *a = At + j * n + i;
        part += (float4)(a[0], a[n], a[2 * n], a[3 * n]) * vload4(0, xold + j);
    }
    real sum = part.x + part.y + part.z + part.w;
    for (uint32_t j = whole; j < n; j++)
        sum += At[j * n + i] * xold[j];

    real d = At[i * n + i];
    xnew[i] = xold[i] + (b[i] - sum) / d;
}

__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    uint32_t i = get_global_id(0), lid = get_local_id(0);
    real d = i < n ? xnew[i] - xold[i] : 0;
    scratch[lid] = d * d;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (lid < s)
            scratch[lid] += scratch[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        sums[get_group_id(0)] = scratch[0];
}
