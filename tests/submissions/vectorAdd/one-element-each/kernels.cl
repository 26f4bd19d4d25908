// Exercise 1 (vector add), handed in by group 3
// grader: global = ceil_to(n, 128)
// grader: local  = 128
typedef uint uint32_t;

__kernel void vectorAdd( __global real* A, __global real* B, __global real* C
                       , uint32_t n
                       ) {
    uint32_t gid = get_global_id(0);
    if(gid < n) {
        C[gid] = A[gid] + B[gid];
    }
}
