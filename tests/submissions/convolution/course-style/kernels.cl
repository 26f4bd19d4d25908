typedef uint uint32_t;
#define W (TILE + R + R)

__kernel void convolution( __global real* image, __constant real* mask, __global real* result
                         , uint32_t height, uint32_t width
                         ) {
    __local real lmem[W][W];
    int lidx = get_local_id(0), lidy = get_local_id(1);
    int gidx = get_global_id(0), gidy = get_global_id(1);
    int x0 = get_group_id(0)*TILE - R, y0 = get_group_id(1)*TILE - R;

    // the tile is wider than the group: each work-item loads up to four words
    for(int y = lidy; y < W; y += TILE) {
        for(int x = lidx; x < W; x += TILE) {
            real v = 0;
            if(y0+y >= 0 && y0+y < height && x0+x >= 0 && x0+x < width) {
                v = image[(y0+y)*width + x0+x];
            }
            lmem[y][x] = v;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if(gidy < height && gidx < width) {
        real accum = 0.0f;
        for(int i = 0; i < 2*R+1; i++)
            for(int j = 0; j < 2*R+1; j++)
                accum += mask[i*(2*R+1) + j] * lmem[lidy+i][lidx+j];
        result[gidy*width + gidx] = accum;
    }
}
