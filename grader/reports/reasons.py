"""The meaning of each reason for a failed check, and the next step.

docs/reading-your-report.md contains the same sentences.
"""

from collections.abc import Mapping

from grader.results.verdicts import Reason

MEANINGS: Mapping[Reason, str] = {
    Reason.FORBIDDEN: (
        "The file uses `#include`, assembly code or the like. Remove it; your file must be complete without it."
    ),
    Reason.BUILD_ERROR: (
        "The file does not compile as OpenCL C 1.2. Fix the first error; the others are often its consequences."
    ),
    Reason.KERNEL_MISSING: (
        "There is no kernel with the right name. Compare it with the handout, and check that `__kernel` is before it."
    ),
    Reason.WRONG_ARGUMENTS: (
        "The kernel's parameters differ from the handout's. The report shows both, and says what to write."
    ),
    Reason.LAUNCH_SIZES: (
        "A size that you state in a `// grader:` comment is missing or does not fit. The message says which "
        "rule it breaks."
    ),
    Reason.LAUNCH_ERROR: (
        "The device cannot launch the kernel. Check `reqd_work_group_size` and the size of your local memory."
    ),
    Reason.CRASH: (
        "The kernel crashed or the device stopped it, usually at an index far outside an array. Check every index."
    ),
    Reason.TIME_LIMIT: (
        "The kernel took too long, or was still running when the simulator stopped it. Look for a loop that "
        "never ends, or a barrier that some work-items miss."
    ),
    Reason.MEMORY_LIMIT: "The kernel used too much memory. Make its arrays smaller.",
    Reason.OUTPUT_LIMIT: "The kernel wrote too much output. Remove `printf`.",
    Reason.WRONG_OUTPUT: (
        "Some elements are wrong. Start with the smallest case that fails. In `sanitizer`, the result depends "
        "on the order of work-items."
    ),
    Reason.NOT_WRITTEN: "The kernel stored nothing in the output. Check that the kernel reaches the store.",
    Reason.OUT_OF_BOUNDS: (
        "The kernel accessed something outside an array or an image. Add or correct the guard of that load or store."
    ),
    Reason.INPUT_CHANGED: "The kernel wrote to an input. Declare inputs `const`, and the compiler finds the line.",
    Reason.DATA_RACE: (
        "Two work-items use the same word, and one of them writes it. Put a barrier between the two lines, or "
        "give each work-item a separate word."
    ),
    Reason.BARRIER_DIVERGENCE: (
        "Some work-items never reach a barrier at which others wait. Skip the work, not the barrier."
    ),
    Reason.ORDER_DEPENDENT: (
        "The results are correct if the work-items of a group run one after the other in ascending order, and "
        "wrong if they alternate in another order. A GPU promises no order. Put a barrier between a store and "
        "its use by another work-item, and change a shared word by one atomic function, not by two."
    ),
    Reason.UNINITIALISED: (
        "The kernel uses a value that was never set. Give the variable a value. If there is nothing to load, store "
        "the value that the exercise wants, often 0."
    ),
    Reason.UNCOALESCED: (
        "Neighbouring work-items access words that are far apart. Make `get_local_id(0)` run along a row."
    ),
    Reason.BANK_CONFLICT: (
        "Several words of a warp are in one bank of local memory. Make rows one word longer, or change the index."
    ),
    Reason.EXTRA_TRAFFIC: (
        "The kernel reads or writes more words than necessary. Keep them in registers or in local memory."
    ),
    Reason.BRANCHES: (
        "The kernel tests conditions too often. Do several iterations of the loop in one, and test its "
        "condition once for them."
    ),
    Reason.EXTRA_WORK: (
        "The work-items do more floating-point operations than necessary. End a loop as soon as its result is "
        "decided, and keep results that are needed again."
    ),
    Reason.WARP_DIVERGENCE: (
        "The work-items of a warp take different branches too often, or most of them are idle while a few "
        "work. Let neighbours take the same branch, and share the work among all."
    ),
    Reason.TOO_MANY_STEPS: (
        "The simulator stopped the kernel before its end, after millions of steps. It runs the code as "
        "written, without optimisation. Move work out of the innermost loop, and avoid function calls there. "
        "If the device does not finish the kernel either, look for a loop that never ends."
    ),
    Reason.TOO_SLOW: (
        "The kernel is correct, but slower than full points need. `grader profile` shows what each line costs."
    ),
    Reason.IMPLAUSIBLE: "The measured speed is impossible on this device. Ask your instructor to look at it.",
}
"""Markdown without links. The first sentence describes what happened. Checks that were not made have no entry."""
