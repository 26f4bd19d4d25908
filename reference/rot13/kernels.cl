uchar turned(uchar c)
{
    const uchar base = c & 32;
    const uchar letter = c - base - 'A';
    return letter < 26 ? (letter + 13) % 26 + 'A' + base : c;
}
__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n)
        coded[i] = turned(text[i]);
}
