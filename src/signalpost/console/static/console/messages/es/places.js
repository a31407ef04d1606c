// Spanish of texts/places.js.
export default /** @type {Record<string, string>} */ ({
  Expires: "Caducidad",
  Part: "Parte",
  Picture: "Imagen",
  Setting: "Ajuste",
});
