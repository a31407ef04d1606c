"""Resumable uploads: `python -m bench.uploads [--quick] [--megabytes N]`.

A video of N megabytes (2,000; --quick: 300) is sent in one request, examined and stored. Floor: the same bytes from a
socket to the same disk by `dd`, in the same run, the better of two. Target: at least half of its throughput; at most
50 MB more memory than before at any moment.
"""

import argparse
import base64
import io
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import av
import httpx

from bench.service import Service, serving, temporary_folder

MEGABYTE = 1_000_000
_PIECE = bytes(1 << 20)
_METADATA = base64.b64encode(b"video/mp4").decode()


def movie_pieces(size: int, *, index_first: bool = False) -> Iterator[bytes]:
    """Yield an MP4 of `size` bytes: a tenth of a second, and a box of media data that nothing refers to.

    Its index, with metadata that are blanked, stands at the end, as cameras write it, or at the start, for streaming.
    """
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=24)
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for packet in [*stream.encode(av.VideoFrame(96, 64, "yuv420p")), *stream.encode()]:
            container.mux(packet)
    movie = file.getvalue()
    left = size - len(movie) - 16
    split = len(movie) if index_first else movie.index(b"moov") - 4
    yield movie[:split] + struct.pack(">I4sQ", 1, b"mdat", left + 16)
    while left > 0:
        yield _PIECE[: min(left, len(_PIECE))]
        left -= len(_PIECE)
    yield movie[split:]


def floor_seconds(folder: Path, size: int) -> float:
    """Return how long `dd` takes from a socket to the disk."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def send() -> None:
            with socket.create_connection(server.getsockname()) as client:
                for piece in movie_pieces(size):
                    client.sendall(piece)

        sender = threading.Thread(target=send)
        sender.start()
        accepted, _ = server.accept()
        target = folder / "floor"
        started = time.perf_counter()
        with accepted:
            command = ["dd", f"of={target}", "bs=1M", "iflag=fullblock", "status=none"]
            subprocess.run(command, stdin=accepted, check=True)
        seconds = time.perf_counter() - started
        sender.join()
        if target.stat().st_size != size:
            raise RuntimeError("dd lost bytes")
        target.unlink()
    return seconds


def upload_seconds(client: httpx.Client, size: int, *, index_first: bool = False) -> float:
    """Return how long an upload takes, from its first byte to the response that says that the file is ready."""
    headers = {"Upload-Length": str(size), "Upload-Metadata": f"filetype {_METADATA}"}
    created = client.post("/media/uploads", headers=headers)
    created.raise_for_status()
    path = urlsplit(created.headers["location"]).path.removeprefix("/api/v1")
    headers = {
        "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream", "Content-Length": str(size),
    }  # fmt: skip
    started = time.perf_counter()
    response = client.patch(path, content=movie_pieces(size, index_first=index_first), headers=headers, timeout=600)
    seconds = time.perf_counter() - started
    if response.status_code != 204:
        raise RuntimeError(f"{response.status_code} {response.text[:500]}")
    media = client.get(f"/media/{path.rpartition('/')[2]}").json()
    if (media["status"], media["size"]) != ("ready", size):
        raise RuntimeError(f"the file is {media['status']} with {media['size']} bytes")
    client.delete(f"/media/{media['id']}").raise_for_status()
    return seconds


def peak_growth_mb(service: Service, work: Callable[[], float]) -> tuple[float, float]:
    """Run `work`; return its result, and how far the memory of the service rose above what it was before."""
    process = Path(f"/proc/{service.process.pid}")
    (process / "clear_refs").write_text("5")  # forgets the peak so far
    before = _peak_mb(process)
    result = work()
    return result, _peak_mb(process) - before


def _peak_mb(process: Path) -> float:
    lines = (process / "status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / MEGABYTE for line in lines if line.startswith("VmHWM"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="300 megabytes")
    parser.add_argument("--megabytes", type=int, default=0, metavar="N")
    options = parser.parse_args()
    size = (options.megabytes or (300 if options.quick else 2_000)) * MEGABYTE
    with temporary_folder() as folder, serving(folder) as service:
        client, _ = service.create_owner()
        with client:
            upload_seconds(client, 10 * MEGABYTE)  # what is imported and allocated once
            first_floor = floor_seconds(folder, size)
            seconds, growth = peak_growth_mb(service, lambda: upload_seconds(client, size))
            for_streaming = upload_seconds(client, size, index_first=True)
            floor = min(first_floor, floor_seconds(folder, size))
    print("| | Floor (`dd`) | Signalpost | Ratio |")
    print("|---|---|---|---|")
    floor_speed, speed = size / MEGABYTE / floor, size / MEGABYTE / seconds
    what = f"Megabytes per second, {size // MEGABYTE:,} MB"
    print(f"| {what} | {floor_speed:,.0f} | {speed:,.0f} | {speed / floor_speed:.2f} |")
    speed = size / MEGABYTE / for_streaming
    print(
        f"| The same, index at the start of the file | {floor_speed:,.0f} | {speed:,.0f} | {speed / floor_speed:.2f} |"
    )
    print(f"| Memory above that before, MB | | {growth:.1f} | |")


if __name__ == "__main__":
    main()
