#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

real dot(__local const real *a, __local const real *b, int n)
{
    real s = 0;
    while (n-- > 0) {
        s += *a++ * *b;
        b += TILE;
    }
    return s;
}

__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real a[TILE * TILE], b[TILE * TILE];
    const int x = get_local_id(0), y = get_local_id(1);
    const uint32_t col = get_global_id(0), row = get_global_id(1);
    const bool hasRow = row < heightA, hasCol = col < widthB;
    __local real *myA = a + y * TILE + x, *myB = b + y * TILE + x;
    __global const real *pA = A + row * widthA + x;     // never used unless hasRow
    __global const real *pB = B + y * widthB + col;     // never used unless hasCol
    uint32_t left = widthA;
    real sum = 0;

    for (; left >= TILE; left -= TILE) {
        *myA = hasRow ? *pA : (real)0;
        *myB = hasCol ? *pB : (real)0;
        SYNC;
        sum += dot(a + y * TILE, b + x, TILE);
        SYNC;
        pA += TILE;
        pB += TILE * widthB;
    }

    // `left` is the same for all, so all of the group come here or none
    if (left > 0) {
        if (hasRow && x < left) *myA = *pA;
        if (hasCol && y < left) *myB = *pB;
        SYNC;
        sum += dot(a + y * TILE, b + x, left);      // the words past the edge stay as they are and are not used
    }

    if (hasRow && hasCol)
        C[row * widthB + col] = sum;
}
