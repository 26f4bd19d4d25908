// grader: global = ceil_to(n, 256)
// grader: local = 256
__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i < n) {
        const uchar c = text[i];
        const uchar base = c < 'a' ? 'A' : 'a';
        coded[i] = c >= 'A' && c <= 'z' ? (c - base + 13) % 26 + base : c;
    }
}
