// Exercise 21, group 7
typedef unsigned int uint32_t;

__kernel void expand( __global uint32_t* offsets, __global uint32_t* neighbours, __global int* levels
                    , __global uint32_t* frontier, __global int* found, uint32_t nodes
                    ) {
    uint32_t tid = get_global_id(0);
    if(tid < nodes) {
        if(frontier[tid] == 1) {
            uint32_t beg = offsets[tid];
            uint32_t deg = offsets[tid+1] - beg;
            __global uint32_t* list = neighbours + beg;
            int lev = levels[tid];
            frontier[tid] = 0;
            for(uint32_t i = 0; i < deg; i++) {
                uint32_t node = list[i];
                if(levels[node] == -1) {
                    found[node] = lev + 1;
                }
            }
        }
    }
}

__kernel void settle( __global int* levels, __global uint32_t* frontier, __global int* found
                    , __global uint32_t* changed, uint32_t nodes
                    ) {
    uint32_t tid = get_global_id(0);
    if(tid < nodes) {
        int lev = found[tid];
        if(lev != 0) {
            levels[tid]   = lev;
            frontier[tid] = 1;
            found[tid]    = 0;      // so that the node is not found again
            *changed      = 1;
        }
    }
}
