"""A GTP engine that will not end: `unruly.py HOW MARK`, HOW holding words of those below.

    fork      starts a child
    ignore    passes over signals and `quit`
    silent    never reads
    closeall  closes its input and its outputs, and goes on

All that it starts has MARK in its command line. Otherwise it passes.
"""

import os
import signal
import sys
import time

HOW = sys.argv[1].split(",")
ASKING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE)


def start() -> None:
    """Start a process that only SIGKILL ends."""
    if os.fork():
        return
    for number in ASKING:
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


if "ignore" in HOW:
    for number in ASKING:
        signal.signal(number, signal.SIG_IGN)
if "fork" in HOW:
    start()
if "closeall" in HOW:
    os.closerange(0, 3)
while "silent" in HOW or "closeall" in HOW:
    time.sleep(1)
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit" and "ignore" in HOW:
        continue
    said = {"protocol_version": "2", "list_commands": "name\nversion\ngenmove\nplay\nclear_board"}
    print(f"= {said.get(word, 'pass')}\n", flush=True)
    if word == "quit":
        break
