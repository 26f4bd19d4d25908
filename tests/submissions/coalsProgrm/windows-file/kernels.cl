typedef uint uint32_t;

// Opgave 2: koalesceret rækkeprogram
#define ELEM(M, i, j)   \
    (M)[(j)*height + (i)]

__kernel void coalsProgrm( __global real* Atr,
                           __global real* Btr,
                           uint32_t       height,
                           uint32_t       width ) {
    int gid = get_global_id(0);
    if( gid < height ) {
        float accum = 0.0;
        for(int j=0; j<width; j++) {
            float tmpA = ELEM(Atr, gid, j);
            accum = tmpA*tmpA - accum;
            ELEM(Btr, gid, j) = accum;
        }
    }
}
