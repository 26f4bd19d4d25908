typedef uint uint32_t;

__kernel void mmColumnLocal( __global real* A, __global real* B, __global real* C
                           , uint32_t Ndim, __local real* Bwrk
                           ) {
    int k, j;
    int i    = get_global_id(0);
    int iloc = get_local_id(0);
    int nloc = get_local_size(0);
    real Awrk[MAX_N];
    real tmp;

    if (i < Ndim)
        for (k = 0; k < Ndim; k++)
            Awrk[k] = A[i*Ndim+k];

    for (j = 0; j < Ndim; j++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (k = iloc; k < Ndim; k += nloc)
            Bwrk[k] = B[k*Ndim+j];
        barrier(CLK_LOCAL_MEM_FENCE);

        if (i < Ndim) {
            tmp = 0.0f;
            for (k = 0; k < Ndim; k++)
                tmp += Awrk[k] * Bwrk[k];
            C[i*Ndim+j] = tmp;
        }
    }
}
