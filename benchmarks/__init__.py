"""Benchmarks: speed, savings and error rates, as ratios to a peer or a reference of the same run.

`make bench` runs them; `python -m benchmarks search` runs one. Each prints tables and writes
`benchmarks/results/NAME.json` with the machine and the versions. `golden` prints digests.
"""
