"""The Model Context Protocol: what assistants do here, by operations of the API. It knows no tables and no sessions."""
