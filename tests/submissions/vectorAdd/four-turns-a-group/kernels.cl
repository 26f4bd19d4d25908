#define TURNS 4

/* A group of 256 adds TURNS * 256 elements that lie side by side.
 * grader: local = 256
 * grader: global = ceil_div(n, 4 * 256) * 256
 */
kernel void vectorAdd(global const float *restrict a, global const float *restrict b, global float *restrict c,
                      const uint n)
{
    const size_t block = get_group_id(0) * TURNS * get_local_size(0);
    for (int turn = 0; turn < TURNS; turn++) {
        const size_t i = block + turn * get_local_size(0) + get_local_id(0);
        if (i >= n)
            return;
        c[i] = a[i] + b[i];
    }
}
