#define PITCH (CHUNK + 1)
#define JUMP (PRG_WGSIZE / CHUNK)

__kernel void optimProgram(__global const float *A, __global float *B, uint height, uint width)
{
    __local float block[PRG_WGSIZE * PITCH];
    const uint me = get_local_id(0);
    const uint r1 = me / CHUNK, c = me % CHUNK;
    const uint top = get_group_id(0) * PRG_WGSIZE;
    const uint last = top + PRG_WGSIZE <= height ? PRG_WGSIZE : height - top;
    __local float *const mine = block + me * PITCH;
    const size_t offset = (size_t)(top + r1) * width + c;
    float carry = 0.0f;

    for (uint left = 0; left < width; left += CHUNK) {
        const bool here = left + c < width;
        __local float *lp = block + r1 * PITCH + c;
        __global const float *gp = A + offset + left;
        for (uint r = r1; r < last && here; r += JUMP) {
            *lp = *gp;
            lp += JUMP * PITCH;
            gp += JUMP * width;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // What was not copied in (rows and columns past the edges) is computed with all the same:
        // such results are not copied out, and no later column of a row depends on them.
        __local float *p = mine;
        do {
            carry = *p * *p - carry;
            *p++ = carry;
        } while (p < mine + CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);

        lp = block + r1 * PITCH + c;
        __global float *op = B + offset + left;
        for (uint r = r1; r < last && here; r += JUMP) {
            *op = *lp;
            lp += JUMP * PITCH;
            op += JUMP * width;
        }
        // No barrier: each word is next overwritten by the work-item that has just copied it out.
    }
}
