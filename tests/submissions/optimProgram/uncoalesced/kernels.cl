__kernel void optimProgram(__global real* A, __global real* B, uint32_t height, uint32_t width)
{
    uint32_t row = get_global_id(0);
    if (row >= height) return;

    __global real* in  = A + row * width;
    __global real* out = B + row * width;
    real accum = 0;
    for (uint32_t j = 0; j < width; j++) {
        accum = in[j] * in[j] - accum;
        out[j] = accum;
    }
}
