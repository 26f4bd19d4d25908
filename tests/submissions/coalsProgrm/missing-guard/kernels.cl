__kernel void coalsProgrm(__global real* Atr, __global real* Btr, uint32_t height, uint32_t width) {
    uint32_t gid = get_global_id(0);
    real accum = 0.0f;
    for (uint32_t j = 0; j < width; j++) {
        real tmp = Atr[j*height + gid];
        accum    = tmp*tmp - accum;
        Btr[j*height + gid] = accum;
    }
}
