"""Administration: figures of the whole installation, its queue, the record of backups, and what staff start by hand."""
