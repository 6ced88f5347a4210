"""`samuel train`, `train-policy` and `train-probcut`."""
