#define RUN 64
uchar turned(uchar c)
{
    const uchar base = c & 32;
    const uchar letter = c - base - 'A';
    return letter < 26 ? (letter + 13) % 26 + 'A' + base : c;
}
__kernel void naiveRot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t first = get_global_id(0) * RUN;
    for (uint32_t i = first; i < first + RUN && i < n; i++)
        coded[i] = turned(text[i]);
}
