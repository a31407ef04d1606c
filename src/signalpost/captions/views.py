"""From captions to what the API shows."""

from signalpost.captions import rules, schemas
from signalpost.captions.rules import Caption, Note, Source
from signalpost.networks.contract import Facts
from signalpost.networks.counting import text_length


def caption(engine: schemas.Engine, facts: Facts, source: Source, value: Caption) -> schemas.Caption:
    """Return a caption with its length as the network counts it."""
    first, *rest = (text_length(facts, text) for text in rules.sent(facts, source, value))
    return schemas.Caption(
        platform=facts.key,
        engine=engine,
        title=value.title,
        text=value.text,
        thread=[schemas.CaptionPart(text, length) for text, length in zip(value.thread, rest, strict=True)],
        hashtags=value.hashtags,
        length=first,
        limit=facts.text.max_length,
        fits=rules.fits(facts, source, value),
        changes=[_note(note) for note in value.changes],
        warnings=[_note(note) for note in value.warnings],
    )


def _note(note: Note) -> schemas.CaptionNote:
    return schemas.CaptionNote(note.code, note.message)
