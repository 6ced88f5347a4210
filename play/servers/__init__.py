"""The toolkit as an engine for boards that speak GTP or NBoard."""
