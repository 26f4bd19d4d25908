__kernel void k(__global float *A)
{
    for (uint half = get_local_size(0) / 2; half > 0; half /= 2)
        A[get_global_id(0)] += A[get_global_id(0) + half];
}
