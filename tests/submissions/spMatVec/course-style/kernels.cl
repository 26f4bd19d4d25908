typedef uint uint32_t;

__kernel void spMatVec( __global uint32_t* starts, __global uint32_t* places, __global real* values
                      , __global real* x, __global real* y, uint32_t rows
                      ) {
    __local real lmem[ROWS][LANES];
    int lane = get_local_id(0), lrow = get_local_id(1);
    int grow = get_global_id(1);

    real accum = 0.0f;
    if(grow < rows) {
        int first = starts[grow], n = starts[grow+1] - first;
        for(int i = lane; i < n; i += LANES) {
            accum += values[first+i] * x[places[first+i]];
        }
    }
    lmem[lrow][lane] = accum;
    barrier(CLK_LOCAL_MEM_FENCE);

    // sequential addressing, as in the lecture about reductions
    for(int s = LANES/2; s > 0; s >>= 1) {
        if(lane < s) {
            lmem[lrow][lane] += lmem[lrow][lane + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if(lane == 0 && grow < rows) {
        y[grow] = lmem[lrow][0];
    }
}
