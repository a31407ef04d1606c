from ipaddress import IPv6Address, ip_address

import pytest

from signalpost.kit.addresses import AllowList, forbidden_because, literal

PRIVATE_V4 = """
0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.0 100.64.0.1 100.100.100.200 100.127.255.255
127.0.0.0 127.0.0.1 127.0.0.53 127.1.2.3 127.255.255.255 168.63.129.16 169.254.0.1 169.254.169.123 169.254.169.253
169.254.169.254 169.254.170.2 169.254.255.255 172.16.0.1 172.17.0.1 172.31.255.255 192.0.0.0 192.0.0.1 192.0.0.8
192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.88.99.2 192.168.0.1
192.168.1.254 192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 224.0.0.251
232.1.1.1 239.255.255.250 240.0.0.1 250.1.1.1 255.255.255.254 255.255.255.255
"""

PUBLIC_V4 = """
1.0.0.1 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.216.34 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.1 192.0.3.1
192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.254
"""

PRIVATE_V6 = """
:: ::1 ::2 ::127.0.0.1 ::10.0.0.1 ::169.254.169.254 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254
::ffff:8.8.8.8 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 64:ff9b:1::1 64:ff9b:1::7f00:1 64:ff9b:1:ffff::8.8.8.8 100::1
100:0:0:1::1 200::1 400::1 1000::1 1fff:ffff::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::1 2001:1::2
2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1 2001:1ff::1 2001:db8::1 2001:db8:ffff::1
2002:7f00:1::1 2002:a9fe:a9fe::1 2002:a00:1::1 2002:808:808::1 2620:4f:8000::1 3ffe::1 3fff::1 3fff:fff::1 4000::1
5f00::1 8000::1 c000::1 e000::1 f000::1 fc00::1 fd00::1 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fdff:ffff::1 fe00::1
fe80::1 fe80::a9fe:a9fe febf::1 fec0::1 feff::1 ff00::1 ff02::1 ff02::fb ff05::2 ff0e::1 ffff::1
2a00:1450::5efe:10.0.0.1 2a00:1450::200:5efe:127.0.0.1 fe80::1%eth0 2a00:1450::1%eth0
"""

NAT64_OF_PRIVATE = [f"64:ff9b::{address}" for address in PRIVATE_V4.split()]

PUBLIC_V6 = """
2001:200::1 2001:4860:4860::8888 2001:db7::1 2001:db9::1 2003::1 2400:cb00::1 2606:4700:4700::1111 2a00:1450:4001::1
2a03:2880:f12f::1 2c0f::1 3ff0::1 64:ff9b::8.8.8.8 64:ff9b::1.1.1.1 2a00:1450::5efe:8.8.8.8
"""


@pytest.mark.parametrize("text", [*PRIVATE_V4.split(), *PRIVATE_V6.split(), *NAT64_OF_PRIVATE])
def test_an_address_that_is_not_plainly_public_is_forbidden(text: str) -> None:
    assert forbidden_because(ip_address(text)) is not None


@pytest.mark.parametrize("text", [*PUBLIC_V4.split(), *PUBLIC_V6.split()])
def test_a_public_address_is_fine(text: str) -> None:
    assert forbidden_because(ip_address(text)) is None


@pytest.mark.parametrize(
    "text", ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.01", "1.2.3.4.", "", "[", "a.b"]
)
def test_only_the_canonical_spelling_is_an_address(text: str) -> None:
    """Whatever else a resolver accepts as an address must go through the resolver or be refused before."""
    assert literal(text) is None


def test_a_bracketed_address_is_read() -> None:
    assert literal("[::1]") == IPv6Address("::1")


@pytest.mark.parametrize(
    ("entry", "address", "port", "permitted"),
    [
        ("127.0.0.1", "127.0.0.1", 80, True),
        ("127.0.0.1", "127.0.0.2", 80, False),
        ("127.0.0.1:8080", "127.0.0.1", 8080, True),
        ("127.0.0.1:8080", "127.0.0.1", 80, False),
        ("10.0.0.0/8", "10.9.8.7", 443, True),
        ("10.0.0.5/8", "10.9.8.7", 443, True),
        ("10.0.0.0/8", "11.0.0.1", 443, False),
        ("10.0.0.0/8", "::ffff:10.0.0.1", 443, False),
        ("::1", "::1", 443, True),
        ("[::1]", "::1", 443, True),
        ("[::1]:9000", "::1", 9000, True),
        ("[::1]:9000", "::1", 9001, False),
        ("fd00::/8", "fd12::1", 443, True),
        ("fd00::/8", "fe80::1", 443, False),
    ],
)
def test_a_listed_network_permits_its_addresses_only(entry: str, address: str, port: int, permitted: bool) -> None:
    assert AllowList.parse([entry]).permits_address(ip_address(address), port) is permitted


@pytest.mark.parametrize(
    ("entry", "host", "port", "permitted"),
    [
        ("social.lan", "social.lan", 443, True),
        ("Social.LAN.", "social.lan", 443, True),
        ("social.lan", "SOCIAL.lan.", 443, True),
        ("social.lan", "a.social.lan", 443, False),
        ("social.lan:8443", "social.lan", 8443, True),
        ("social.lan:8443", "social.lan", 443, False),
        (" localhost ", "localhost", 80, True),
        ("my_service", "my_service", 80, True),
    ],
)
def test_a_listed_name_permits_itself_only(entry: str, host: str, port: int, permitted: bool) -> None:
    assert AllowList.parse([entry]).permits_name(host, port) is permitted


@pytest.mark.parametrize(
    "entry", ["", "https://a.lan", "a b", "a.lan/8", "a:b:c", "a..lan", "*.lan", "a.lan:0", "a.lan:99999", "x" * 64]
)
def test_an_invalid_entry_stops_the_start(entry: str) -> None:
    """A list the operator mistyped must not silently allow less, or more, than was meant."""
    with pytest.raises(ValueError, match="is not a host name"):
        AllowList.parse([entry])
