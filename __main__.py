"""`python -m samuel` is the command `samuel`."""

from samuel.cli.main import main

if __name__ == "__main__":
    main()
