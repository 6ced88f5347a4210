"""Samuel's learning by generalization, 1959."""
