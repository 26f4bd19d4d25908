// jacobi: solve A x = b by the Jacobi iteration; each work-item computes one element of x.
//
// An iteration computes xnew[i] = (b[i] - sum over j != i of A[i][j] * xold[j]) / A[i][i] for all i. Then `change` says
// how much it changed, and the two vectors change places, until that is little.
//
// A is n x n and row-major, A[i][j] is A[i*n + j]. At is its transpose: A[i][j] is At[j*n + i].
//
// Launch:   work-group (WG), global (ceil(n/WG)*WG): the last group has work-items past the end of the vectors.
// Defined:  real (float), uint32_t (uint), and WG, which is yours to choose: 32, 64, 128 or 256. Say so here:
// grader: WG = 64

// A by rows.
__kernel void jacobiRow(__global const real *A, __global const real *b, __global const real *xold,
                        __global real *xnew, uint32_t n)
{
    // TODO: add up the n - 1 products, then store the new x[i]
}

// A by columns.
__kernel void jacobiColumn(__global const real *At, __global const real *b, __global const real *xold,
                           __global real *xnew, uint32_t n)
{
    // TODO: the same, reading At
}

// A by columns, and no condition in the loop.
__kernel void jacobiBranchFree(__global const real *At, __global const real *b, __global const real *xold,
                               __global real *xnew, uint32_t n)
{
    // TODO: how can the sum do without `if (j != i)`?
}

// As before, with four products in each iteration of the loop.
__kernel void jacobiUnrolled(__global const real *At, __global const real *b, __global const real *xold,
                             __global real *xnew, uint32_t n)
{
    // TODO: n need not be a multiple of four
}

// The test for convergence: sums[g] = sum of (xnew[i] - xold[i])^2 over the elements of work-group g.
__kernel void change(__global const real *xold, __global const real *xnew, __global real *sums, uint32_t n,
                     __local real *scratch)
{
    // scratch holds WG words of local memory, one a work-item
    // TODO: each work-item puts its square into scratch; 0 past the end
    // TODO: add them up in steps: half of the work-items add the other half's values to theirs, then half of those, ...
    // TODO: every step needs a barrier: where, and why?
}
