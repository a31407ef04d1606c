"""The role table of the documentation, row by row."""

from collections.abc import Callable
from functools import partial

import pytest

from signalpost.identity import roles
from signalpost.web.caller import Role

EVERYONE: tuple[Role, ...] = ("owner", "admin", "editor", "contributor", "approver", "viewer")


def has(scope: str) -> Callable[[Role], bool]:
    return lambda role: scope in roles.scopes_of(role)


@pytest.mark.parametrize(
    ("allowed", "may"),
    [
        ("owner admin editor contributor approver viewer", has("posts:read")),
        ("owner admin editor contributor approver viewer", has("analytics:read")),
        ("owner admin editor contributor approver viewer", has("team:read")),
        ("owner admin editor contributor approver viewer", has("support:write")),
        ("owner admin editor contributor", has("posts:write")),
        ("owner admin editor contributor approver viewer", has("comments:read")),
        ("owner admin editor contributor", has("comments:write")),
        ("owner admin editor contributor", has("media:write")),
        ("owner admin editor", roles.may_publish),
        ("owner admin editor", roles.may_edit_others_posts),
        ("owner admin editor", has("accounts:write")),
        ("owner admin editor", has("invites:write")),
        ("owner admin editor", has("keys:write")),
        ("owner admin editor", partial(roles.may_delete_permanently, own=True)),
        ("owner admin", partial(roles.may_delete_permanently, own=False)),
        ("owner admin approver", roles.may_approve),
        ("owner admin editor contributor approver", roles.may_discuss),
        ("owner admin", roles.may_delete_others_media),
        ("owner admin", roles.may_disconnect_accounts),
        ("owner admin", roles.may_move_accounts),
        ("owner admin", roles.may_manage_others_api_keys),
        ("owner admin", roles.may_manage_workspace),
        ("owner admin", has("profiles:write")),
        ("owner admin", has("webhooks:write")),
        ("owner admin", has("team:write")),
        ("owner admin", has("billing:read")),
        ("", has("instance:admin")),
    ],
)
def test_a_right_belongs_to_exactly_these_roles(allowed: str, may: Callable[[Role], bool]) -> None:
    assert [role for role in EVERYONE if may(role)] == allowed.split()


def test_the_reference_shows_each_right_to_the_roles_that_have_it() -> None:
    """Read by people against the contract; a right that changes changes this line, too."""
    shown = [" ".join(role[0] for role in EVERYONE if right.belongs_to(role)) for right in roles.RIGHTS]
    assert shown == [
        "o a e c a v", "o a e c", "c", "o a e", "o a e", "o a a", "o a e c", "o a e c a", "o a e", "o a", "o a",
        "o a e", "o a", "o a", "o a e", "o a", "o a e c a v", "o a", "o a e c a v", "o a",
        "o a", "o a", "o a", "o a", "o a e c a v", "o",
    ]  # fmt: skip
