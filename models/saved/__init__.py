"""Models on disk and on their way to other processes; nothing read from them is run."""
