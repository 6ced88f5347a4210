"""`python train.py` is `samuel train`."""

import sys

from samuel.cli.main import main

if __name__ == "__main__":
    main(["train", *sys.argv[1:]])
