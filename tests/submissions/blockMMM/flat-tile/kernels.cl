/* blockMMM with one-dimensional local arrays; the row and column tests do not
   change in the loop, so they are made once, before it. */
inline uint at(uint row, uint col, uint ld) { return row * ld + col; }

__kernel void blockMMM(__global const float *restrict A,
                       __global const float *restrict B,
                       __global float *restrict C,
                       const uint heightA, const uint widthB, const uint widthA)
{
  __local float tileA[TILE * TILE];
  __local float tileB[TILE * TILE];

  const uint tx = get_local_id(0), ty = get_local_id(1);
  const uint j = get_group_id(0) * TILE + tx;
  const uint i = get_group_id(1) * TILE + ty;
  const uint me = at(ty, tx, TILE);
  const int rowOk = i < heightA;
  const int colOk = j < widthB;
  const uint steps = (widthA + TILE - 1) / TILE;

  float result = 0.f;
  for (uint s = 0; s < steps; ++s) {
    const uint ka = s * TILE + tx;
    const uint kb = s * TILE + ty;
    tileA[me] = rowOk && ka < widthA ? A[at(i, ka, widthA)] : 0.f;
    tileB[me] = colOk && kb < widthA ? B[at(kb, j, widthB)] : 0.f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; ++k)
      result += tileA[at(ty, k, TILE)] * tileB[at(k, tx, TILE)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (rowOk && colOk)
    C[at(i, j, widthB)] = result;
}
