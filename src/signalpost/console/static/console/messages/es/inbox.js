// Spanish of pages/inbox.js.
export default /** @type {Record<string, string>} */ ({
  "A rule hides, assigns, tags or ends new comments with certain words. It never answers.":
    "Una regla oculta, asigna, etiqueta o cierra los comentarios nuevos con ciertas palabras. Nunca responde.",
  "Also said there": "Qué más se ha dicho allí",
  "Answer as {account}": "Responder como {account}",
  "Answers that were made of it stay.": "Las respuestas hechas a partir de ella se conservan.",
  "At the network": "En la red",
  "Back to the inbox now": "Volver ya a la bandeja",
  "Choose one to put it in": "Elige una para insertarla",
  Comment: "Comentario",
  "Comment of {name}": "Comentario de {name}",
  "Delete at the network": "Eliminar en la red",
  "Delete this comment at the network?": "¿Eliminar este comentario en la red?",
  "Hide from others": "Ocultar a los demás",
  "In a week": "En una semana",
  "It comes back at": "Vuelve el",
  "It comes back {time}.": "Vuelve: {time}.",
  "It is not known whether the answer was sent. Look at the comment at the network before you answer again.":
    "No se sabe si la respuesta se ha enviado. Mira el comentario en la red antes de volver a responder.",
  Like: "Me gusta",
  "Mark as done": "Marcar como hecho",
  Member: "Miembro",
  "New rule": "Nueva regla",
  "New saved reply": "Nueva respuesta guardada",
  "Next comment": "Comentario siguiente",
  "No rules": "No hay reglas",
  "No saved replies": "No hay respuestas guardadas",
  Nobody: "Nadie",
  "Nobody sees it there any more. This cannot be taken back.":
    "Allí ya no lo verá nadie. No se puede deshacer.",
  "Not answered": "Sin responder",
  "Of {count}, since {time}.": "De {count}, desde {time}.",
  "One to a line. A comment with one of them, as a whole word, meets the rule.":
    "Una por línea. La regla se aplica a los comentarios que tienen una de ellas como palabra completa.",
  "One to a line. If there are words too, both have to be met.":
    "Uno por línea. Si también hay palabras, se tienen que cumplir ambas cosas.",
  "Only at these networks": "Solo en estas redes",
  "Only for these clients": "Solo para estos clientes",
  "Open the comment": "Abrir el comentario",
  "Previous comment": "Comentario anterior",
  "Put it off": "Posponer",
  "Rule {name}:": "Regla {name}:",
  Rules: "Reglas",
  "Save the tags": "Guardar las etiquetas",
  "Saved replies": "Respuestas guardadas",
  "Saved reply": "Respuesta guardada",
  "Send the answer": "Enviar la respuesta",
  "Separated by commas; for your team, never published.":
    "Separadas por comas; para tu equipo, nunca se publican.",
  "Show to others again": "Volver a mostrar a los demás",
  "Something failed here. Answer once more; if it fails again, ask whoever runs this service.":
    "Algo ha fallado aquí. Responde de nuevo; si vuelve a fallar, pregunta a quien administra este servicio.",
  "Something failed here. Hide it by hand, or ask whoever runs this service.":
    "Algo ha fallado aquí. Ocúltalo a mano o pregunta a quien administra este servicio.",
  "Switch off": "Desactivar",
  "Switch on": "Activar",
  "Take back": "Retirar",
  "The account did not allow answers. Connect it again and agree to everything that is asked for.":
    "La cuenta no ha permitido respuestas. Conéctala otra vez y acepta todo lo que se pide.",
  "The account has used up what the network allows in a day. Answer once more tomorrow.":
    "La cuenta ha agotado lo que la red permite en un día. Responde de nuevo mañana.",
  "The account is not connected. Connect it again, then answer once more.":
    "La cuenta no está conectada. Conéctala otra vez y responde de nuevo.",
  "The answer is sent.": "La respuesta se está enviando.",
  "The answer waits for an approval.": "La respuesta espera una aprobación.",
  "The comment is deleted.": "El comentario se ha eliminado.",
  "The comment, or its post, is not there any more.": "El comentario o su publicación ya no existe.",
  "The connection to the account has expired. Connect it again, then answer once more.":
    "La conexión con la cuenta ha caducado. Conéctala otra vez y responde de nuevo.",
  "The inbox is empty": "La bandeja está vacía",
  "The network already has this answer. Look there before you answer again.":
    "La red ya tiene esta respuesta. Míralo allí antes de volver a responder.",
  "The network asks for a paid plan for answers.": "La red pide un plan de pago para responder.",
  "The network could not be reached for hours. Answer once more.":
    "No se ha podido acceder a la red durante horas. Responde de nuevo.",
  "The network did not respond in time, for hours. Answer once more.":
    "La red no ha respondido a tiempo durante horas. Responde de nuevo.",
  "The network did not respond in time.": "La red no ha respondido a tiempo.",
  "The network did not take the answer for hours. Answer once more.":
    "La red no ha aceptado la respuesta durante horas. Responde de nuevo.",
  "The network does not let this comment be hidden from here.":
    "La red no permite ocultar este comentario desde aquí.",
  "The network failed each time.": "La red ha fallado todas las veces.",
  "The network refused the answer. Change it, then answer once more.":
    "La red ha rechazado la respuesta. Cámbiala y responde de nuevo.",
  "The network refused, or the account has to be connected again.":
    "La red lo ha rechazado, o hay que conectar la cuenta otra vez.",
  "The network restricts this account at the moment. Sign in there to see why.":
    "La red restringe esta cuenta por ahora. Inicia sesión allí para ver por qué.",
  "The network says that the answer is too long. Shorten it, then answer once more.":
    "Para la red, la respuesta es demasiado larga. Acórtala y responde de nuevo.",
  "The network took no more answers for hours. Answer once more.":
    "La red no ha aceptado más respuestas durante horas. Responde de nuevo.",
  "The post": "La publicación",
  "The rule was deleted or switched off before, or whoever answered for it may no longer hide comments.":
    "La regla se eliminó o se desactivó antes, o quien respondía por ella ya no puede ocultar comentarios.",
  "The server of the network cannot be found.": "No se encuentra el servidor de la red.",
  "The tags are saved.": "Las etiquetas se han guardado.",
  "This comment was deleted.": "Este comentario se ha eliminado.",
  "To do": "Pendiente",
  "To do again": "Volver a pendiente",
  "Tomorrow morning": "Mañana por la mañana",
  Usernames: "Nombres de usuario",
  "What happens": "Qué pasa",
  "What it did stays.": "Lo que hizo se queda como está.",
  "What people write under your posts.": "Lo que la gente escribe en tus publicaciones.",
  "What rules did": "Qué hicieron las reglas",
  "What would it have met?": "¿A qué se habría aplicado?",
  "What you answer again and again, you write once.":
    "Lo que respondes una y otra vez se escribe una sola vez.",
  "What you have dealt with appears here.": "Aquí aparece lo que ya has resuelto.",
  "What you put off appears here, and comes back by itself.":
    "Aquí aparece lo que pospones; vuelve por sí solo.",
  "When someone writes under one of your posts, it appears here within minutes.":
    "Cuando alguien escribe en una de tus publicaciones, aparece aquí en unos minutos.",
  "Where the network can do that; what rules did is listed, with why something was not done.":
    "Donde la red lo permite; lo que hicieron las reglas se muestra en una lista, también por qué algo no se pudo.",
  "Which comments": "Qué comentarios",
  "Who takes care of it": "Quién se encarga",
  "Whoever was to take care of it does not see this client.": "Quien debía ocuparse no ve este cliente.",
  "Without text": "Sin texto",
  Words: "Palabras",
  "Your account": "Tu cuenta",
  "Your answer": "Tu respuesta",
  answered: "respondido",
  assigned: "asignado",
  "at {names}": "en {names}",
  "by {names}": "de {names}",
  "came back": "volvió",
  "comes back": "vuelve",
  "could not be hidden": "no se pudo ocultar",
  deleted: "eliminado",
  edited: "editado",
  hidden: "oculto",
  hide: "ocultar",
  "is being hidden": "se está ocultando",
  "is being sent": "se está enviando",
  "many|{n} comments would have met it.": "Se habría aplicado a {n} de comentarios.",
  "mark as done": "marcar como hecho",
  "marked as done": "marcado como hecho",
  "may have been sent: look at the network": "quizá enviado: míralo en la red",
  "not answered": "sin responder",
  "nothing was left to do": "ya no había nada que hacer",
  "of {names}": "para {names}",
  someone: "alguien",
  "tag: {tags}": "etiquetar: {tags}",
  tagged: "etiquetado",
  "waits for an approval": "espera una aprobación",
  "was not approved": "no se aprobó",
  "was not sent": "no se envió",
  "was sent": "se envió",
  "with {words}": "con {words}",
  "{count} characters left": "Quedan {count} caracteres",
  "{count} characters too many": "Sobran {count} caracteres",
  "{name} has answered, or is about to.": "{name} ha respondido o está a punto de hacerlo.",
  "{name} left, or may no longer do this. Whoever switches it on answers for it.":
    "{name} ya no está o ya no puede hacer esto. Quien la active responde por ella.",
  "{name} takes care of it": "{name} se encarga",
  "{n} comment would have met it.": "Se habría aplicado a {n} comentario.",
  "{n} comments would have met it.": "Se habría aplicado a {n} comentarios.",
  "{variable} becomes the name of whoever is answered.":
    "{variable} se convierte en el nombre de la persona a la que se responde.",
});
