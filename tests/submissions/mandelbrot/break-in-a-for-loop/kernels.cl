typedef uint uint32_t;

__kernel void mandelbrot( __global uint* counts, uint32_t height, uint32_t width
                        , uint32_t limit
                        , real left, real top, real stepX, real stepY
                        ) {
    uint32_t gidx = get_global_id(0);
    uint32_t gidy = get_global_id(1);
    if(gidx >= width || gidy >= height) return;

    real cr = left + (gidx + 0.5f) * stepX;
    real ci = top  + (gidy + 0.5f) * stepY;
    real zr = 0.0f, zi = 0.0f;
    uint32_t k;
    for(k = 0; k < limit; k++) {
        if(zr*zr + zi*zi > 4.0f) break;
        real t = zr*zr - zi*zi + cr;
        zi = 2.0f*zr*zi + ci;
        zr = t;
    }
    counts[gidy*width + gidx] = k;
}
