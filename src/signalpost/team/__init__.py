"""Members of a workspace: invitations, roles, suspension, ownership. It does not know what members do."""
