"""`samuel learn` and its own subcommand."""
