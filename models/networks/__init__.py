"""Networks: how each kind of first layer and head is fitted."""
