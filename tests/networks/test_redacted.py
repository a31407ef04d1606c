"""What networks say is kept for people, without what looks like a credential."""

import pytest

from signalpost.networks.responses import RESPONSE_BYTES_MAX, redacted

R = "[redacted]"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("token eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl expired", f"token {R} expired"),
        ("bot 123456789:AAF-abcdefghijklmnopqrstuvwxyz012345 was blocked", f"bot {R} was blocked"),
        ("at https://t.example/bot123456789:AAF-abcdefghijklmnopqrstuvwxyz012345/x", f"at https://t.example/bot{R}/x"),
        ("xoxb-123456789012-abcdef is revoked", f"{R} is revoked"),
        ("xoxp-123456789012", R),
        ("token syt_YmFrZXI_abcDEFghiJKL_1a2b3c", f"token {R}"),
        ("(mct_abcdefghijkl)", f"({R})"),
        ("EAABwzLixnjYBAKZCZAabcdef", R),
        ("IGQVJabcdefghijklmnopq, THAAabcdefghijklmnopqr, IGAAabcdefghijklmnopqr", f"{R}, {R}, {R}"),
        ("Authorization: bEaReR abc.def-ghi", f"Authorization: {R}"),
        ("DPoP abcdefgh and Basic dXNlcjpwYXNz", f"{R} and {R}"),
        ('{"access_token":"abcd","JWT":"efgh","client_secret":"ijkl","password":"mnop"}',
         f'{{"access_token":"{R}","JWT":"{R}","client_secret":"{R}","password":"{R}"}}'),
        ("basic things, seat_belts_are_long, sat_abcdefghijklmn, scr_abcdefghijklmn", None),
        ("on 123456: closed; 12345:abcdefghijklmnopqrstuvwxyz0123456789", None),
        ("BEAAabcdefghijklmnopqrstuv, oxoxb-123456789012-abcdef", None),
        ('"name":"baker", "token":"abc"', None),
        ("a\0b", "a\N{REPLACEMENT CHARACTER}b"),
    ],
)  # fmt: skip
def test_what_looks_like_a_credential_is_not_kept(said: str, kept: str | None) -> None:
    assert redacted(said) == (said if kept is None else kept)


def test_it_is_bounded() -> None:
    assert len(redacted("ä" * 10_000).encode()) == RESPONSE_BYTES_MAX
