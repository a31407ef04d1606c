"""A limited child process that opens one file of unknown intent. It knows no settings, no database and no network.

The parent never imports this package: Pillow and FFmpeg stay out of the memory of the service, and so do their faults.
"""
