"""What changes in a workspace, as it happens: one long response for each client. It knows ids and kinds of change."""
