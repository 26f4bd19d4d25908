typedef uint uint32_t;

__kernel void mmRow(__global real* A, __global real* B, __global real* C, uint32_t n) {
    int i = get_global_id(0);
    if (i >= n) return;
    for (int j = 0; j < n; j++) {
        C[i*n + j] = 0.0f;
        for (int k = 0; k < n; k++) {
            C[i*n + j] += A[i*n + k] * B[k*n + j];
        }
    }
}
