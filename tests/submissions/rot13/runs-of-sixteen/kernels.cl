// grader: global = ceil_to(ceil_div(n, 16), 64)
// grader: local = 64
uchar turned(uchar c)
{
    const uchar base = c & 32, place = c - base - 'A';
    return place < 26 ? (place + 13) % 26 + 'A' + base : c;
}

__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t first = 16 * get_global_id(0);
    for (uint32_t i = first; i < min(first + 16, n); i++)
        coded[i] = turned(text[i]);
}
