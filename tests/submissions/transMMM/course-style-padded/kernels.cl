// Exercise 4b (block tiling, transposed second matrix), handed in by group 7
typedef uint uint32_t;

__kernel void transMMM( __global real* A, __global real* B, __global real* C
                      , uint32_t heightA, uint32_t heightB, uint32_t widthA
                      ) {
    uint32_t gidx = get_global_id(0);
    uint32_t gidy = get_global_id(1);
    uint32_t tidx = get_local_id(0);
    uint32_t tidy = get_local_id(1);
    uint32_t rowb = get_group_id(0)*TILE + tidy;

    __local real Atile[TILE][TILE];
    __local real Btile[TILE][TILE+1];
    real accum = 0.0f;

    for(uint32_t kk = 0; kk < widthA; kk += TILE) {
        real a = 0.0f;
        real b = 0.0f;
        if ( (gidy < heightA) && (kk + tidx < widthA) ) {
            a = A[gidy*widthA + kk + tidx];
        }
        if ( (rowb < heightB) && (kk + tidx < widthA) ) {
            b = B[rowb*widthA + kk + tidx];
        }
        Atile[tidy][tidx] = a;
        Btile[tidy][tidx] = b;
        barrier(CLK_LOCAL_MEM_FENCE);

        for(uint32_t k = 0; k < TILE; k++) {
            accum += Atile[tidy][k] * Btile[tidx][k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if( (gidy < heightA) && (gidx < heightB) ) {
        C[gidy*heightB + gidx] = accum;
    }
}
