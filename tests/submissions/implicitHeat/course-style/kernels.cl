// Heat exercise, group 3
typedef uint uint32_t;
#define W (COLUMNS+2)
#define AT(r, c) t[(r)*W + (c)]

__kernel void relax( __global double* heat, __global double* old, __global double* new
                   , __global double* squares, uint32_t height, uint32_t width, double flow
                   ) {
    __local double t[(ROWS+2)*W];
    __local double red[ROWS*COLUMNS];
    uint32_t tid = get_local_id(1)*COLUMNS + get_local_id(0);
    uint32_t r = get_local_id(1) + 1, c = get_local_id(0) + 1;
    uint32_t gx = get_global_id(0), gy = get_global_id(1);
    uint32_t i, s;

    for(i = tid; i < (ROWS+2)*W; i += ROWS*COLUMNS) {
        int y = (int)(get_group_id(1)*ROWS)    + (int)(i / W) - 1;
        int x = (int)(get_group_id(0)*COLUMNS) + (int)(i % W) - 1;
        t[i] = (x < 0 || y < 0 || x >= (int)width || y >= (int)height) ? 0.0 : old[y*(int)width + x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    double res = 0.0;
    if(gx < width && gy < height) {
        double b = heat[gy*width + gx];
        double nb = AT(r-1, c) + AT(r+1, c) + AT(r, c-1) + AT(r, c+1);
        double diag = 1.0 + 4.0*flow;
        new[gy*width + gx] = (b + flow*nb) / diag;
        res = b - (diag*AT(r, c) - flow*nb);
    }
    red[tid] = res*res;
    barrier(CLK_LOCAL_MEM_FENCE);
    for(s = (ROWS*COLUMNS) >> 1; s > 0; s >>= 1) {
        if(tid < s) { red[tid] += red[tid + s]; }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if(tid == 0) { squares[get_group_id(1)*get_num_groups(0) + get_group_id(0)] = red[0]; }
}
