"""Pages for people: API reference, errors, first run. It reads the API from the OpenAPI document and no tables."""
