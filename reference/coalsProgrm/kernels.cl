// Model solution: the row recurrence on transposed arrays.
//
// One work-item per row of A. In Atr that row is a column, so at every step of the loop
// neighbouring work-items read and write neighbouring words.
//
// `restrict` says that the arrays do not overlap. Only then may the compiler move the reads of the four unrolled
// steps before the first write. So four reads are under way at a time instead of one.
__kernel void coalsProgrm(__global const real *restrict Atr, __global real *restrict Btr,
                          uint32_t height, uint32_t width)
{
    const uint32_t row = get_global_id(0);
    if (row >= height)
        return;

    real accum = 0;
    #pragma unroll 4
    for (uint32_t col = 0; col < width; col++) {
        const real a = Atr[col * height + row];
        accum = a * a - accum;
        Btr[col * height + row] = accum;
    }
}
