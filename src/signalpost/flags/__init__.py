"""Feature flags: declared in code, changed by staff, evaluated in the process. It knows nothing of what they switch."""
