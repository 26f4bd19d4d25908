__kernel void k(float *A, float *B, uint width)
{
    uint i = get_global_id(0);
    B[i] = 0.0f;
}
