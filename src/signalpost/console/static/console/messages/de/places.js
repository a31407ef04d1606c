// German of texts/places.js.
export default /** @type {Record<string, string>} */ ({
  Expires: "Gilt bis",
  Part: "Teil",
  Picture: "Bild",
  Setting: "Einstellung",
});
