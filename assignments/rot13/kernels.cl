// rot13: coded = text with each letter moved 13 places along the alphabet.
//
// text and coded have n characters (bytes) each. All bytes other than A to Z and a to z stay as they are.
//
// Launch:   yours to state, in the two lines below. The sizes that stand there give each work-item one character.
//           Change them if yours takes several. They may use n and ceil_to, ceil_div, min and max.
// Defined:  PLACES (13), uint32_t (uint).
//
// grader: global = ceil_to(n, 256)
// grader: local = 256
__kernel void rot13(__global const uchar *text, __global uchar *coded, uint32_t n)
{
    // TODO: which characters are this work-item's, and are there any?
    // TODO: read a character, move it if it is a letter, store it. How few tests does that need?
}
