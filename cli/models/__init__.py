"""`samuel models`: evaluators, recipes and features, and files of models."""
