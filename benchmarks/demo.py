"""`make demo` after installation: its time and its memory."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.common import record, seconds

_DEMO = Path(__file__).parent.parent / "examples" / "demo.py"


def main() -> None:
    """Run the demo in a process of its own and ask the system what it took."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(_DEMO), "--out", folder]
        elapsed = seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    peak_mb = peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
    record("demo", [{"process": "examples/demo.py", "seconds": elapsed, "peak MB": peak_mb}])


if __name__ == "__main__":
    main()
