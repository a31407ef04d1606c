"""The figures that `make faults` holds against their goals: one reviewed table. A goal is never lowered."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_TIME: Final = re.compile(r"^(s|seconds) |, m?s$")


@dataclass(frozen=True)
class Goal:
    """What is promised, how often it has to be tried, and what may be measured at most."""

    name: str
    promise: str
    tried: Mapping[str, int]
    """How many of what, at least: all tests of the figure together."""
    at_most: Mapping[str, float]
    """The worst that any of its tests may measure."""
    paths: tuple[str, ...]
    """Where its tests are."""


_ALL = (
    Goal(
        "R1",
        "No post is published twice and none is lost, though workers are killed and answers are lost",
        {"posts": 10_000, "kills": 1_000},
        {"doubles": 0, "missing": 0},
        ("tests/faults/test_kills.py", "tests/faults/test_kills_at_ghost.py"),
    ),
    Goal(
        "R2",
        "Nothing is published early, though the database's clock is moved, or the rules of a time zone change",
        {"moves of the clock": 5, "changed zone rules": 2},
        {"early": 0},
        ("tests/faults/test_clocks.py", "tests/posts/test_zone_rules.py"),
    ),
    Goal(
        "R3",
        "Every event reaches its receiver, and a repetition has the same id and the same bytes",
        {"events": 10_000, "receivers": 50, "kills": 300},
        {"lost": 0, "repetitions that differ": 0},
        ("tests/faults/test_deliveries.py",),
    ),
    Goal(
        "R4",
        "A slow or hostile receiver hurts only itself",
        {"hostile endpoints": 100, "good endpoints": 100},
        {"p99 of the good ones, s": 2.0, "growth of memory, MiB": 50, "crashes": 0},
        ("tests/faults/test_deliveries.py",),
    ),
    Goal(
        "R5",
        "A burst of one tenant does not delay the others",
        {"posts of the burst": 50_000, "quiet tenants": 20},
        {"p99 of the delay added, ms": 250},
        ("tests/faults/test_backlog.py",),
    ),
    Goal(
        "R6",
        "An expired account is renewed once, however many use it at the same time",
        {"users": 64, "rounds": 200, "kills": 20},
        {"redeemed again": 0, "accounts lost": 0},
        ("tests/accounts/test_renewal.py", "tests/faults/test_kills.py"),
    ),
    Goal(
        "R7",
        "A post that kills its worker ends, and takes no other along",
        {"poison posts": 50, "good posts": 1_000},
        {"good posts not published": 0, "poison posts not ended": 0},
        ("tests/faults/test_kills.py",),
    ),
    Goal(
        "R10",
        "What was acknowledged outlives restarts, black holes and a failover of the database, and no recovery doubles",
        {"restarts": 20, "black holes": 3, "failovers to a synchronous standby": 1,
         "failovers to an asynchronous standby": 1, "recoveries to a point in time": 2,
         "promotions of a lagging second standby": 2, "snapshots put back": 2, "dumps restored by hand": 2},
        {"acknowledged and lost": 0, "doubles": 0, "s until the API is well": 5, "s of the slowest request": 10},
        ("tests/faults/test_database.py", "tests/faults/test_failover.py"),
    ),
    Goal(
        "R11",
        "A full disk of the database loses nothing that was acknowledged",
        {"full disks": 1},
        {"acknowledged and lost": 0, "doubles": 0},
        ("tests/faults/test_database.py",),
    ),
    Goal(
        "R12",
        "Equal requests that race have one effect for each Idempotency-Key",
        {"racing requests": 2_000, "kills": 50},
        {"effects too many": 0, "keys without effect": 0},
        ("tests/faults/test_twins.py",),
    ),
    Goal(
        "R14",
        "No history of requests, faults of a network and passing time breaks a promise, or shows an untrue state",
        {"histories": 500, "steps": 10_000, "calls of a network": 2_500},
        {"broken promises": 0},
        ("tests/faults/test_model.py",),
    ),
    Goal(
        "R19",
        "Limits that are sold or that protect hold for the whole installation, however many processes serve it",
        {"processes": 10, "requests": 2_000, "guesses": 200},
        {"requests too many": 0, "guesses too many": 0},
        ("tests/faults/test_many_processes.py",),
    ),
    Goal(
        "R20",
        "Nobody pays for another's workspace or without service, nobody is served unpaid, and every cent is explained",
        {"histories": 1_000, "steps": 20_000, "calls": 5_000},
        {"broken promises": 0},
        ("tests/billing/test_model.py",),
    ),
    Goal(
        "R21",
        "Many workers cost one PostgreSQL little: one is notified of a post, one looks for what is due",
        {"workers": 60, "creates": 120},
        {"claims a create": 1.2, "statements a second of idle workers": 100, "connections": 250,
         "s from a create to its claim": 1.0},
        ("tests/faults/test_many_workers.py",),
    ),
    Goal(
        "R22",
        "However much has gathered, background work ends, and no transaction of it does more",
        {"backlogs": 30, "rows": 4_000_000},
        {"rows of a transaction": 5_000, "rows left": 0},
        ("tests/main/test_backlogs.py",),
    ),
    Goal(
        "R23",
        "No answer to a comment is sent twice and none is lost, though processes are killed, frozen or cut off",
        {"answers": 600, "kills": 150, "harms at a step": 72},
        {"doubles": 0, "lost": 0},
        ("tests/faults/test_kills_of_answers.py",),
    ),
    Goal(
        "R24",
        "A flood of comments in one workspace delays no post of the others, and their comments are there soon",
        {"comments": 10_000, "posts beside the flood": 200},
        {"p99 of a post beside it, ms": 250, "s until the comments of others": 5},
        ("tests/faults/test_flood_of_comments.py",),
    ),
    Goal(
        "S1",
        "An address that users give never leads into a private network",
        {"forbidden addresses": 3_000, "public addresses": 100},
        {"connections": 0, "public addresses not reached": 0},
        ("tests/faults/test_addresses.py",),
    ),
    Goal(
        "S6",
        "Every credential may do what one reviewed table says, at every operation, and nothing else",
        {"operations": 100, "answers compared": 2_000},
        {"answers that differ": 0},
        ("tests/contract/test_roles.py", "tests/contract/test_credentials.py", "tests/contract/test_modes.py"),
    ),
    Goal(
        "S11",
        "No input is answered with an error of ours, and none holds up the others",
        {"hostile inputs": 10_000},
        {"answers 5xx": 0, "holds of the loop over 20 ms": 0},
        ("tests/contract/test_schemathesis.py", "tests/contract/test_loop.py"),
    ),
    Goal(
        "S14",
        "A workspace can be taken along within a minute, and after its erasure nothing of it is left",
        {"posts": 10_000, "files": 2_000, "workspaces erased": 2},
        {"s of the export": 60, "posts and files that an import lacks": 0, "tables with a word of it": 0,
         "files left": 0, "tables of others that differ": 0},
        ("tests/workspaces/test_export_size.py", "tests/workspaces/test_deletion.py"),
    ),
    Goal(
        "S15",
        "A call of Stripe, WhatsApp or GitHub is believed only with its signature over the very bytes",
        {"forged calls": 25},
        {"believed": 0},
        ("tests/billing/test_notifications.py", "tests/messenger/test_webhook.py",
         "tests/api_keys/test_leaked.py"),
    ),
    Goal(
        "S16",
        "Nobody signs in with a token, state, code or answer that does not hold in every part",
        {"forged answers": 90},
        {"believed": 0},
        ("tests/oidc/test_sign_in.py", "tests/identity/test_second_factor.py", "tests/accounts/test_flow_attacks.py"),
    ),
    Goal(
        "S17",
        "No page of another site acts for whoever is signed in, whatever a form or script can send",
        {"requests of other sites": 3_000},
        {"requests that acted": 0},
        ("tests/contract/test_other_sites.py",),
    ),
    Goal(
        "S18",
        "No page can be framed, and no shared browser keeps what a session read",
        {"pages": 30, "responses": 50},
        {"pages that can be framed": 0, "responses that are kept": 0},
        ("tests/contract/test_other_sites.py",),
    ),
    Goal(
        "S19",
        "A hostile archive of a workspace changes nothing",
        {"hostile archives": 100},
        {"accepted": 0, "crashes": 0},
        ("tests/workspaces/test_hostile_archives.py",),
    ),
    Goal(
        "S20",
        "A hostile file is refused or cleaned, and never ends more than the process that looks at it",
        {"hostile files": 70},
        {"without an answer": 0},
        ("tests/media/test_hostile.py",),
    ),
    Goal(
        "S21",
        "No text that is stored runs as a script, on no page of the console and on none for the public",
        {"texts": 120, "pages": 40},
        {"scripts run": 0, "violations": 0, "elements made": 0},
        ("tests/console/test_stored_scripts.py",),
    ),
    Goal(
        "S22",
        "No broken upload, foreign or ended invitation, used recovery code or lying server of Bluesky is accepted",
        {"hostile cases": 60},
        {"accepted": 0},
        ("tests/media/test_resumable.py", "tests/team/test_invites.py", "tests/identity/test_second_factor.py",
         "tests/networks/test_bluesky_oauth.py"),
    ),
    Goal(
        "O1",
        "A restored instance has everything, and repeats nothing that went out since the backup",
        {"posts": 100_000, "posts sent after the backup": 100, "tokens opened": 100},
        {"seconds of the restore": 60, "calls while held": 0, "doubles": 0, "tables that differ": 0},
        ("tests/faults/test_drill.py",),
    ),
    Goal(
        "O2",
        "A rolling restart under load fails no request and leaves nothing half sent",
        {"restarts": 20, "requests": 1_000},
        {"requests failed": 0, "targets left publishing": 0},
        ("tests/faults/test_rolling.py",),
    ),
)  # fmt: skip
GOALS = {goal.name: goal for goal in _ALL}

REASONS: dict[str, str] = {}
"""Figures that cannot be reached, by name, each with its reason. They are shown as short, and do not fail a run."""

OTHERS = (
    "tests/faults", "tests/engine/test_faults.py", "tests/contract/test_loop.py",
    "tests/console/test_pages_in_browser.py", "tests/console/test_every_page.py",
    "tests/analytics/test_many_numbers.py", "tests/billing/test_killed.py", "tests/billing/test_transitions.py",
    "tests/e2e/test_guides.py", "tests/contract/test_buffers.py", "tests/test_linear_patterns.py",
    "tests/test_linear_text_functions.py", "tests/networks/test_hostile_text.py", "tests/web/test_bounds.py",
    "tests/comments/test_floods.py", "tests/posts/test_bulk_slots.py", "tests/engine/test_churn.py",
)  # fmt: skip
"""Where the tests are that `make faults` runs in full besides those of a figure."""

ELSEWHERE = {
    "tests/clients/test_n8n_itself.py": "make n8n",
    "tests/console": 'make test ARGS="-m heavy tests/console"',
    "tests/e2e/test_container.py": "make test-install",
    "tests/e2e/test_install.py": "make test-install",
    "tests/main/test_release.py": 'make test ARGS="-m heavy tests/main/test_release.py"',
}
"""Where heavy tests are that `make faults` leaves out, and what runs them."""


def is_time(what: str) -> bool:
    """Whether this is measured by a clock, so that whatever runs beside a test lengthens it."""
    return _TIME.search(what) is not None
