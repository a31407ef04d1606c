"""Rewrites a text by the rules of a network: what is too long is cut at the end of a sentence, or becomes a thread.

Lengths are those that preflight counts. Pure; a long text takes longer than the event loop may be held.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Final

from msgspec import Struct, field

from signalpost.captions import hashtags
from signalpost.captions.hashtags import Tagged
from signalpost.captions.markup import without_markup
from signalpost.captions.sizes import Sizes, most
from signalpost.captions.units import Unit, joined, pieces_of, units_of
from signalpost.networks.contract import Facts, TextRule
from signalpost.networks.counting import length
from signalpost.networks.preflight import text_with_link
from signalpost.posts.documents import Utm
from signalpost.posts.tracking import tracked_text

THREAD_PARTS_MAX: Final = 51
"""A post, and the 50 parts of its thread."""
SENTENCE_SHARE: Final = 0.4
"""Of what fits. A sentence that ends earlier is not worth what would be lost."""
TAGS_MAX: Final = 100
"""Hashtags of the end of a text that are kept at most; no network shows more than 60."""
ELLIPSIS: Final = "…"


class Source(Struct, frozen=True):
    """What is rewritten. `link`, `has_media` and `utm`: of the post, since they change the text when it is sent."""

    text: str
    title: str | None = None
    link: str | None = None
    has_media: bool = False
    utm: Utm | None = None
    keep_links: bool = True
    hashtags_max: int | None = None
    default_hashtags: Sequence[str] = ()


class Note(Struct, frozen=True):
    """Something that was changed, or that is worth knowing."""

    code: str
    message: str


class Caption(Struct):
    """A text for one network. `thread`: the parts after the first."""

    text: str
    hashtags: list[str]
    title: str | None = None
    thread: list[str] = field(default_factory=list)
    changes: list[Note] = field(default_factory=list)
    warnings: list[Note] = field(default_factory=list)


def captions_of(facts: Facts, source: Source, count: int) -> list[Caption]:
    """Return up to `count` different captions, the best first."""
    plain, tagged = _prepared(source.text, source.hashtags_max)
    editor = _Editor(facts, source, tagged)
    notes = list(_notes(source, tagged, plain))
    title, title_notes = _title(facts, source.title)
    captions: dict[tuple[str, ...], Caption] = {}
    for caption in editor.captions():
        caption.title = title
        caption.changes = [*notes, *title_notes, *caption.changes]
        captions.setdefault((caption.text, *caption.thread), caption)
        if len(captions) == count:
            break
    return list(captions.values())


@lru_cache(4)  # a text is taken apart once for all networks
def _prepared(text: str, tags_max: int | None) -> tuple[str, Tagged]:
    plain = without_markup(text)
    return plain, hashtags.separate(units_of(plain), tags_max)


def fits(facts: Facts, source: Source, caption: Caption) -> bool:
    """Whether the network accepts the caption and its thread."""
    first, *rest = sent(facts, source, caption)
    return all(_holds(facts.text, text) for text in (first, *rest))


def sent(facts: Facts, source: Source, caption: Caption) -> list[str]:
    """Return the texts of the caption and of its thread as they are sent."""
    texts = [text_with_link(facts, caption.text, source.link, has_media=source.has_media), *caption.thread]
    return [_tracked(facts, source, text) for text in texts]


def _tracked(facts: Facts, source: Source, text: str) -> str:
    return text if source.utm is None else tracked_text(text, source.utm, facts.key)


def _holds(rule: TextRule, text: str) -> bool:
    if rule.bytes_max is not None and len(text.encode("utf-8", "surrogatepass")) > rule.bytes_max:
        return False
    return length(rule, text) <= rule.max_length


def _notes(source: Source, tagged: Tagged, plain: str) -> Iterator[Note]:
    if plain != source.text.replace("\r\n", "\n").replace("\r", "\n"):
        yield Note("markup_removed", "Markup and control characters that the network would show were removed.")
    if tagged.moved:
        yield Note("hashtags_moved", "Hashtags that stood apart were moved to the end.")
    if tagged.dropped:
        yield Note("hashtags_removed", f"{tagged.dropped} hashtags were removed: repeated, or more than maxHashtags.")


def _title(facts: Facts, title: str | None) -> tuple[str | None, list[Note]]:
    if not title:
        return None, []
    if facts.title is None:
        return None, [Note("title_left_out", f"Posts on {facts.name} have no title.")]
    plain = " ".join(without_markup(title).split())
    if _holds(facts.title, plain):
        return plain, []
    units = [piece for unit in units_of(plain) for piece in ([unit] if unit.is_whole else pieces_of(unit))]
    while units and not _holds(facts.title, joined(units) + ELLIPSIS):
        units.pop()
    return joined(units) + ELLIPSIS, [Note("title_shortened", f"The title is longer than {facts.name} allows.")]


class _Editor:
    """Makes the captions of one text for one network."""

    def __init__(self, facts: Facts, source: Source, tagged: Tagged) -> None:
        self._facts, self._rule, self._source = facts, facts.text, source
        self._separator = tagged.separator
        self._units = [piece for unit in tagged.units for piece in self._pieces(unit)]
        self._tracked = partial(_tracked, facts, source)
        self._sizes = Sizes(self._rule, self._units, self._tracked)
        self._tags = self._tags_that_fit(tagged.tags)
        self._tags_lost = len(tagged.tags) - len(self._tags)
        added = text_with_link(facts, "x", source.link, has_media=source.has_media)[1:]
        self._link_size = self._sizes.of(added)
        self._links = self._links_to_keep() if source.keep_links else []
        self._missing = self._sizes_of_missing_links()
        self._tags_inside = [(index, tag) for index, unit in enumerate(self._units) for tag in unit.tags]
        self._too_long = [
            index
            for index, unit in enumerate(self._units)
            if unit.is_whole and not _holds(self._rule, self._tracked(unit.text))
        ]

    def captions(self) -> Iterator[Caption]:
        """Yield captions, the best first; some may be equal."""
        if self._fits_whole(self._tags):
            yield self._whole()
        else:
            if self._facts.thread_parts_max > 1 and self._units:
                yield self._threaded()
            yield self._shortened(self._tags)
        if self._tags:
            yield self._shortened([])
        yield self._shortened(self._tags, sentences_max=1)
        yield self._shortened([], sentences_max=1)

    def _pieces(self, unit: Unit) -> list[Unit]:
        if unit.is_whole or _holds(self._rule, unit.text):
            return [unit]
        return pieces_of(unit)

    def _tags_that_fit(self, tags: list[str]) -> list[str]:
        """Return the first hashtags, `TAGS_MAX` at most, up to half of what a post may have beside a text."""
        tags = tags[:TAGS_MAX]
        if not self._units:
            return tags
        half, start = self._rule.max_length // 2, self._units[0].text
        count = most(len(tags), lambda count: length(self._rule, " ".join(tags[:count])) <= half)
        if self._accepts(start):
            count = most(count, lambda count: self._accepts(start + self._suffix(tags[:count])))
        return tags[:count]

    def _links_to_keep(self) -> list[tuple[int, str]]:
        """Return the unit and the address of each link that is put at the end if the text before it is all that fits.

        They take up to half of a post, so that some text is left; a single link may take all of it.
        """
        links: dict[str, int] = {}
        for index, unit in enumerate(self._units):
            for link in unit.links:
                links.setdefault(link, index)
        chosen: list[tuple[int, str]] = []
        used = 0
        for link, index in links.items():
            used += self._sizes.of(link)[0] + 2
            if used > (self._rule.max_length // 2 if chosen else self._rule.max_length):
                break
            chosen.append((index, link))
        return chosen

    def _suffix(self, tags: Sequence[str]) -> str:
        return (self._separator if self._units else "") + " ".join(tags) if tags else ""

    def _fits_whole(self, tags: Sequence[str]) -> bool:
        return self._accepts(joined(self._units) + self._suffix(tags))

    def _accepts(self, text: str, *, is_first: bool = True) -> bool:
        if is_first:
            text = text_with_link(self._facts, text, self._source.link, has_media=self._source.has_media)
        return _holds(self._rule, self._tracked(text))

    # --- the whole text ---------------------------------------------------------------------------------------------

    def _whole(self) -> Caption:
        """Return the whole text, with those of the profile's hashtags for which there is room."""
        tags = list(self._tags)
        present = {hashtags.key(tag) for tag in (*tags, *(tag for _, tag in self._tags_inside))}
        added: list[str] = []
        for name in self._source.default_hashtags:
            tag = "#" + name.lstrip("#")
            room = self._source.hashtags_max is None or len(present) < self._source.hashtags_max
            if room and hashtags.key(tag) not in present and self._fits_whole([*tags, *added, tag]):
                added.append(tag)
                present.add(hashtags.key(tag))
        if added and not tags:
            self._separator = "\n\n"
        caption = self._caption(joined(self._units) + self._suffix([*tags, *added]), [*tags, *added])
        if added:
            caption.changes.append(Note("hashtags_added", f"Hashtags of the profile were added: {' '.join(added)}."))
        return caption

    # --- one post ---------------------------------------------------------------------------------------------------

    def _shortened(self, tags: Sequence[str], sentences_max: int | None = None) -> Caption:
        """Return as much of the text as fits into one post, or a number of sentences, with the links of the rest."""
        end = self._end_of_single(self._sizes.of(self._suffix(tags)), sentences_max)
        end = min(end, 1) + most(end - 1, lambda more: self._accepts(self._single(1 + more, tags)))
        text = self._single(end, tags)
        if tags and not self._accepts(text):
            return self._shortened(tags[:-1], sentences_max)
        if not self._accepts(text):
            text = self._single(end, tags, ellipsis="")
        caption = self._caption(text, tags, end)
        if end < len(self._units):
            caption.changes.append(Note("shortened", "The text was shortened to one post."))
            self._report_links(caption, end)
        if len(tags) < len(self._tags):
            caption.changes.append(Note("hashtags_removed", "This variant has no hashtags at its end."))
        return caption

    def _end_of_single(self, suffix: tuple[int, int], sentences_max: int | None) -> int:
        """Return how many units stay: the most that fit, or fewer if a sentence ends there."""
        last = self._end_of_sentences(sentences_max)
        dots = self._sizes.of(ELLIPSIS)

        def allows(end: int, *, ellipsis: bool) -> bool:
            return self._sizes.allow(0, end, suffix, self._link_size, self._missing[end], dots if ellipsis else (0, 0))

        if allows(last, ellipsis=False):
            return last
        longest = min(last, self._sizes.longest())
        end = next((end for end in range(longest, 0, -1) if allows(end, ellipsis=True)), 0)
        least = int(end * SENTENCE_SHARE)
        sentence = (at for at in range(end, least, -1) if self._ends_sentence(at) and allows(at, ellipsis=False))
        end = next(sentence, end)
        return end if end or self._links else min(1, len(self._units))

    def _end_of_sentences(self, sentences_max: int | None) -> int:
        if sentences_max is None:
            return len(self._units)
        ends = (index + 1 for index, unit in enumerate(self._units) if unit.ends_sentence)
        return next(islice(ends, sentences_max - 1, None), len(self._units))

    def _sizes_of_missing_links(self) -> list[tuple[int, int]]:
        """Return, for each number of units that may stay, the size of the links that then have to be added."""
        sizes = [(0, 0)] * (len(self._units) + 1)
        if not self._links:
            return sizes
        links = sorted(self._links, reverse=True)
        size, place = (0, 0), 0
        for end in range(len(self._units), -1, -1):
            while place < len(links) and links[place][0] >= end:
                added = self._sizes.of(links[place][1])
                separators = 2 if place == 0 else 1
                size = (size[0] + added[0] + separators, size[1] + added[1] + separators)
                place += 1
            sizes[end] = size
        return sizes

    def _single(self, end: int, tags: Sequence[str], ellipsis: str = ELLIPSIS) -> str:
        text = joined(self._units[:end])
        if end and end < len(self._units) and not self._ends_sentence(end):
            text = _with_ellipsis(text, self._units[end - 1], ellipsis)
        if missing := [link for index, link in self._links if index >= end]:
            text += ("\n\n" if text else "") + " ".join(missing)
        return text + self._suffix(tags)

    def _ends_sentence(self, end: int) -> bool:
        return end > 0 and self._units[end - 1].ends_sentence

    def _report_links(self, caption: Caption, end: int) -> None:
        present = {link for _, link in self._links}.union(*(unit.links for unit in self._units[:end]))
        if lost := {link for unit in self._units[end:] for link in unit.links} - present:
            caption.warnings.append(Note("links_removed", f"{len(lost)} links of the text do not fit."))
        elif any(index >= end for index, _ in self._links):
            caption.changes.append(Note("links_kept", "Links of the text that was cut stand at the end."))

    # --- a thread ---------------------------------------------------------------------------------------------------

    def _threaded(self) -> Caption:
        """Return the text as a thread; its hashtags stand in the first part."""
        parts: list[tuple[int, int]] = []
        count = min(self._facts.thread_parts_max, THREAD_PARTS_MAX)
        start = 0
        while start < len(self._units) and len(parts) < count:
            tags = self._tags if not parts else []
            end = self._end_of_part(start, tags, is_first=not parts)
            parts.append((start, end))
            start = end
        first, *rest = (joined(self._units[begin:end]) for begin, end in parts)
        caption = self._caption(first + self._suffix(self._tags), self._tags)
        caption.thread = rest
        caption.changes.append(Note("split", f"The text was split into {len(parts)} parts."))
        if start < len(self._units):
            lost = len(joined(self._units[start:]))
            message = f"A thread has at most {count} parts: the last {lost} characters are left out."
            caption.warnings.append(Note("text_left_out", message))
        return caption

    def _end_of_part(self, start: int, tags: Sequence[str], *, is_first: bool) -> int:
        others = (self._sizes.of(self._suffix(tags)), self._link_size) if is_first else ()
        end = start + 1
        while end < len(self._units) and self._sizes.allow(start, end + 1, *others):
            end += 1
        if end < len(self._units):
            end = self._good_end(start, end)
        least, suffix = start + 1, self._suffix(tags)

        def holds(more: int) -> bool:
            return self._accepts(joined(self._units[start : least + more]) + suffix, is_first=is_first)

        return least + most(end - least, holds)

    def _good_end(self, start: int, end: int) -> int:
        """Return the last end of a paragraph or else of a sentence, if that leaves enough in this part."""
        least = start + int((end - start) * SENTENCE_SHARE)
        candidates = range(end, least, -1)
        paragraph = (at for at in candidates if self._units[at - 1].ends_paragraph)
        sentence = (at for at in candidates if self._units[at - 1].ends_sentence)
        return next(paragraph, next(sentence, end))

    def _caption(self, text: str, tags: Sequence[str], end: int | None = None) -> Caption:
        """Return a caption of the units before `end`, with the hashtags that it contains."""
        inside = (tag for index, tag in self._tags_inside if end is None or index < end)
        distinct = {hashtags.key(tag): tag for tag in (*tags, *inside)}
        caption = Caption(text, list(distinct.values()))
        if self._tags_lost:
            note = f"{self._tags_lost} hashtags took more than half of a post."
            caption.changes.append(Note("hashtags_removed", note))
        if any(end is None or index < end for index in self._too_long):
            message = "A link, mention or hashtag is longer than a whole post, and is never cut."
            caption.warnings.append(Note("too_long_to_cut", message))
        return caption


def _with_ellipsis(text: str, last: Unit, ellipsis: str) -> str:
    """Return a text that goes on with an ellipsis, which must not become a part of a link."""
    if last.links:
        return f"{text} {ellipsis}".rstrip()
    return (text if last.is_whole else text.rstrip(" ,;:\u2013\u2014-(")) + ellipsis
