// Nearest neighbour, handed in by group 11
typedef uint uint32_t;

__kernel void nearestNeighbour( __global real* queries, __global real* points
                              , __global uint32_t* nearest, __global real* distance
                              , uint32_t queryCount, uint32_t pointCount
                              ) {
    __local real lpts[CHUNK][4];
    uint32_t gid = get_global_id(0);
    uint32_t tid = get_local_id(0);
    real q[4];
    uint32_t i, j, d;
    uint32_t best_idx = 0;
    real     best_dst = 1.0e30f;

    for(d = 0; d < 4; d++) {
        q[d] = (gid < queryCount) ? queries[gid*4 + d] : 0.0f;
    }

    for(i = 0; i < pointCount; i += CHUNK) {
        if( (tid < CHUNK) && (i + tid < pointCount) ) {
            for(d = 0; d < 4; d++) {
                lpts[tid][d] = points[(i + tid)*4 + d];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for(j = 0; j < CHUNK && i + j < pointCount; j++) {
            real dx = q[0] - lpts[j][0];
            real dy = q[1] - lpts[j][1];
            real dz = q[2] - lpts[j][2];
            real dw = q[3] - lpts[j][3];
            real dst = dx*dx + dy*dy + dz*dz + dw*dw;
            if(dst < best_dst) {
                best_dst = dst;
                best_idx = i + j;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if(gid < queryCount) {
        nearest[gid]  = best_idx;
        distance[gid] = best_dst;
    }
}
