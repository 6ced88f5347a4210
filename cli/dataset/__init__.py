"""`samuel dataset` and its own subcommands."""
