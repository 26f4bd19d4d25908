// grader: global = ceil_to(n, 256)
// grader: local = 256
__kernel void rot13(__global uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    const uchar place = (text[i] | 32) - 'a';
    if (place < 13)
        text[i] += 13;
    else if (place < 26)
        text[i] -= 13;
    coded[i] = text[i];
}
