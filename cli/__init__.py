"""The `samuel` command: one file a subcommand, and no logic of its own.

The files import nothing heavy at their top, so that `samuel --help` answers at once.
"""
