"""From rows of a dataset to a fitted estimator, and how good it is."""
