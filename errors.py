"""The one exception whose text is meant for the person at the keyboard."""


class UserError(Exception):
    """Something the user gave cannot be used; the message says what is wrong and what to do.

    The command line prints the message as one line and exits with status 1.
    """
