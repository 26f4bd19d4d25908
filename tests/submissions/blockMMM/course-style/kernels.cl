// Exercise 4 (block tiling), handed in by group 7
typedef uint uint32_t;

__kernel void blockMMM( __global real* A, __global real* B, __global real* C
                      , uint32_t heightA, uint32_t widthB, uint32_t widthA
                      ) {
    uint32_t gidx = get_global_id(0);
    uint32_t gidy = get_global_id(1);
    uint32_t tidx = get_local_id(0);
    uint32_t tidy = get_local_id(1);

    __local real Atile[TILE][TILE];
    __local real Btile[TILE][TILE];
    real accum = 0.0f;

    uint32_t kk, k;
    for(kk = 0; kk < widthA; kk += TILE) {
        real a = 0.0f;
        real b = 0.0f;
        if ( (gidy < heightA) && (kk + tidx < widthA) ) {
            a = A[gidy*widthA + kk + tidx];
        }
        if ( (kk + tidy < widthA) && (gidx < widthB) ) {
            b = B[(kk + tidy)*widthB + gidx];
        }
        Atile[tidy][tidx] = a;
        Btile[tidy][tidx] = b;
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll
        for(k = 0; k < TILE; k++) {
            accum += Atile[tidy][k] * Btile[k][tidx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if( (gidy < heightA) && (gidx < widthB) ) {
        C[gidy*widthB + gidx] = accum;
    }
}
