import asyncio

from signalpost.kit.shares import Busy, Shares


async def test_places_are_handed_on_in_order_and_never_lost() -> None:
    shares = Shares(2)
    order: list[int] = []

    async def call(number: int, wait_seconds: float) -> None:
        async with shares.take("key", wait_seconds):
            order.append(number)
            await asyncio.sleep(0.01)

    calls = [asyncio.create_task(call(number, 10)) for number in range(20)]
    impatient = [asyncio.create_task(call(99, 0)) for _ in range(5)]
    await asyncio.sleep(0)
    for cancelled in (calls[1], calls[7], calls[8]):  # one that runs, two that wait
        cancelled.cancel()
    results = await asyncio.gather(*calls, *impatient, return_exceptions=True)

    assert [number for number in range(20) if isinstance(results[number], asyncio.CancelledError)] == [1, 7, 8]
    assert all(isinstance(result, Busy) for result in results[20:])
    assert order == [number for number in range(20) if number not in {7, 8}]
    async with shares.take("key", 0), shares.take("key", 0):
        pass
