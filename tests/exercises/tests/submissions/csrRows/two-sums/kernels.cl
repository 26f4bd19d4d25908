// Two sums of each row, so that additions can overlap.
kernel void csrRows(uint n, global uint *first, global uint *column, global double *a, global double *b,
                    global double *c)
{
    for (size_t r = get_global_id(0); r < n; r += get_global_size(0)) {
        double s = 0, t = 0;
        uint e = first[r], end = first[r + 1];
        if ((end - e) % 2 == 1) {
            s = a[e] * b[column[e]];
            e++;
        }
        for (; e < end; e += 2) {
            s = fma(a[e], b[column[e]], s);
            t = fma(a[e + 1], b[column[e + 1]], t);
        }
        c[r] = s + t;
    }
}
