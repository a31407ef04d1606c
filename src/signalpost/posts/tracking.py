"""Campaign parameters on links: what tells a website which post a reader came from. Pure."""

from typing import Final
from urllib.parse import quote

from signalpost.networks.links import replace_links
from signalpost.posts.documents import Utm

_NAMES: Final = ("source", "medium", "campaign", "term", "content")


def tracked_text(text: str, utm: Utm, platform: str) -> str:
    """Return the text with the parameters on each of its links."""
    parameters = _parameters(utm, platform)
    return replace_links(text, lambda link: _tracked(link, parameters))


def tracked_link(link: str, utm: Utm, platform: str) -> str:
    """Return the link with the parameters that it does not have yet; everything else in it stays as it is."""
    return _tracked(link, _parameters(utm, platform))


def _parameters(utm: Utm, platform: str) -> dict[str, str]:
    values = {f"utm_{name}": getattr(utm, name) for name in _NAMES}
    values["utm_source"] = utm.source or platform
    return {name: quote(value, safe="") for name, value in values.items() if value}


def _tracked(link: str, parameters: dict[str, str]) -> str:
    address, hash_sign, fragment = link.partition("#")
    path, _, query = address.partition("?")
    if "/" not in path.partition("://")[2]:
        path += "/"  # some networks recognise no link in `https://example.com?a=b`
    present = {pair.partition("=")[0].lower() for pair in query.split("&")}
    added = [f"{name}={value}" for name, value in parameters.items() if name not in present]
    if not added:
        return link
    return path + "?" + "&".join([*([query.rstrip("&")] if query.rstrip("&") else []), *added]) + hash_sign + fragment
