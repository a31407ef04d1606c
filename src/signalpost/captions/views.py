"""From captions to what the API shows."""

from signalpost.captions import rules, schemas
from signalpost.captions.rules import Caption, Note, Source
from signalpost.networks.contract import Facts
from signalpost.networks.counting import text_length
from signalpost.networks.preflight import text_with_link


def caption(engine: schemas.Engine, facts: Facts, source: Source, value: Caption) -> schemas.Caption:
    """Return a caption with its length as the network counts it."""
    sent = text_with_link(facts, value.text, source.link, has_media=source.has_media)
    return schemas.Caption(
        platform=facts.key,
        engine=engine,
        title=value.title,
        text=value.text,
        thread=[schemas.CaptionPart(text, text_length(facts, text)) for text in value.thread],
        hashtags=value.hashtags,
        length=text_length(facts, sent),
        limit=facts.text.max_length,
        fits=rules.fits(facts, source, value),
        changes=[_note(note) for note in value.changes],
        warnings=[_note(note) for note in value.warnings],
    )


def _note(note: Note) -> schemas.CaptionNote:
    return schemas.CaptionNote(note.code, note.message)
