// A right and tidy kernel that computes its indices in functions.
typedef struct { uint rows, cols; } Shape;

bool is_inside(Shape shape, uint row, uint col)
{
    return row < shape.rows && col < shape.cols;
}

real element(__global const real *matrix, Shape shape, uint row, uint col)
{
    return is_inside(shape, row, col) ? matrix[row * shape.cols + col] : (real)0;
}

real of_tile(__local real (*tile)[RT + 1], uint row, uint col)
{
    return tile[row][col];
}

void add_product(real *sums, uint number, real a, real b)
{
    sums[number] = fma(a, b, sums[number]);
}

__kernel void rgblkMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Ash[RT][RT + 1];
    const Shape shapeA = {heightA, widthA}, shapeB = {widthA, widthB}, shapeC = {heightA, widthB};
    const uint32_t lid = get_local_id(0), tx = lid % RT, ty = lid / RT;
    const uint32_t row = get_group_id(1) * RT, col = get_global_id(0);
    real cs[RT];
    for (uint32_t r = 0; r < RT; r++)
        cs[r] = 0;
    for (uint32_t k0 = 0; k0 < widthA; k0 += RT) {
        Ash[ty][tx] = element(A, shapeA, row + ty, k0 + tx);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < RT; k++) {
            const real b = element(B, shapeB, k0 + k, col);
            for (uint32_t r = 0; r < RT; r++)
                if (is_inside(shapeC, row + r, col))
                    add_product(cs, r, of_tile(Ash, r, k), b);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint32_t r = 0; r < RT; r++)
        if (is_inside(shapeC, row + r, col))
            C[row * widthB + r * widthB + col] = cs[r];
}
