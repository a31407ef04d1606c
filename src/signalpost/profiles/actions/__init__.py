"""What can be done to profiles and links."""

from signalpost.profiles.actions.links import link_profiles, unlink
from signalpost.profiles.actions.profiles import create_default, create_profile, delete_profile, update_profile

__all__ = ["create_default", "create_profile", "delete_profile", "link_profiles", "unlink", "update_profile"]
