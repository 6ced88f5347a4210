"""Methods that sample: pure Monte Carlo and UCT."""
