#!/usr/bin/env bash
# Installs grader in /opt/grader, once, when the image is built: on Debian 12 or newer, or Ubuntu 22.04 or newer.
set -euo pipefail
cd /autograder/source
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install --quiet --quiet --yes --no-install-recommends "$@" >/dev/null; }

apt-get update --quiet --quiet
install python3 python3-venv ca-certificates binutils pocl-opencl-icd
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    python=python3.11  # beside the python3 of Ubuntu 22.04, which is 3.10
    install python3.11 python3.11-venv
fi
"$python" -m venv /opt/grader
/opt/grader/bin/pip install --quiet --no-cache-dir --disable-pip-version-check --constraint constraints.txt ./grader-*.whl
# The PoCL of the distribution, installed above, knows newer processors than that of PyPI.
/opt/grader/bin/pip uninstall --quiet --yes pocl-binary-distribution

apt-get clean

chmod -R go= /autograder  # the course in it holds the model solution
/opt/grader/bin/grader doctor --sandbox user --course course
