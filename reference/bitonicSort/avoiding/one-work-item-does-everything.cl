// In the first launch, one work-item does all steps of the sort. Later launches do nothing.
__kernel void bitonicNear(__global int *data, uint32_t n, uint32_t first, uint32_t last)
{
    if (get_global_id(0) > 0 || first > 2)
        return;

    for (uint32_t k = 2; k <= n; k *= 2)
        for (uint32_t j = k / 2; j > 0; j /= 2)
            for (uint32_t i = 0; i < n; i++)
                if ((i & j) == 0 && (data[i] > data[i + j]) == ((i & k) == 0)) {
                    const int other = data[i];
                    data[i] = data[i + j];
                    data[i + j] = other;
                }
}

__kernel void bitonicFar(__global int *data, uint32_t n, uint32_t k, uint32_t j)
{
}
