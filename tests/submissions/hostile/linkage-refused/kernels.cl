// Declares a function whose body a compiler may leave out, in a course that does not allow it.
extern inline real product(real a, real b) { return a * b; }

__kernel void transMMM(__global const real *A, __global const real *B, __global real *C, uint32_t heightA, uint32_t heightB,
                       uint32_t widthA)
{
    const uint32_t row = get_global_id(1), col = get_global_id(0);
    real sum = 0;
    for (uint32_t k = 0; row < heightA && col < heightB && k < widthA; k++)
        sum += product(A[row * widthA + k], B[col * widthA + k]);
    if (row < heightA && col < heightB)
        C[row * heightB + col] = sum;
}
