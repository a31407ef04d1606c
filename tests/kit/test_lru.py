from signalpost.kit.lru import LruDict


def test_the_least_recently_used_entry_is_dropped() -> None:
    cache: LruDict[str, int] = LruDict(2)
    cache["a"], cache["b"] = 1, 2
    assert cache.get("a") == 1  # now "b" is the oldest
    cache["c"] = 3

    assert [*cache.items()] == [("a", 1), ("c", 3)]
    assert cache.get("b") is None
    assert "b" not in cache


def test_writing_an_entry_again_makes_it_the_newest() -> None:
    cache: LruDict[str, int] = LruDict(2)
    cache["a"], cache["b"] = 1, 2
    cache["a"] = 3
    cache["c"] = 4

    assert [*cache.items()] == [("a", 3), ("c", 4)]


def test_pop_removes_an_entry_or_returns_none() -> None:
    cache: LruDict[str, int] = LruDict(2)
    cache["a"] = 1

    assert cache.pop("a") == 1
    assert cache.pop("a") is None
    assert len(cache) == 0
