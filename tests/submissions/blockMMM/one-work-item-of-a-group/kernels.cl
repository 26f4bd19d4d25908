__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real a[TILE][TILE], b[TILE][TILE], c[TILE][TILE];
    const uint32_t row = get_group_id(1) * TILE, col = get_group_id(0) * TILE;
    const uint32_t rows = min((uint32_t)TILE, heightA - row), cols = min((uint32_t)TILE, widthB - col);
    const bool works = get_local_id(0) == 0 && get_local_id(1) == 0;
    if (works)
        for (uint32_t i = 0; i < TILE; i++)
            for (uint32_t j = 0; j < TILE; j++)
                a[i][j] = b[i][j] = c[i][j] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint32_t k0 = 0; k0 < widthA; k0 += TILE) {
        const uint32_t ks = min((uint32_t)TILE, widthA - k0);
        event_t e = async_work_group_copy(a[0], A + row * widthA + k0, ks, 0);
        for (uint32_t i = 1; i < rows; i++)
            e = async_work_group_copy(a[i], A + (row + i) * widthA + k0, ks, e);
        for (uint32_t k = 0; k < ks; k++)
            e = async_work_group_copy(b[k], B + (k0 + k) * widthB + col, cols, e);
        wait_group_events(1, &e);
        if (works)
            for (uint32_t i = 0; i < TILE; i++)
                for (uint32_t k = 0; k < ks; k++)
                    for (uint32_t j = 0; j < TILE; j++)
                        c[i][j] += a[i][k] * b[k][j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    event_t e = async_work_group_copy(C + row * widthB + col, c[0], cols, 0);
    for (uint32_t i = 1; i < rows; i++)
        e = async_work_group_copy(C + (row + i) * widthB + col, c[i], cols, e);
    wait_group_events(1, &e);
}
