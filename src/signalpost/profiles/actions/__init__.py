"""Writes of profiles and links."""

from signalpost.profiles.actions.create import create_default, create_profile
from signalpost.profiles.actions.delete import delete_profile
from signalpost.profiles.actions.links import Repost, link_profiles, record_repost, unlink_profiles
from signalpost.profiles.actions.update import update_profile

__all__ = [
    "Repost",
    "create_default",
    "create_profile",
    "delete_profile",
    "link_profiles",
    "record_repost",
    "unlink_profiles",
    "update_profile",
]
