"""Writes of apps and grants: by the people of a workspace, by a person who allows, and by the app itself."""
