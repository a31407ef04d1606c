"""Health checks of the service, its engine and its database. It does not know what the work is about."""
