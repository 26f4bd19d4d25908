// One function computes a step. It is called for each whole tile, and once more for the rest along k.
typedef struct {
    uint first, count;
} Step;

static real products(Step step, __local real (*a)[TILE], __local real (*b)[TILE], __global const real *A,
                     __global const real *B, uint heightA, uint widthB, uint widthA)
{
    const uint lx = get_local_id(0), ly = get_local_id(1);
    const uint row = min((uint)get_global_id(1), heightA - 1), column = min((uint)get_global_id(0), widthB - 1);
    if (lx < step.count)
        a[ly][lx] = A[row * widthA + step.first + lx];
    if (ly < step.count)
        b[ly][lx] = B[(step.first + ly) * widthB + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    real sum = 0;
    for (uint k = 0; k < step.count; k++)
        sum += a[ly][k] * b[k][lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C, uint heightA, uint widthB,
                       uint widthA)
{
    __local real a[TILE][TILE], b[TILE][TILE];
    Step step = {0, TILE};
    real sum = 0;
    for (; step.first + TILE <= widthA; step.first += TILE)
        sum += products(step, a, b, A, B, heightA, widthB, widthA);
    step.count = widthA - step.first;
    if (step.count)
        sum += products(step, a, b, A, B, heightA, widthB, widthA);
    if (get_global_id(1) < heightA && get_global_id(0) < widthB)
        C[get_global_id(1) * widthB + get_global_id(0)] = sum;
}
