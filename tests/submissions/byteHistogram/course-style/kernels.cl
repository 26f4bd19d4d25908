// Exercise 18, group 7
typedef unsigned int uint32_t;

__kernel void histogram( __global unsigned char* data
                       , __global uint32_t* counts, uint32_t n
                       ) {
    __local uint32_t lmem[BINS];
    uint32_t tid = get_local_id(0);
    uint32_t gid = get_global_id(0);
    uint32_t i;

    for(i = tid; i < BINS; i += get_local_size(0)) {
        lmem[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for(i = gid; i < n; i += GROUPS*WG) {
        uint32_t bin = data[i];
        atomic_add(&lmem[bin], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    for(i = tid; i < BINS; i += get_local_size(0)) {
        atomic_add(&counts[i], lmem[i]);
    }
}
