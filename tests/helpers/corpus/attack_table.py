"""Run all attacks in both sandboxes, and write the results into the table in docs/security/attacks.md.

    python tests/helpers/corpus/attack_table.py [NAME ...]

This needs a container engine and both images, and takes five minutes for all attacks.

If attacks are named, only their rows are replaced. test_hostile.py checks that the column `docker` is true, and that no
row is missing.
"""

import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import docker

sys.path[:0] = map(str, Path(__file__).parent.parent.glob("**/"))

from attacks import Attack, corpus, in_words, observed, row  # noqa: E402
from project import ROOT  # noqa: E402

START, END = "<!-- attacks: written by tests/helpers/corpus/attack_table.py -->", "<!-- end of attacks -->"
PATH = ROOT / "docs" / "security" / "attacks.md"


def main() -> None:
    """Write the table. The column `docker` comes from each attack's expected.yaml, which a test checks."""
    client = docker.from_env()
    text = PATH.read_text(encoding="utf-8")
    rows = {line.split(" | ")[0]: line for line in text.splitlines() if line.startswith("| ")}
    chosen = [attack for attack in corpus() if not sys.argv[1:] or attack.name in sys.argv[1:]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in pool.map(partial(_row, client), chosen):
            rows[line.split(" | ")[0]] = line
    lines = [rows[f"| {attack.title}"] for attack in corpus()]
    table = "\n".join([START, "", "| attack | `process` | `docker` |", "| --- | --- | --- |", *lines, "", END])
    PATH.write_text(re.sub(f"{START}.*{END}", lambda _: table, text, flags=re.DOTALL), encoding="utf-8")


def _row(client: docker.DockerClient, attack: Attack) -> str:
    with tempfile.TemporaryDirectory() as folder:
        line = row(attack, observed(client, attack, Path(folder)), in_words(attack.docker))
    print(line, file=sys.stderr)
    return line


if __name__ == "__main__":
    main()
