from signalpost.kit import clock, ids
from signalpost.snippets.queries import SnippetRow
from signalpost.snippets.schemas import Snippet


def snippet(row: SnippetRow) -> Snippet:
    """Return a snippet as the API shows it."""
    return Snippet(
        id=ids.encode("snp", row.id),
        profile_id=ids.encode_or_none("prof", row.profile_id),
        name=row.name,
        text=row.text,
        version=row.version,
        created_by=row.created_by,
        created_at=clock.wire(row.created_at),
        updated_at=clock.wire(row.updated_at),
    )
