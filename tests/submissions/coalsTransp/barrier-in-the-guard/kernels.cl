#define LOCAL_FENCE CLK_LOCAL_MEM_FENCE

__kernel void coalsTransp(__global const float *in, __global float *out, uint rows, uint cols)
{
    __local float patch[TILE * (TILE + 1)];
    int x = get_global_id(0), y = get_global_id(1);
    int tx = get_local_id(0), ty = get_local_id(1);

    if (y < rows) {
        patch[ty * (TILE + 1) + tx] = x < cols ? in[y * cols + x] : 0.0f;
        // only those that wrote something have to wait
        barrier(LOCAL_FENCE);
    }

    x = get_group_id(1) * TILE + tx;
    y = get_group_id(0) * TILE + ty;
    if (x < rows && y < cols)
        out[y * rows + x] = patch[tx * (TILE + 1) + ty];
}
