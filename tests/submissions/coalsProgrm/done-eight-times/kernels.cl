// Every work-item computes its column eight times.
__kernel void coalsProgrm(__global float *Atr, __global float *Btr, uint height, uint width)
{
    uint row = get_global_id(0);
    if (row >= height)
        return;
    for (uint again = 0; again < 8; again++) {
        float accum = 0.0f;
        for (uint col = 0; col < width; col++) {
            float a = Atr[col * height + row];
            accum = a * a - accum;
            Btr[col * height + row] = accum;
        }
    }
}
