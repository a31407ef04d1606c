// German of pages/cut-*.js.
export default /** @type {Record<string, string>} */ ({
  "Back to the middle": "Zurück zur Mitte",
  "For {network}": "Für {network}",
  Original: "Original",
  "Part for {network}": "Ausschnitt für {network}",
  "Press what matters, or move the point with the arrow keys. It stays in view wherever this picture is cut.":
    "Drück auf das, worauf es ankommt, oder verschiebe den Punkt mit den Pfeiltasten. Er bleibt sichtbar, wo immer dieses Bild zugeschnitten wird.",
  Proportions: "Seitenverhältnis",
  "Show what the network covers": "Zeigen, was das Netzwerk verdeckt",
  "What is cut": "Was zugeschnitten wird",
  "What must stay in view": "Was sichtbar bleiben muss",
  "What networks get of {name}": "Was Netzwerke von {name} bekommen",
  "Which form of the file": "Welche Form der Datei",
  "Whole picture": "Ganzes Bild",
  "{network} gets the whole picture, and shows all of it.":
    "{network} bekommt das ganze Bild und zeigt alles davon.",
  "{network} gets the whole picture. Its frame shows the middle of it, as marked.":
    "{network} bekommt das ganze Bild. Im Rahmen des Netzwerks ist die Mitte zu sehen, wie markiert.",
  "{network} gets {width} × {height} of {allWidth} × {allHeight} pixels.":
    "{network} bekommt {width} × {height} von {allWidth} × {allHeight} Pixeln.",
  "{n} %": "{n} %",
  "{width} × {height} pixels, {size}": "{width} × {height} Pixel, {size}",
  "{width} × {height} pixels, {x} % from the left, {y} % from the top":
    "{width} × {height} Pixel, {x} % von links, {y} % von oben",
  "{x} % from the left, {y} % from the top": "{x} % von links, {y} % von oben",
});
