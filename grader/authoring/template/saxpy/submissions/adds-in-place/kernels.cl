__kernel void @ASSIGNMENT@(__global float *x, __global float *y, float factor, uint count)
{
    size_t i = get_global_id(0);
    if (i >= count)
        return;
    y[i] += factor * x[i];
}
