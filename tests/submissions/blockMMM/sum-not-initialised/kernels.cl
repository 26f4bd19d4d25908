typedef uint uint32_t;

__kernel void blockMMM( __global real* A, __global real* B, __global real* C
                      , uint32_t heightA, uint32_t widthB, uint32_t widthA
                      ) {
    __local real Aloc[TILE][TILE];
    __local real Bloc[TILE][TILE];
    uint32_t gidx = get_global_id(0), gidy = get_global_id(1);
    uint32_t lidx = get_local_id(0),  lidy = get_local_id(1);
    real accum;

    for(uint32_t kk = 0; kk < widthA; kk += TILE) {
        Aloc[lidy][lidx] = (gidy < heightA && kk+lidx < widthA) ? A[gidy*widthA + kk+lidx] : 0.0f;
        Bloc[lidy][lidx] = (kk+lidy < widthA && gidx < widthB) ? B[(kk+lidy)*widthB + gidx] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for(uint32_t k = 0; k < TILE; k++) {
            accum += Aloc[lidy][k] * Bloc[k][lidx];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if( gidy < heightA && gidx < widthB ) {
        C[gidy*widthB + gidx] = accum;
    }
}
