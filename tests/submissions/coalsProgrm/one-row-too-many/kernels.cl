// rows are 0 .. height
__kernel void coalsProgrm(__global float *Atr, __global float *Btr, uint height, uint width)
{
    size_t r = get_global_id(0);
    if (r > height) return;

    float s = 0.0f;
    size_t p = r;
    for (uint k = 0; k < width; k++) {
        float v = Atr[p];
        s = v * v - s;
        Btr[p] = s;
        p += height;
    }
}
