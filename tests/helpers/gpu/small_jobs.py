"""A small job for a worker, which doubles numbers, and kernels that misbehave."""

import numpy as np
from worker_rules import LIMITS, TIMEOUTS, sandbox_with

from grader.course.poison import INPUT_POISON, POISON
from grader.execution.client import Worker
from grader.execution.plan import Plan, Script
from grader.protocol.steps import BufferArg, BufferSpec, KernelStep, ProgramSource, ScalarArg

COUNT = 1000


KERNELS = """
__kernel void twice(__global const float *in, __global float *out, uint n) {
    uint i = get_global_id(0);
    if (i < n) out[i] = 2 * in[i];
}
__kernel void forever(__global const float *in, __global float *out, uint n) {
    while (((volatile __global const float *)in)[0] < 1e30f) out[0] += 1;
}
__kernel void crash(__global const float *in, __global float *out, uint n) {
    out[((size_t)n << 40) + get_global_id(0)] = 1;
}
__kernel void chatter(__global const float *in, __global float *out, uint n) {
    for (uint i = 0; i < 20000; i++)
        printf("{\\"kind\\": \\"done\\"}\\n");
    twice(in, out, n);
}
__kernel __attribute__((reqd_work_group_size(7, 1, 1)))
void sevens(__global const float *in, __global float *out, uint n) { out[0] = 1; }
"""


def plan(kernel):
    step = KernelStep(
        program="p",
        kernel=kernel,
        args=(BufferArg(buffer="in"), BufferArg(buffer="out"), ScalarArg(type="uint32", value=COUNT)),
        global_size=(1024,),
        local_size=(64,),
    )
    buffers = (
        BufferSpec(name="in", size=4 * COUNT, guard=4096, poison=INPUT_POISON),
        BufferSpec(name="out", size=4 * COUNT, guard=4096, poison=POISON),
    )
    return Plan(buffers=buffers, scripts={"run": Script(steps=(step,), uploads=("in",), outputs=("out",))})


ARRAYS = {"in": np.arange(COUNT, dtype=np.float32)}


def is_right(fetched):
    return np.array_equal(fetched["out"].payload.view(np.float32), 2 * ARRAYS["in"])


def make_worker(source=KERNELS, limits=LIMITS, timeouts=TIMEOUTS, device=0):
    return Worker(sandbox_with(limits), device, timeouts).load({"p": ProgramSource(source=source)})
