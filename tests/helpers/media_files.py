"""Files for tests, generated on the fly: valid ones with secrets in their metadata, and hostile ones."""

import io
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import av
import pillow_heif
from PIL import Image

SECRET = b"SecretMaker3000"
"""Part of the metadata of every valid file, beside a location."""


def exif(orientation: int = 6) -> bytes:
    block = Image.Exif()
    block[0x0112] = orientation
    block[0x010F] = SECRET.decode()
    place = block.get_ifd(0x8825)
    place[1], place[2], place[3], place[4] = "N", (52.0, 31.0, 12.0), "E", (13.0, 24.0, 18.0)
    return block.tobytes()


def picture(width: int = 64, height: int = 48) -> Image.Image:
    return Image.effect_noise((width, height), 60).convert("RGB")


def image(name: str, *, orientation: int = 6, size: tuple[int, int] = (64, 48)) -> bytes:
    """Return an image with EXIF, in the format that Pillow calls `name`."""
    pillow_heif.register_heif_opener()
    out = io.BytesIO()
    options = {} if name == "GIF" else {"exif": exif(orientation)}
    picture(*size).save(out, name, **options)
    return out.getvalue()


def retyped(content: bytes, item_type: bytes, end: bytes = b"\0") -> bytes:
    """Return a HEIC or AVIF file whose EXIF is an item of another type, and its name has another end."""
    entry = re.compile(rb"(infe\x02.{5}\x00\x00)Exif(\w*)\x00", re.DOTALL)
    changed, count = entry.subn(lambda found: found[1] + item_type + found[2] + end, content, count=1)
    assert count == 1
    return changed


def several_images() -> bytes:
    """Return a HEIC file with three images, as a burst or a photo in two views."""
    out = io.BytesIO()
    first, *others = (picture(64 + 16 * number, 48) for number in range(3))
    pillow_heif.register_heif_opener()
    first.save(out, "HEIF", save_all=True, append_images=others)
    return out.getvalue()


def commented_gif() -> bytes:
    out = io.BytesIO()
    picture().save(out, "GIF", comment=SECRET)
    return out.getvalue()


def animation(frames: int, *, size: int = 2) -> bytes:
    """Return a GIF with so many frames of 100 ms, written block by block."""
    head = b"GIF89a" + struct.pack("<HHBBB", size, size, 0x80, 0, 0) + bytes(6)
    frame = (
        b"\x21\xf9\x04\x00\x0a\x00\x00\x00\x2c" + struct.pack("<HHHHB", 0, 0, size, size, 0) + b"\x02\x02\x84\x51\x00"
    )
    return head + frame * frames + b"\x3b"


def video(
    folder: Path,
    extension: str = "mp4",
    *,
    codec: str = "mpeg4",
    sound: bool = False,
    frames: int = 12,
    size: tuple[int, int] = (96, 64),
) -> bytes:
    """Return half a second (or more) of noise with a location and a secret in its tags."""
    file = folder / f"video.{extension}"
    with av.open(str(file), "w") as container:
        container.metadata["comment"] = SECRET.decode()
        container.metadata["location"] = "+52.5200+013.4050/"
        stream = container.add_stream(codec, rate=24)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        audio = container.add_stream("aac", rate=44_100) if sound else None
        image = picture(*size) if frames > 24 else None
        for _ in range(frames):
            for packet in stream.encode(av.VideoFrame.from_image(image or picture(*size))):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
        if audio is not None:
            frame = av.AudioFrame(format="fltp", layout="stereo", samples=1024)
            frame.sample_rate = 44_100
            for plane in frame.planes:
                plane.update(bytes(plane.buffer_size))
            for packet in [*audio.encode(frame), *audio.encode()]:
                container.mux(packet)
    content = file.read_bytes()
    file.unlink()
    return content


def padded(content: bytes, size: int) -> Iterator[bytes]:
    """Yield an MP4 padded to `size` bytes with a box that has no meaning."""
    rest = size - len(content)
    yield content
    yield struct.pack(">I4s", rest, b"free")
    rest -= 8
    piece = bytes(65_536)
    while rest > 0:
        yield piece[: min(rest, len(piece))]
        rest -= len(piece)


PDF = b"%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n"


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int, height: int, data: bytes, *, depth: int = 8, kind: int = 2) -> bytes:
    """Return a PNG with any header."""
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def pixel_bomb() -> bytes:
    """Return 169 million black pixels in 21 kB: one bit each, the same row 13,000 times."""
    return png(13_000, 13_000, zlib.compress(bytes(1_626) * 13_000, 9), depth=1, kind=0)


def archive() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as opened:
        opened.writestr("index.html", "<script>alert(1)</script>")
    return out.getvalue()


def box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(content), name) + content


def hostile(folder: Path) -> dict[str, bytes]:
    """Return files that must be refused, by what is wrong with them."""
    seeded = random.Random(7)
    jpeg, movie = image("JPEG"), video(folder)
    frame = jpeg.index(b"\xff\xc0")
    good = {name: image(name) for name in ("JPEG", "PNG", "WEBP", "HEIF", "AVIF", "GIF")} | {
        "MP4": movie,
        "MKV": video(folder, "mkv"),
        "AVI": video(folder, "avi"),
    }
    files = {
        "empty": b"",
        "one byte": b"\xff",
        "svg": b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
        "svg with head": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
        "html": b"<!doctype html><script>alert(1)</script>",
        "html after spaces": b"   \n<html><body onload=alert(1)>",
        "javascript": b"alert(document.cookie)",
        "text": b"hello",
        "zip": archive(),
        "elf": b"\x7fELF" + bytes(100),
        "exe": b"MZ" + bytes(100),
        "shell": b"#!/bin/sh\nid\n",
        "playlist": b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
        "concat": b"ffconcat version 1.0\nfile /etc/passwd\n",
        "bmp": b"BM" + bytes(100),
        "tiff": b"II*\0" + bytes(100),
        "postscript": b"%!PS-Adobe-3.0\n(/etc/passwd) run\n",
        "html that mentions pdf": b"<html>%PDF-1.4",
        "wav": b"RIFF\x24\0\0\0WAVEfmt " + bytes(30),
        "mp3": b"ID3\x04" + bytes(200),
        "pixel bomb": pixel_bomb(),
        "four thousand million pixels": png(65_535, 65_535, zlib.compress(bytes(1000))),
        "widest png": png(2**31 - 1, 1, zlib.compress(bytes(100))),
        "no pixels": png(0, 0, zlib.compress(b"")),
        "png of nothing": png(100, 100, b""),
        "png of garbage": png(100, 100, seeded.randbytes(500)),
        "png head alone": b"\x89PNG\r\n\x1a\n",
        "png with wrong sum": good["PNG"].replace(b"IDAT", b"IDAT\x01", 1),
        "png with endless chunk": b"\x89PNG\r\n\x1a\n" + b"\xff\xff\xff\xffIHDR" + bytes(50),
        "png text bomb first": b"\x89PNG\r\n\x1a\n" + chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(50_000_000))),
        "ten thousand frames": animation(10_000),
        "gif head alone": b"GIF89a",
        "gif that is script": b"GIF89a/*" + bytes(5) + b"*/=1;alert(1)//",
        "gif of blocks without end": b"GIF89a" + bytes(7) + b"\x21\xfe" + b"\xffa" * 300,
        "jpeg head alone": b"\xff\xd8\xff",
        "jpeg then html": b"\xff\xd8\xff\xe0<html><script>alert(1)</script>",
        "jpeg without end": jpeg[:-2],
        "jpeg of huge size": jpeg[: frame + 5] + b"\xff\xff\xff\xff" + jpeg[frame + 9 :],
        "jpeg with short segment": b"\xff\xd8\xff\xe1\x00\x00" + jpeg[2:],
        "webp of lies": b"RIFF\xff\xff\xff\x7fWEBPVP8 " + bytes(50),
        "webp of nothing": b"RIFF\x04\0\0\0WEBP",
        "webp of garbage": b"RIFF\x68\0\0\0WEBPVP8L\x5c\0\0\0" + seeded.randbytes(92),
        "heic without meta": box(b"ftyp", b"heic\0\0\0\0heicmif1") + box(b"mdat", bytes(100)),
        "heic with broken meta": box(b"ftyp", b"heic\0\0\0\0heicmif1") + box(b"meta", bytes(4) + b"\xff" * 60),
        "avif of garbage": box(b"ftyp", b"avif\0\0\0\0avifmif1") + box(b"meta", bytes(4) + seeded.randbytes(80)),
        "heic with an item whose type is no text": retyped(image("HEIF"), b"E\xeaif"),
        "avif with an item whose type is no text": retyped(image("AVIF"), b"E\xeaif"),
        "heic with an item whose name is no text": retyped(image("HEIF"), b"Exif", b"\xff"),
        "mp4 head alone": box(b"ftyp", b"isom\0\0\0\0isommp42"),
        "mp4 that says html": box(b"ftyp", b"isom\0\0\0\0isom") + b"<html><script>alert(1)</script>",
        "mp4 with box of size one": box(b"ftyp", b"isom\0\0\0\0isom") + struct.pack(">I4sQ", 1, b"moov", 3),
        "mp4 with huge box": box(b"ftyp", b"isom\0\0\0\0isom") + struct.pack(">I4sQ", 1, b"moov", 2**63),
        "mp4 of empty boxes": box(b"ftyp", b"isom\0\0\0\0isom") + box(b"free", b"") * 120_000,
        "mp4 of garbage": box(b"ftyp", b"isom\0\0\0\0isom") + box(b"moov", seeded.randbytes(400)),
        "audio as mp4": box(b"ftyp", b"M4A \0\0\0\0M4A isom") + box(b"moov", b""),
        "quicktime reference": box(
            b"moov", box(b"rmra", box(b"rmda", box(b"rdrf", bytes(4) + b"url \0\0\0\x10file:///etc/hos")))
        ),
        "webm head alone": b"\x1aE\xdf\xa3\x87\x42\x82\x84webm",
        "mkv of garbage": good["MKV"][:200] + seeded.randbytes(2_000),
        "ebml of another kind": b"\x1aE\xdf\xa3\x8a\x42\x82\x87unknown",
        "avi head alone": b"RIFF\x24\0\0\0AVI LIST" + bytes(20),
        "avi of garbage": good["AVI"][:100] + seeded.randbytes(3_000),
        "pdf without end": b"%PDF-1.7\n" + b"x" * 5_000,
    }  # fmt: skip
    for name, content in good.items():
        for share in (3, 2) if name not in {"MKV", "AVI"} else ():
            files[f"{name} cut to 1/{share}"] = content[: len(content) // share]
    return files | unknown_types()


def unknown_types() -> dict[str, bytes]:
    """Return files of types that are not accepted, by type; some pretend to be others further behind."""
    gif, jpeg, pdf = commented_gif(), image("JPEG"), PDF
    markup = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    heads = {
        "svg with byte order mark": b"\xef\xbb\xbf" + markup,
        "svg in utf-16": markup.decode().encode("utf-16"),
        "svg after comment": b"<!-- GIF89a -->" + markup,
        "svg with entities": b"<!DOCTYPE svg [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>" + markup,
        "compressed svg": b"\x1f\x8b\x08" + bytes(60),
        "xhtml": b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'/>",
        "html before a gif": b"<script>/*" + gif,
        "html before a jpeg": b"<html><!--" + jpeg,
        "script before a pdf": b"/*" + pdf,
        "mhtml": b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n",
        "xsl": b"<xsl:stylesheet version='1.0'/>",
        "php": b"<?php system($_GET[0]);",
        "json": b'{"image": "data:image/png;base64,"}',
        "csv": b"=cmd|' /C calc'!A0,1",
        "path": b"../../../../etc/passwd",
        "url": b"[InternetShortcut]\r\nURL=file:///etc/passwd",
        "desktop entry": b"[Desktop Entry]\nExec=id",
        "python": b"#!/usr/bin/env python3\nimport os",
        "pickle": b"\x80\x04\x95" + bytes(30),
        "java class": b"\xca\xfe\xba\xbe" + bytes(30),
        "webassembly": b"\0asm\x01\0\0\0",
        "mach-o": b"\xcf\xfa\xed\xfe" + bytes(30),
        "windows shortcut": b"L\0\0\0\x01\x14\x02\0" + bytes(60),
        "ole document": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(60),
        "rar": b"Rar!\x1a\x07\0" + bytes(30),
        "7z": b"7z\xbc\xaf\x27\x1c" + bytes(30),
        "gzip bomb": zlib.compress(bytes(10_000_000), 9),
        "bzip2": b"BZh91AY&SY" + bytes(30),
        "tar": b"../../etc/cron.d/x".ljust(257, b"\0") + b"ustar\x0000" + bytes(200),
        "iso": bytes(40_000),
        "ogg": b"OggS" + bytes(60),
        "flac": b"fLaC" + bytes(60),
        "aac": b"\xff\xf1\x50\x80" + bytes(60),
        "midi": b"MThd" + bytes(30),
        "flash": b"FWS\x09" + bytes(60),
        "flash video": b"FLV\x01\x05" + bytes(60),
        "transport stream": (b"G" + bytes(187)) * 4,
        "real media": b".RMF" + bytes(60),
        "windows media": b"\x30\x26\xb2\x75\x8e\x66\xcf\x11" + bytes(60),
        "jpeg 2000": b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(60),
        "jpeg xl": b"\xff\x0a" + bytes(60),
        "photoshop": b"8BPS\0\x01" + bytes(60),
        "icon": b"\0\0\x01\0\x01\0" + bytes(60),
        "cursor": b"\0\0\x02\0\x01\0" + bytes(60),
        "windows metafile": b"\xd7\xcd\xc6\x9a" + bytes(60),
        "portable pixmap": b"P6 99999 99999 255\n",
        "farbfeld": b"farbfeld" + b"\xff" * 8,
        "x bitmap": b"#define a_width 99999\n#define a_height 99999\n",
        "big tiff": b"MM\0\x2b" + bytes(60),
        "font": b"wOF2" + bytes(60),
        "sqlite": b"SQLite format 3\0" + bytes(60),
        "rtf": b"{\\rtf1 \\object}",
        "fdf": b"%FDF-1.2\n",
        "smil": b"<smil><body/></smil>",
        "dash": b"<MPD xmlns='urn:mpeg:dash:schema:mpd:2011'/>",
        "subtitles": b"WEBVTT\n\n00:00.000 --> 00:01.000\n<script>",
        "playlist of files": b"[playlist]\nFile1=/etc/passwd\n",
        "spaces": b" " * 5_000,
        "zeros": bytes(5_000),
        "riff of nothing": b"RIFF\x04\0\0\0ACON",
        "ftyp of nothing": box(b"ftyp", b"\0\0\0\0\0\0\0\0"),
    }
    return {f"{name} (unknown)": content for name, content in heads.items()}


def mutants(folder: Path) -> dict[str, bytes]:
    """Return valid files with damage in random places; the same at every run. Some of them are still valid."""
    seeded = random.Random(11)
    good = {name: image(name) for name in ("JPEG", "PNG", "WEBP", "HEIF", "AVIF", "GIF")}
    good |= {extension: video(folder, extension) for extension in ("mp4", "mov", "mkv", "avi")}
    files = {}
    for name, content in good.items():
        for number in range(4):
            damaged = bytearray(content)
            for _ in range(8):
                damaged[seeded.randrange(32, len(damaged))] = seeded.randrange(256)
            files[f"{name} with other bytes {number}"] = bytes(damaged)
        at = seeded.randrange(40, len(content) // 2)
        files[f"{name} with a hole"] = content[:at] + content[at + 64 :]
        files[f"{name} with huge lengths"] = content[:at] + b"\xff" * 8 + content[at + 8 :]
        files[f"{name} twice"] = content + content
    return files
