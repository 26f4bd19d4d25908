// number of tiles along k, then two barriers a step as in the lecture
__kernel void blockMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real Aloc[TILE*TILE];
    __local real Bloc[TILE*TILE];
    uint32_t x = get_local_id(0);
    uint32_t y = get_local_id(1);
    uint32_t col = get_global_id(0);
    uint32_t row = get_global_id(1);
    uint32_t numTiles = widthA / TILE;

    real acc = 0;
    for (uint32_t t = 0; t < numTiles; t++) {
        Aloc[y*TILE + x] = (row < heightA) ? A[row*widthA + t*TILE + x] : 0;
        Bloc[y*TILE + x] = (col < widthB) ? B[(t*TILE + y)*widthB + col] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint32_t k = 0; k < TILE; k++)
            acc += Aloc[y*TILE + k] * Bloc[k*TILE + x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (row < heightA && col < widthB)
        C[row*widthB + col] = acc;
}
