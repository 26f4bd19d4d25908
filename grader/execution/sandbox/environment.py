"""The environment variables of a worker: nothing from the judge, and nothing shared between workers."""


def environment(home: str) -> dict[str, str]:
    """For a worker whose caches and temporary files go below `home`."""
    return {
        "HOME": home,
        "TMPDIR": home,
        "XDG_CACHE_HOME": home,
        "POCL_CACHE_DIR": home,
        "POCL_AFFINITY": "1",  # else its threads share a core at random, and times double
        "PYOPENCL_NO_CACHE": "1",
        "OPENBLAS_NUM_THREADS": "1",  # its threads would not survive the fork of a session
    }
