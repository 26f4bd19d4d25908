// Exercise 5, not started
__kernel void rgblkMMM(__global real* A, __global real* B, __global real* C,
                       uint32_t heightA, uint32_t widthB, uint32_t widthA) {
    __local real Ash[RT][RT+1];
    real cs[RT];
    // fill in your implementation here
}
