// First version: every work-item computes its own element. TODO: local memory
typedef uint uint32_t;

__kernel void blockMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    uint32_t j = get_global_id(0);
    uint32_t i = get_global_id(1);
    if (i < heightA && j < widthB) {
        real sum = 0.0;
        for (uint32_t k = 0; k < widthA; k++)
            sum += A[i*widthA + k] * B[k*widthB + j];
        C[i*widthB + j] = sum;
    }
}
