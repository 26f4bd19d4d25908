// grader: global = ceil_to(n, 256)
// grader: local = 256
__constant char turned[] = "nopqrstuvwxyzabcdefghijklm";

__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t i = get_global_id(0);
    if (i >= n)
        return;
    const uchar c = text[i];
    const int place = (c | 32) - 'a';
    const bool letter = place >= 0 && place < 26;
    const uchar other = turned[letter ? place : 0] - 32 + (c & 32);
    coded[i] = letter ? other : c;
}
