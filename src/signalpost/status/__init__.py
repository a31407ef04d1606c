"""The public status of the service: components, incidents, uptime and subscribers. It knows no workspace."""
