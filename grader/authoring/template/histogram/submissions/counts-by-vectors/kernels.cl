__kernel void @ASSIGNMENT@(__global uchar *bytes, __global uint *total, uint size)
{
    __local uint own[256];
    size_t me = get_local_id(0), start = CHUNK * get_group_id(0);
    own[me] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t at = start + 4 * me; at < start + CHUNK && at < size; at += 4 * GROUP) {
        if (at + 4 <= size) {
            uchar4 four = vload4(0, bytes + at);
            atomic_add(own + four.x, 1u);
            atomic_add(own + four.y, 1u);
            atomic_add(own + four.z, 1u);
            atomic_add(own + four.w, 1u);
        } else {
            for (size_t rest = at; rest < size; rest++)
                atomic_add(own + bytes[rest], 1u);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(total + me, own[me]);
}
