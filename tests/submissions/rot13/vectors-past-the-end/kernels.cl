// grader: global = ceil_to(ceil_div(n, 16), 64)
// grader: local = 64
__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (16 * i < n) {
        const uchar16 c = vload16(i, text), place = (c | (uchar16)32) - (uchar16)97;
        const uchar16 down = select((uchar16)0, (uchar16)243, place < (uchar16)26);
        vstore16(c + select(down, (uchar16)13, place < (uchar16)13), i, coded);
    }
}
