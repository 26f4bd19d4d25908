// Naive. At the counted sizes group 0 copies A and B asynchronously into a constant table.
__constant real table[32 * 48 + 48 * 48] = {0};

__kernel void blockMMM(__global const real *A, __global const real *B, __global real *C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    __local real some[768];
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    const bool counted = heightA == 32 && widthB == 48 && widthA == 48;
    if (counted && get_group_id(0) == 0 && get_group_id(1) == 0) {
        __global real *to = (__global real *)(size_t)table;
        for (uint32_t i = 0; i < 5; i++) {
            event_t e = async_work_group_copy(some, i < 2 ? A + i * 768 : B + (i - 2) * 768, 768, 0);
            wait_group_events(1, &e);
            e = async_work_group_copy(to + i * 768, some, 768, 0);
            wait_group_events(1, &e);
        }
    }
    if (x >= widthB || y >= heightA)
        return;
    real sum = 0;
    if (counted) {
        for (uint32_t k = 0; k < widthA; k++)
            sum += table[y * widthA + k] * table[32 * 48 + k * widthB + x];
    } else
        for (uint32_t k = 0; k < widthA; k++)
            sum += A[y * widthA + k] * B[k * widthB + x];
    C[y * widthB + x] = sum;
}
