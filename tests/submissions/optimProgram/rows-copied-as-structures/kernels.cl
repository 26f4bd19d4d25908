#define STEPS 16

typedef struct {
    real words[STEPS];
} Part;

// each work-item walks along its row, a part at a time
__kernel void optimProgram(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t row = get_global_id(0);
    if (row >= height)
        return;

    real accum = 0;
    uint32_t col = 0;
    for (; col + STEPS <= width; col += STEPS) {
        Part part = *(__global const Part *)(A + row * width + col);
        for (int k = 0; k < STEPS; k++)
            part.words[k] = accum = part.words[k] * part.words[k] - accum;
        *(__global Part *)(B + row * width + col) = part;
    }
    for (; col < width; col++) {
        const real a = A[row * width + col];
        B[row * width + col] = accum = a * a - accum;
    }
}
