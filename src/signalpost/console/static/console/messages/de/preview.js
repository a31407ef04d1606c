// German of pages/preview-*.js.
export default /** @type {Record<string, string>} */ ({
  "A picture or a video belongs here.": "Hierher gehört ein Bild oder ein Video.",
  Article: "Artikel",
  more: "mehr",
  "Picture and title come from the page.": "Bild und Titel kommen von der Seite.",
  Pin: "Pin",
  Poll: "Umfrage",
  "Preview by Signalpost; the network may show it differently, and fold the text elsewhere.":
    "Vorschau von Signalpost; das Netzwerk zeigt es womöglich anders und kürzt den Text an anderer Stelle.",
  "Preview by Signalpost; the network may show it differently.":
    "Vorschau von Signalpost; das Netzwerk zeigt es womöglich anders.",
  Reel: "Reel",
  Short: "Short",
  Story: "Story",
  "{n} more file": "{n} weitere Datei",
  "{n} more files": "{n} weitere Dateien",
});
