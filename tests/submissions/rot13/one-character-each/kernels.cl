// grader: global = ceil_to(n, 128)
// grader: local  = 128
typedef uint uint32_t;

__kernel void rot13( __global uchar* text, __global uchar* coded
                   , uint32_t n
                   ) {
    uint32_t gid = get_global_id(0);
    if(gid < n) {
        uchar c    = text[gid];
        uchar size = c & 32;        // small letters have this bit
        uchar nth  = c - size - 'A';
        coded[gid] = nth < 26 ? (nth + 13) % 26 + 'A' + size : c;
    }
}
