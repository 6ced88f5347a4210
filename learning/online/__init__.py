"""Learning from games as they are played."""
