"""Rows of the audit log as the API shows them."""

from signalpost.audit.queries import AuditLogRow
from signalpost.audit.schemas import AuditChange, AuditLogEntry
from signalpost.kit import clock, ids


def entry(row: AuditLogRow) -> AuditLogEntry:
    """Return an entry of the audit log of a workspace."""
    return AuditLogEntry(
        id=ids.encode("aud", row.id),
        at=clock.wire(row.at),
        action=row.action,
        actor=row.actor,
        subject=row.subject if row.post_id is None else ids.encode("pst", row.post_id),
        target_id=ids.encode_or_none("tgt", row.target_id),
        changes=None
        if row.changes is None
        else [AuditChange(_camel(change.field), change.before, change.after) for change in row.changes],
        address=row.address,
        request_id=row.request_id,
    )


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)
