typedef uint uint32_t;

__kernel void optimProgrm( __global real* A,
                           __global real* B,
                           uint32_t       height,
                           uint32_t       width,
                           __local  real* lmem ) {
    int lid   = get_local_id(0);
    int block = get_group_id(0) * PRG_WGSIZE;
    int i     = lid / CHUNK;
    int j     = lid % CHUNK;
    float accum = 0.0;

    for(int jj=0; jj<width; jj+=CHUNK) {
        // 1. global to local
        for(int ii=i; ii<PRG_WGSIZE; ii+=PRG_WGSIZE/CHUNK) {
            if( (block+ii < height) && (jj+j < width) )
                lmem[ii*(CHUNK+1) + j] = A[(block+ii)*width + jj + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // 2. each work-item its own row
        for(int k=0; k<CHUNK; k++) {
            if( (block+lid < height) && (jj+k < width) ) {
                float tmpA = lmem[lid*(CHUNK+1) + k];
                accum = tmpA*tmpA - accum;
                lmem[lid*(CHUNK+1) + k] = accum;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        // 3. local to global
        for(int ii=i; ii<PRG_WGSIZE; ii+=PRG_WGSIZE/CHUNK) {
            if( (block+ii < height) && (jj+j < width) )
                B[(block+ii)*width + jj + j] = lmem[ii*(CHUNK+1) + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
