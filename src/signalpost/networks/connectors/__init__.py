"""One package or module per network, named by its platform slug. Connectors do not import each other."""
