// grader: global = ceil_to(n, 256)
// grader: local = 256
__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n) {
        uchar c = text[i];
        uchar small = c | 32;
        if (small >= 'a' && small <= 'z')
            c += 13;
        coded[i] = c;
    }
}
