// One work-item of each group computes all its pixels, without a loop.
float4 blurred(read_only image2d_t from, __global const real *w, sampler_t e, int2 p, int2 s)
{
    return w[0] * read_imagef(from, e, p - 4 * s) + w[1] * read_imagef(from, e, p - 3 * s) +
           w[2] * read_imagef(from, e, p - 2 * s) + w[3] * read_imagef(from, e, p - s) +
           w[4] * read_imagef(from, e, p) + w[5] * read_imagef(from, e, p + s) +
           w[6] * read_imagef(from, e, p + 2 * s) + w[7] * read_imagef(from, e, p + 3 * s) +
           w[8] * read_imagef(from, e, p + 4 * s);
}

#define ARGS read_only image2d_t from, write_only image2d_t to, __global const real *w, sampler_t e, int2 s
void pixel(ARGS, int2 p)
{
    const int2 q = min(p, (int2)(get_image_width(to), get_image_height(to)) - 1);
    write_imagef(to, q, blurred(from, w, e, q, s));
}
#define P(d) (from, to, w, e, s, p + (int2) d)
void four(ARGS, int2 p) { pixel P((0, 0)); pixel P((1, 0)); pixel P((2, 0)); pixel P((3, 0)); }
void row(ARGS, int2 p) { four P((0, 0)); four P((4, 0)); four P((8, 0)); four P((12, 0)); }
void rows(ARGS, int2 p) { row P((0, 0)); row P((0, 1)); row P((0, 2)); row P((0, 3)); }
void tile(ARGS, int2 p) { rows P((0, 0)); rows P((0, 4)); rows P((0, 8)); rows P((0, 12)); }

__kernel void blurRows(read_only image2d_t from, write_only image2d_t to, __global const real *w, sampler_t e)
{
    const int2 s = (int2)(1, 0), p = TILE * (int2)(get_group_id(0), get_group_id(1));
    if (get_local_id(0) + get_local_id(1) == 0)
        tile P((0, 0));
}

__kernel void blurColumns(read_only image2d_t from, write_only image2d_t to, __global const real *w, sampler_t e)
{
    const int2 s = (int2)(0, 1), p = TILE * (int2)(get_group_id(0), get_group_id(1));
    if (get_local_id(0) + get_local_id(1) == 0)
        tile P((0, 0));
}
