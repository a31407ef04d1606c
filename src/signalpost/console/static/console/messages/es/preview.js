// Spanish of pages/preview-*.js.
export default /** @type {Record<string, string>} */ ({
  "A picture or a video belongs here.": "Aquí va una imagen o un vídeo.",
  Article: "Artículo",
  "many|{n} more files": "{n} de archivos más",
  more: "más",
  "Picture and title come from the page.": "La imagen y el título vienen de la página.",
  Pin: "Pin",
  Poll: "Encuesta",
  "Preview by Signalpost; the network may show it differently, and fold the text elsewhere.":
    "Vista previa de Signalpost; la red puede mostrarlo de otra forma y cortar el texto en otro lugar.",
  "Preview by Signalpost; the network may show it differently.":
    "Vista previa de Signalpost; la red puede mostrarlo de otra forma.",
  Reel: "Reel",
  Short: "Short",
  Story: "Historia",
  "{n} more file": "{n} archivo más",
  "{n} more files": "{n} archivos más",
});
