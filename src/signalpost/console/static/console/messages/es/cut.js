// Spanish of pages/cut-*.js.
export default /** @type {Record<string, string>} */ ({
  "Back to the middle": "Volver al centro",
  "For {network}": "Para {network}",
  Original: "Original",
  "Part for {network}": "Recorte para {network}",
  "Press what matters, or move the point with the arrow keys. It stays in view wherever this picture is cut.":
    "Pulsa lo que importa o mueve el punto con las flechas. Queda a la vista dondequiera que se recorte esta imagen.",
  Proportions: "Proporciones",
  "Show what the network covers": "Mostrar lo que tapa la red",
  "What is cut": "Qué se recorta",
  "What must stay in view": "Qué debe quedar a la vista",
  "What networks get of {name}": "Qué reciben las redes de {name}",
  "Which form of the file": "Qué versión del archivo",
  "Whole picture": "Imagen entera",
  "{network} gets the whole picture, and shows all of it.":
    "{network} recibe la imagen entera y la muestra toda.",
  "{network} gets the whole picture. Its frame shows the middle of it, as marked.":
    "{network} recibe la imagen entera. En su marco se ve el centro, como está señalado.",
  "{network} gets {width} × {height} of {allWidth} × {allHeight} pixels.":
    "{network} recibe {width} × {height} de {allWidth} × {allHeight} píxeles.",
  "{n} %": "{n} %",
  "{width} × {height} pixels, {size}": "{width} × {height} píxeles, {size}",
  "{width} × {height} pixels, {x} % from the left, {y} % from the top":
    "{width} × {height} píxeles, {x} % desde la izquierda, {y} % desde arriba",
  "{x} % from the left, {y} % from the top": "{x} % desde la izquierda, {y} % desde arriba",
});
