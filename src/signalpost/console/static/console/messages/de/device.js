// German of pages/device.js.
export default /** @type {Record<string, string>} */ ({
  "A terminal asks for an API key": "Ein Terminal bittet um einen API-Schlüssel",
  "All that I may do": "Alles, was ich darf",
  "Code in the terminal": "Code im Terminal",
  "Done. The terminal has its key in a few seconds; you can close this page.":
    "Fertig. Das Terminal hat seinen Schlüssel in wenigen Sekunden; Sie können diese Seite schließen.",
  "Eight letters, such as WDJB-MJHT. “sp login” shows it.":
    "Acht Buchstaben, etwa WDJB-MJHT. „sp login“ zeigt ihn.",
  "Enter another code": "Einen anderen Code eingeben",
  "Grant it only if you typed “sp login” yourself just now, and your terminal shows this very code.":
    "Erteilen Sie ihn nur, wenn Sie gerade selbst „sp login“ eingegeben haben und Ihr Terminal genau diesen Code zeigt.",
  "Grant the key": "Schlüssel erteilen",
  "It asks from": "Es fragt von",
  "It calls itself": "Es nennt sich",
  "Read only": "Nur lesen",
  Refuse: "Ablehnen",
  "Refused. The terminal gets no key.": "Abgelehnt. Das Terminal bekommt keinen Schlüssel.",
  "Sign in a terminal": "Ein Terminal anmelden",
  "Someone who sent you this link or code would act in your name.":
    "Wer Ihnen diesen Link oder Code geschickt hat, würde in Ihrem Namen handeln.",
  "What it may do": "Was es darf",
  "Without a choice: all that you see, also later ones.":
    "Ohne Auswahl: alle, die Sie sehen, auch spätere.",
  "Write and publish posts, connect accounts, webhooks":
    "Beiträge schreiben und veröffentlichen, Konten verbinden, Webhooks",
});
