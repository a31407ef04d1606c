"""Whether the service works: health checks. It knows nothing of what the work is about."""
