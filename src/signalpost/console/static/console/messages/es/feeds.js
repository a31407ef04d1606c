// Spanish of pages/feeds.js.
export default /** @type {Record<string, string>} */ ({
  "0: only what comes from now on.": "0: solo lo que llegue a partir de ahora.",
  "A new item becomes": "Una entrada nueva se convierte en",
  "Add the feed": "Añadir el feed",
  "All feeds": "Todos los feeds",
  "At most in a day": "Máximo por día",
  Feed: "Feed",
  "Further items wait. If more come at once, the feed is held.":
    "Las demás entradas esperan. Si llegan más a la vez, el feed se detiene.",
  "Go on without those that wait": "Seguir sin las que esperan",
  "Its posts stay. Nothing of what it publishes from now on becomes a post.":
    "Sus publicaciones se quedan. Nada de lo que publique a partir de ahora se convierte en publicación.",
  "Its server says that the feed is gone for good.":
    "Su servidor dice que el feed ha desaparecido para siempre.",
  "Look again": "Mirar de nuevo",
  "More new items came at once than it may post in a day. Look at them, then go on with or without them.":
    "Han llegado a la vez más entradas nuevas de las que puede publicar en un día. Míralas y sigue con o sin ellas.",
  "New feed": "Feed nuevo",
  "Next time": "Próxima vez",
  "No feed yet": "Aún no hay feeds",
  "None of its accounts is connected any more. Choose others, then go on.":
    "Ninguna de sus cuentas sigue conectada. Elige otras y continúa.",
  "Of a blog or of its feed.": "De un blog o de su feed.",
  "Of those that are there already, the latest": "De las que ya están, las últimas",
  "Only with one of these words": "Solo con una de estas palabras",
  "Paste the address of a blog once; then whatever it publishes waits here as a draft.":
    "Pega una vez la dirección de un blog; a partir de ahí, todo lo que publique espera aquí como borrador.",
  Preview: "Vista previa",
  "Show the newest items as posts": "Mostrar las entradas más recientes como publicaciones",
  "Text of a post": "Texto de una publicación",
  "The address leads on and on, to no feed.": "La dirección lleva de una a otra sin llegar a ningún feed.",
  "The feed is damaged: it is not well-formed XML.": "El feed está dañado: no es XML bien formado.",
  "The feed is empty now.": "El feed está vacío ahora.",
  "The feed is larger than 2 MB.": "El feed ocupa más de 2 MB.",
  "The feed is read from now on.": "El feed se lee a partir de ahora.",
  "The feed takes too much computing to be read.": "El feed exige demasiados cálculos para leerlo.",
  "The page names no feed. Enter the address of the feed itself.":
    "La página no indica ningún feed. Escribe la dirección del propio feed.",
  "The plan has no room for this feed any more.": "El plan ya no tiene espacio para este feed.",
  "The posts of the plan are used up. Items wait until there is room.":
    "Las publicaciones del plan se han agotado. Las entradas esperan hasta que haya espacio.",
  "The queue has no free time. Items wait until there is one.":
    "La cola no tiene horas libres. Las entradas esperan hasta que haya una.",
  "The server asks to be read less often.": "El servidor pide que se le lea con menos frecuencia.",
  "The server cannot be reached, or it does not respond in time.":
    "No se puede llegar al servidor o no responde a tiempo.",
  "The server has a fault of its own.": "El servidor tiene un fallo propio.",
  "The server has nothing at this address.": "El servidor no tiene nada en esta dirección.",
  "The server wants a login, or refuses to let the feed be read.":
    "El servidor exige iniciar sesión o no deja leer el feed.",
  "This address is not public, so it is not read.": "Esta dirección no es pública, así que no se lee.",
  "What becomes of its items": "Qué pasa con sus entradas",
  "What came": "Qué ha llegado",
  "What is at this address is neither a feed nor a page that names one.":
    "Lo que hay en esta dirección no es un feed ni una página que indique uno.",
  "What is new on a blog becomes a post here.": "Lo nuevo de un blog se convierte aquí en una publicación.",
  "Whoever set it up may no longer write such posts. If you may, go on with it: then you answer for it.":
    "Quien lo configuró ya no puede escribir estas publicaciones. Si tú puedes, continúa: entonces respondes tú de ellas.",
  "With commas between them; empty: everything.": "Separadas por comas; vacío: todo.",
  "Without these words": "Sin estas palabras",
  "a draft": "un borrador",
  "a post at the next free time of the queue": "una publicación a la próxima hora libre de la cola",
  "a post that is published at once": "una publicación que sale enseguida",
  "became a post": "se convirtió en publicación",
  "could not become a post": "no se pudo convertir en publicación",
  "left out by hand": "descartada a mano",
  "left out by the filter": "descartada por el filtro",
  "waits for its turn": "espera su turno",
  "was there before": "ya estaba antes",
  "{places} stand for what an item says.": "{places} representan lo que dice una entrada.",
});
