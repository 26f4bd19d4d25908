"""Carries out every attack in both sandboxes and writes the table of SECURITY.md from what was seen.

    python tests/attack_table.py        (needs a container engine and both images; takes some minutes)

The tests hold that the table is true (test_hostile.py); this writes it anew after the corpus has changed.
"""

import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import docker
from attacks import Attack, corpus, in_words, observed, row
from conftest import ROOT

START, END = "<!-- attacks: written by tests/attack_table.py -->", "<!-- end of attacks -->"
PATH = ROOT / "SECURITY.md"


def main() -> None:
    """Write the table; what an attack gets in a container is what its expected.yaml says, which a test holds."""
    client = docker.from_env()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(partial(_row, client), corpus()))
    table = "\n".join([START, "", "| attack | `process` | `docker` |", "| --- | --- | --- |", *rows, "", END])
    text = PATH.read_text(encoding="utf-8")
    PATH.write_text(re.sub(f"{START}.*{END}", lambda _: table, text, flags=re.DOTALL), encoding="utf-8")


def _row(client: docker.DockerClient, attack: Attack) -> str:
    with tempfile.TemporaryDirectory() as folder:
        line = row(attack, observed(client, attack, Path(folder)), in_words(attack.docker))
    print(line, file=sys.stderr)
    return line


if __name__ == "__main__":
    main()
