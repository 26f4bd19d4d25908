// grader: global = ceil_to(n, 64)
// grader: local = 64
__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    uint32_t i = get_global_id(0);
    if (i < n) {
        uchar c = text[i];
        if (c >= 'A' && c <= 'M')
            c += 13;
        else if (c >= 'a' && c <= 'm')
            c += 13;
        else if (c >= 'N' && c <= 'Z')
            c -= 13;
        else if (c >= 'n' && c <= 'z')
            c -= 13;
        coded[i] = c;
    }
}
