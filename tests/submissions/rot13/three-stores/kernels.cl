// grader: global = ceil_to(n, 256)
// grader: local = 256
__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    const uchar c = text[i];
    if (c >= 'A' && c <= 'Z')
        coded[i] = (c - 'A' + 13) % 26 + 'A';
    else if (c >= 'a' && c <= 'z')
        coded[i] = (c - 'a' + 13) % 26 + 'a';
    else
        coded[i] = c;
}
