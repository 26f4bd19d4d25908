// Baseline: each work-item turns a run of neighbouring characters, as a thread of a CPU would.
#define RUN 64

uchar turned(uchar character)
{
    if (character >= 'A' && character <= 'Z')
        return (character - 'A' + 13) % 26 + 'A';
    if (character >= 'a' && character <= 'z')
        return (character - 'a' + 13) % 26 + 'a';
    return character;
}

__kernel void naiveRot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t first = get_global_id(0) * RUN;
    for (uint32_t i = first; i < first + RUN && i < n; i++)
        coded[i] = turned(text[i]);
}
