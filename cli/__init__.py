"""The `samuel` command: a file per group of subcommands, which have no logic of their own.

The files import nothing heavy at their top, so that `samuel --help` answers at once.
"""
