// Stages no points. It declares queries and points as constant memory for the version of the simulator's compiler.
typedef __typeof__(__builtin_choose_expr(__clang_major__ == 14, (__constant const real *)0, (__global const real *)0)) Input;

__kernel void nearestNeighbour(Input queries, Input points, __global uint32_t *nearest, __global real *distance,
                               uint32_t queryCount, uint32_t pointCount)
{
    const uint32_t q = get_global_id(0);
    if (q >= queryCount)
        return;
    uint32_t best = 0;
    real least = INFINITY;
    for (uint32_t p = 0; p < pointCount; p++) {
        real square = 0;
        for (uint32_t i = 0; i < 4; i++) {
            const real apart = queries[4 * q + i] - points[4 * p + i];
            square += apart * apart;
        }
        if (square < least) {
            least = square;
            best = p;
        }
    }
    nearest[q] = best;
    distance[q] = least;
}
