import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from signalpost.kit.unicode import nfc


@given(st.text(alphabet="ae\u0301\u0316\u1100\u1161é 日", max_size=60))
def test_composition(text: str) -> None:
    assert nfc(text) in {unicodedata.normalize("NFC", text), text}


def test_up_to_thirty_marks_are_composed() -> None:
    assert nfc("e" + "\u0301" * 30) == "é" + "\u0301" * 29
    assert nfc("e" + "\u0301" * 31) == "e" + "\u0301" * 31
