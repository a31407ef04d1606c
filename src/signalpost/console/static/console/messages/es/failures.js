// Spanish of texts/failures.js.
export default /** @type {Record<string, string>} */ ({
  "A file could not be read.": "No se ha podido leer un archivo.",
  "A file is too large for this network.": "Un archivo es demasiado grande para esta red.",
  "A file of the post is missing.": "Falta un archivo de la publicación.",
  "Another post has its time now.": "Otra publicación ocupa ahora su hora.",
  "Approval was requested again; there is nothing to do.":
    "Se ha vuelto a pedir la aprobación; no hay nada que hacer.",
  "Change the post, then send it again.": "Cambia la publicación y vuelve a enviarla.",
  "Check it again later.": "Compruébalo de nuevo más tarde.",
  "Choose a larger plan under Billing, or remove what is too much, then try again.":
    "Elige un plan mayor en “Facturación” o quita lo que sobra, y vuelve a intentarlo.",
  "Choose another board, channel or community, then send it again.":
    "Elige otro tablero, canal o comunidad y vuelve a enviarla.",
  "Choose the time zone of the client.": "Elige la zona horaria del cliente.",
  "Choose “Next free slot” again.": "Elige otra vez “Próxima franja libre”.",
  "Connect it again and agree to everything that is asked for, then try again.":
    "Conéctala de nuevo y acepta todo lo que se pide; después vuelve a intentarlo.",
  "Connect it again and agree to everything that is asked for.":
    "Conéctala de nuevo y acepta todo lo que se pide.",
  "Connect the account again before that.": "Antes de eso, vuelve a conectar la cuenta.",
  "Connect the account again; what waits is then published. Try again what failed.":
    "Vuelve a conectar la cuenta; lo que espera se publica entonces. Reintenta lo que ha fallado.",
  "Connect the same account again, then try again.":
    "Conecta la misma cuenta otra vez y vuelve a intentarlo.",
  "Delete it at the network, or delete the post here once more, also at the networks.":
    "Elimínala en la red, o elimina aquí la publicación otra vez, también en las redes.",
  "Delete it at the network, or try to remove it here once more.":
    "Elimínala en la red, o intenta retirarla aquí otra vez.",
  "It is tried again. If this stays, connect the account again.":
    "Se vuelve a intentar. Si no se arregla, conecta la cuenta de nuevo.",
  "It is unknown whether the post was published.": "No se sabe si la publicación ha salido.",
  "Look at the account and say whether it is there; nothing is sent again before that.":
    "Mira en la cuenta y di si está; antes no se vuelve a enviar nada.",
  "Look at the account first; change the text if it is meant to appear twice.":
    "Mira primero en la cuenta; cambia el texto si debe aparecer dos veces.",
  "Make it public at the network.": "Hazla pública en la red.",
  "No time zone was named, so UTC is taken.": "No se indicó ninguna zona horaria, así que se usa UTC.",
  "Nothing was posted. Try again when it is back.":
    "No se ha publicado nada. Vuelve a intentarlo cuando funcione.",
  "Nothing was posted. Try again.": "No se ha publicado nada. Vuelve a intentarlo.",
  "Open the page of the account to see why.": "Abre la página de la cuenta para ver por qué.",
  "Publish it now, or choose another time.": "Publícala ahora o elige otra hora.",
  "Replace it with a smaller one.": "Sustitúyelo por uno más pequeño.",
  "Replace it with another kind, such as JPEG or MP4.": "Sustitúyelo por otro tipo, como JPEG o MP4.",
  "Resume it on its page; what waits is then published.":
    "Reanúdala en su página; lo que espera se publica entonces.",
  "Shorten it for this account, then send it again.": "Acórtalo para esta cuenta y vuelve a enviarla.",
  "Sign in at the network and do what it asks for, then try again.":
    "Inicia sesión en la red, haz lo que pide y vuelve a intentarlo.",
  "Someone who approves decides before it goes out.": "Alguien que aprueba decide antes de que salga.",
  "Subscribe to it at the network, then try again.": "Suscríbete a él en la red y vuelve a intentarlo.",
  "The account cannot publish right now.": "La cuenta no puede publicar en este momento.",
  "The account could not be checked.": "No se ha podido comprobar la cuenta.",
  "The account did not allow this kind of post.": "La cuenta no permitió este tipo de publicación.",
  "The account has used up what the network allows in a day.":
    "La cuenta ha agotado lo que la red permite en un día.",
  "The account is no longer connected.": "La cuenta ya no está conectada.",
  "The account is paused.": "La cuenta está en pausa.",
  "The client of this post was deleted.": "El cliente de esta publicación se ha eliminado.",
  "The clocks change at this time.": "A esta hora cambian los relojes.",
  "The connection could not be renewed last time.": "La última vez no se pudo renovar la conexión.",
  "The connection ends within a week, and cannot be renewed by itself.":
    "La conexión termina en menos de una semana y no se puede renovar sola.",
  "The connection to the account has expired.": "La conexión con la cuenta ha caducado.",
  "The network already has this post.": "La red ya tiene esta publicación.",
  "The network asks for a paid plan for this.": "La red exige un plan de pago para esto.",
  "The network could not be reached.": "No se ha podido llegar a la red.",
  "The network could not process a file.": "La red no ha podido procesar un archivo.",
  "The network does not let this account post.": "La red no deja publicar a esta cuenta.",
  "The network does not take this kind of file.": "La red no acepta este tipo de archivo.",
  "The network keeps this account waiting.": "La red hace esperar a esta cuenta.",
  "The network keeps this post private until it has checked the app of this service.":
    "La red mantiene esta publicación en privado hasta que haya revisado la aplicación de este servicio.",
  "The network refused the content.": "La red ha rechazado el contenido.",
  "The network restricts this account at the moment.": "La red restringe esta cuenta por ahora.",
  "The network takes no more posts at the moment.": "La red no acepta más publicaciones por ahora.",
  "The network was not available.": "La red no estaba disponible.",
  "The place to post to is not there.": "El lugar donde se iba a publicar no existe.",
  "The plan does not cover this account or client.": "El plan no cubre esta cuenta o este cliente.",
  "The post could not be removed from the network.": "No se ha podido retirar la publicación de la red.",
  "The post is being removed from a network.": "La publicación se está retirando de una red.",
  "The post shows the moment that is taken.": "La publicación muestra el momento que se usa.",
  "The post stays at a network, since nobody asked for it to be removed there.":
    "La publicación se queda en una red, porque nadie pidió retirarla de allí.",
  "The post waits for approval.": "La publicación espera aprobación.",
  "The post was changed while it waited for approval.":
    "La publicación se cambió mientras esperaba aprobación.",
  "The post was removed from a network.": "La publicación se ha retirado de una red.",
  "The post was stopped when a part of it was public already.":
    "La publicación se detuvo cuando una parte ya era pública.",
  "The text is too long for this network.": "El texto es demasiado largo para esta red.",
  "The time for this post passed before it could be published.":
    "La hora de esta publicación pasó antes de que pudiera salir.",
  "There is nothing to do: it goes out by itself.": "No hay nada que hacer: sale por sí sola.",
  "Try again later, and leave more time between posts of this account.":
    "Vuelve a intentarlo más tarde y deja más tiempo entre las publicaciones de esta cuenta.",
  "Try again to publish the rest, or delete it also at the networks.":
    "Reintenta para publicar el resto, o elimínala también en las redes.",
  "Try again tomorrow.": "Vuelve a intentarlo mañana.",
  "Try again; if it fails again, tell whoever runs this service.":
    "Vuelve a intentarlo; si falla otra vez, avisa a quien gestiona este servicio.",
  "Try again; if it fails again, upload the file again.":
    "Vuelve a intentarlo; si falla otra vez, sube de nuevo el archivo.",
  "Try again; if it fails again, use an MP4 or a JPEG.":
    "Vuelve a intentarlo; si falla otra vez, usa un MP4 o un JPEG.",
  "Upload it again, add it to the post, then send it again.":
    "Súbelo otra vez, añádelo a la publicación y vuelve a enviarla.",
  "Write the post again for another client.": "Escribe la publicación otra vez para otro cliente.",
});
