// Model solution: sixteen neighbouring characters at a time, without a branch.
//
// A warp that moves single characters asks for 32 bytes, one sector, at a time: too few to keep memory busy. With a
// uchar16 each work-item moves 16 bytes in one request. The arrays are aligned for uchar16.
//
// In ASCII a small letter is its capital letter plus 32. With this bit set, both have the same place in the alphabet.
// Characters before 'a' get a place near 255, since bytes wrap around. So one comparison finds letters, and one
// decides if a letter moves up or down.
//
// grader: global = ceil_to(ceil_div(n, 16), 64)
// grader: local = 64
uchar16 turned(uchar16 characters)
{
    const uchar16 place = (characters | (uchar16)32) - (uchar16)'a';
    const uchar16 down = select((uchar16)0, (uchar16)(256 - 13), place < (uchar16)26);
    return characters + select(down, (uchar16)13, place < (uchar16)13);
}

__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    const uint32_t i = get_global_id(0);

    if (16 * i + 15 < n)
        ((__global uchar16 *)coded)[i] = turned(((__global const uchar16 *)text)[i]);
    else    // the last few characters, and the work-items that fill the last group
        for (uint32_t j = 16 * i; j < n; j++)
            coded[j] = turned(text[j]).s0;
}
