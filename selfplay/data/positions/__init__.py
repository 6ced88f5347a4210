"""Files of labelled positions: formats, reading and writing."""
