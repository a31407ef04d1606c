"""A child process with limits that opens one untrusted file. It knows no settings, no database and no network.

The service itself imports nothing of it but `boxes`, which keeps Pillow and FFmpeg, and their bugs, out of its memory.
"""
