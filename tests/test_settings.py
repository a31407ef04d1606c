"""Settings: every fault at once, at boot, by name."""

from pathlib import Path

import pytest

from signalpost import settings
from signalpost.kit.settings_loader import BadSettings


def test_the_environment_wins_over_the_file_and_empty_counts_as_absent(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# mine\nSIGNALPOST_BRAND=File\nSIGNALPOST_MAIL_FROM='a@b.test'\n")

    loaded = settings.load({"SIGNALPOST_BRAND": "Shell", "SIGNALPOST_LOG_LEVEL": ""}, data_dir=tmp_path)

    assert (loaded.brand, loaded.mail_from, loaded.log_level) == ("Shell", "a@b.test", "info")
    assert settings.load({"SIGNALPOST_BRAND": ""}, data_dir=tmp_path).brand == "File"


def test_every_fault_is_named_at_once() -> None:
    """A misspelt name that is passed over is a setting that silently does not hold."""
    with pytest.raises(BadSettings) as caught:
        settings.load(
            {
                "SIGNALPOST_BILING_ENABLED": "true",
                "SIGNALPOST_BILLING_ENABLED": "maybe",
                "SIGNALPOST_TRUSTED_PROXIES": "many",
                "SIGNALPOST_REGISTRATION": "sometimes",
            }
        )

    text = str(caught.value)
    for name in (
        "BILING_ENABLED: unknown",
        "BILLING_ENABLED: must be true or false",
        "TRUSTED_PROXIES: must be a whole number",
        "REGISTRATION: must be one of",
    ):
        assert f"SIGNALPOST_{name}" in text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BRAND", "My Brand"),
        ("BRAND", "é"),
        ("BASE_URL", "social.example.com"),
        ("BASE_URL", "https://a.test/?x=1"),
        ("OIDC_ISSUER", "https://id.test"),
        ("OIDC_CLIENT_ID", "us"),
        ("OIDC_NEW_USERS", "allowed"),
        ("OIDC_ISSUER", "http://id.test"),
        ("OIDC_ALLOWED_DOMAINS", "@acme.test"),
        ("CELL", "B7"),
        ("CELL", "a.b"),
        ("CELL", "ninechars"),
    ],
)
def test_what_would_fail_later_fails_at_boot(name: str, value: str) -> None:
    with pytest.raises(BadSettings, match=name):
        settings.load({f"SIGNALPOST_{name}": value})


def test_networks_have_settings_by_their_name() -> None:
    loaded = settings.load(
        {"SIGNALPOST_MASTODON_BASE_URL": "http://127.0.0.1:1", "SIGNALPOST_BASE_URL": "https://a.test/"}
    )

    assert loaded.network("mastodon", "base_url") == "http://127.0.0.1:1"
    assert loaded.network("bluesky", "base_url") is None
    assert loaded.base_url == "https://a.test"
    assert loaded.data_dir.is_absolute()
