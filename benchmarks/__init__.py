"""Benchmarks: speed and memory, as ratios to a peer or a reference of the same run.

`make bench` runs them all; `python -m benchmarks search` runs one. Each prints a table and writes
`benchmarks/results/NAME.json` with the machine and the versions.
"""
