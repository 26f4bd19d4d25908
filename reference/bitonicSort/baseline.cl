// Baseline: a launch for every step. Each element has a work-item, and the upper one of a pair does nothing.
__kernel void naiveStep(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
    const uint32_t i = get_global_id(0);
    const uint32_t other = i ^ j;
    if (i >= n || other < i)
        return;

    const int mine = data[i], its = data[other];
    if ((mine > its) == ((i & k) == 0)) {
        data[i] = its;
        data[other] = mine;
    }
}
