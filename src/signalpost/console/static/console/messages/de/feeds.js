// German of pages/feeds.js.
export default /** @type {Record<string, string>} */ ({
  "0: only what comes from now on.": "0: nur was ab jetzt kommt.",
  "A new item becomes": "Aus einem neuen Eintrag wird",
  "Add the feed": "Feed hinzufügen",
  "All feeds": "Alle Feeds",
  "At most in a day": "Höchstens am Tag",
  Feed: "Feed",
  "Further items wait. If more come at once, the feed is held.":
    "Weitere Einträge warten. Kommen mehr auf einmal, wird der Feed angehalten.",
  "Go on without those that wait": "Ohne die wartenden weitermachen",
  "Its posts stay. Nothing of what it publishes from now on becomes a post.":
    "Seine Beiträge bleiben. Nichts, was er ab jetzt veröffentlicht, wird ein Beitrag.",
  "Its server says that the feed is gone for good.": "Sein Server sagt, dass es den Feed nicht mehr gibt.",
  "Look again": "Noch einmal nachsehen",
  "More new items came at once than it may post in a day. Look at them, then go on with or without them.":
    "Es kamen mehr neue Einträge auf einmal, als an einem Tag Beiträge werden dürfen. Sehen Sie sie an und machen Sie mit oder ohne sie weiter.",
  "New feed": "Neuer Feed",
  "Next time": "Nächstes Mal",
  "No feed yet": "Noch kein Feed",
  "None of its accounts is connected any more. Choose others, then go on.":
    "Keines seiner Konten ist noch verbunden. Wählen Sie andere und machen Sie dann weiter.",
  "Of a blog or of its feed.": "Eines Blogs oder seines Feeds.",
  "Of those that are there already, the latest": "Von denen, die schon da sind, die neuesten",
  "Only with one of these words": "Nur mit einem dieser Wörter",
  "Paste the address of a blog once; then whatever it publishes waits here as a draft.":
    "Fügen Sie einmal die Adresse eines Blogs ein; dann wartet hier alles, was er veröffentlicht, als Entwurf.",
  Preview: "Vorschau",
  "Show the newest items as posts": "Die neuesten Einträge als Beiträge zeigen",
  "Text of a post": "Text eines Beitrags",
  "The address leads on and on, to no feed.": "Die Adresse führt immer weiter, aber zu keinem Feed.",
  "The feed is damaged: it is not well-formed XML.": "Der Feed ist beschädigt: Er ist kein gültiges XML.",
  "The feed is empty now.": "Der Feed ist zurzeit leer.",
  "The feed is larger than 2 MB.": "Der Feed ist größer als 2 MB.",
  "The feed is read from now on.": "Der Feed wird ab jetzt gelesen.",
  "The feed takes too much computing to be read.":
    "Der Feed braucht zu viel Rechenzeit, um gelesen zu werden.",
  "The page names no feed. Enter the address of the feed itself.":
    "Die Seite nennt keinen Feed. Geben Sie die Adresse des Feeds selbst ein.",
  "The plan has no room for this feed any more.": "Der Tarif hat für diesen Feed keinen Platz mehr.",
  "The posts of the plan are used up. Items wait until there is room.":
    "Die Beiträge des Tarifs sind verbraucht. Einträge warten, bis wieder Platz ist.",
  "The queue has no free time. Items wait until there is one.":
    "Der Zeitplan hat keine freie Zeit. Einträge warten, bis es eine gibt.",
  "The server asks to be read less often.": "Der Server bittet darum, seltener gelesen zu werden.",
  "The server cannot be reached, or it does not respond in time.":
    "Der Server ist nicht erreichbar oder antwortet nicht rechtzeitig.",
  "The server has a fault of its own.": "Der Server hat selbst einen Fehler.",
  "The server has nothing at this address.": "Der Server hat unter dieser Adresse nichts.",
  "The server wants a login, or refuses to let the feed be read.":
    "Der Server verlangt eine Anmeldung oder lässt den Feed nicht lesen.",
  "This address is not public, so it is not read.":
    "Diese Adresse ist nicht öffentlich und wird deshalb nicht gelesen.",
  "What becomes of its items": "Was aus seinen Einträgen wird",
  "What came": "Was kam",
  "What is at this address is neither a feed nor a page that names one.":
    "Unter dieser Adresse ist weder ein Feed noch eine Seite, die einen nennt.",
  "What is new on a blog becomes a post here.": "Was auf einem Blog neu ist, wird hier ein Beitrag.",
  "Whoever set it up may no longer write such posts. If you may, go on with it: then you answer for it.":
    "Wer ihn eingerichtet hat, darf solche Beiträge nicht mehr schreiben. Wenn Sie es dürfen, machen Sie weiter: Dann stehen Sie dafür ein.",
  "With commas between them; empty: everything.": "Mit Kommas dazwischen; leer: alles.",
  "Without these words": "Ohne diese Wörter",
  "a draft": "ein Entwurf",
  "a post at the next free time of the queue": "ein Beitrag zur nächsten freien Zeit des Zeitplans",
  "a post that is published at once": "ein Beitrag, der sofort veröffentlicht wird",
  "became a post": "wurde ein Beitrag",
  "could not become a post": "konnte kein Beitrag werden",
  "left out by hand": "von Hand weggelassen",
  "left out by the filter": "vom Filter weggelassen",
  "waits for its turn": "wartet, bis er dran ist",
  "was there before": "war schon vorher da",
  "{places} stand for what an item says.": "{places} stehen für das, was ein Eintrag sagt.",
});
