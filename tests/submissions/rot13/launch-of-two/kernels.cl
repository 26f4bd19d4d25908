// Two work-items move the whole text, in vectors of sixteen, so they always read whole sectors.
// grader: global = 2
// grader: local = 2
uchar16 moved(uchar16 text)
{
    const uchar16 place = (text | (uchar16)32) - (uchar16)97;
    const uchar16 up = text + (uchar16)PLACES, down = text - (uchar16)(26 - PLACES);
    const uchar16 letter = as_uchar16(place < (uchar16)26);
    const uchar16 early = as_uchar16(place < (uchar16)(26 - PLACES));
    return (letter & ((early & up) | (~early & down))) | (~letter & text);
}

__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t vectors = n / 16;
    for (uint32_t i = get_global_id(0); i < vectors; i += 2)
        vstore16(moved(vload16(i, text)), i, coded);
    for (uint32_t i = 16 * vectors + get_global_id(0); i < n; i += 2)
        coded[i] = moved((uchar16)text[i]).s0;
}
