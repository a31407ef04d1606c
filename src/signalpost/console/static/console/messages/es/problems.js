// Spanish of texts/problems.js.
export default /** @type {Record<string, string>} */ ({
  "A card is charged for this workspace, so it cannot simply go to someone else.":
    "Se cobra a una tarjeta por este espacio de trabajo, así que no puede pasar sin más a otra persona.",
  "A code of your authenticator app is needed.": "Hace falta un código de tu aplicación de autenticación.",
  "A new version was installed.": "Se ha instalado una versión nueva.",
  "A part of this page could not be loaded.": "No se ha podido cargar una parte de esta página.",
  "A network would refuse this post. Nothing was saved or sent.":
    "Una red rechazaría esta publicación. No se ha guardado ni enviado nada.",
  "A payment for the plan failed.": "Ha fallado un pago del plan.",
  "A piece of the file was damaged on its way.": "Una parte del archivo se ha dañado por el camino.",
  "A test key can use only the sandbox.": "Una clave de prueba solo puede usar el sandbox.",
  "A time zone is missing.": "Falta una zona horaria.",
  "A workspace always has an owner.": "Un espacio de trabajo siempre tiene un propietario.",
  "Add times to it, switch it on if it rests, or choose a time yourself.":
    "Añádele horas, actívala si descansa o elige tú una hora.",
  "Another program has made a post with this number already.":
    "Otro programa ya ha creado una publicación con este número.",
  "Answer later, or at the network.": "Responde más tarde o en la red.",
  "Ask a member of the workspace to invite you.": "Pide a un miembro del espacio de trabajo que te invite.",
  "Ask an owner or admin of the workspace.":
    "Pregunta a un propietario o administrador del espacio de trabajo.",
  "Ask whoever runs this service.": "Pregunta a quien gestiona este servicio.",
  "Ask whoever sent it for another one.": "Pide otra a quien te la envió.",
  "Billing shows the plans that do.": "En “Facturación” están los planes que lo incluyen.",
  "Change the card under Billing, then try again.":
    "Cambia la tarjeta en “Facturación” y vuelve a intentarlo.",
  "Change the text, or say that it is meant to appear twice.":
    "Cambia el texto o indica que debe aparecer dos veces.",
  "Change what is marked, then send it again.": "Cambia lo que está marcado y vuelve a enviarla.",
  "Check that the address shows the file itself, without a login, or upload the file.":
    "Comprueba que la dirección muestra el propio archivo, sin iniciar sesión, o sube el archivo.",
  "Check the spelling of the address. If it is new, try again in an hour.":
    "Comprueba cómo está escrita la dirección. Si es nueva, vuelve a intentarlo dentro de una hora.",
  "Check them. “Forgot your password?” on the page to sign in helps further.":
    "Compruébalos. “¿Has olvidado tu contraseña?”, en la página de inicio de sesión, te ayuda.",
  "Choose a later one, or publish it now.": "Elige una posterior o publica ahora.",
  "Choose a paid plan for one of them, or delete one.":
    "Elige un plan de pago para uno de ellos o elimina uno.",
  "Choose a shorter one.": "Elige uno más corto.",
  "Choose an earlier one, or keep the post as a draft until then.":
    "Elige una anterior o conserva la publicación como borrador hasta entonces.",
  "Choose another name.": "Elige otro nombre.",
  "Choose another one, or save it in another format, such as JPEG or MP4.":
    "Elige otro o guárdalo en otro formato, como JPEG o MP4.",
  "Choose fewer, and do the rest afterwards.": "Elige menos y haz el resto después.",
  "Choose the time zone of the time.": "Elige la zona horaria de la hora.",
  "Correct what is marked, then send it again.": "Corrige lo que está marcado y vuelve a enviarlo.",
  "Do it at the network itself.": "Hazlo en la propia red.",
  "End another link first. A client gets posts of one other client only.":
    "Termina antes otro vínculo. Un cliente recibe publicaciones de un solo cliente más.",
  "End the subscription with its period under Billing, or offer the payments with the ownership.":
    "Termina la suscripción con su período en “Facturación” u ofrece los pagos con la propiedad.",
  "Enter a card of your own under Billing; theirs is removed then.":
    "Añade una tarjeta propia en “Facturación”; entonces se quita la otra.",
  "Enter the code that the app shows, or a recovery code.":
    "Escribe el código que muestra la aplicación o un código de recuperación.",
  "Go back and look whether it was deleted, or belongs to a client that you do not see.":
    "Vuelve atrás y mira si se ha eliminado o pertenece a un cliente que no ves.",
  "If that was a mistake, start again in the terminal.":
    "Si fue un error, empieza de nuevo en el terminal.",
  "It is sent again. If this goes on, choose the file again.":
    "Se envía de nuevo. Si no se arregla, vuelve a elegir el archivo.",
  "Keep the current plan first, then choose the larger one again.":
    "Conserva primero el plan actual y después vuelve a elegir el mayor.",
  "Make a calendar link of your own.": "Crea tu propio enlace de calendario.",
  "Make a new one under Developers.": "Crea una nueva en “Desarrolladores”.",
  "Make another member the owner first, under Team.": "Haz antes propietario a otro miembro, en “Equipo”.",
  "Make it smaller, or send less at once.": "Hazlo más pequeño o envía menos a la vez.",
  "No feed can be read at this address.": "En esta dirección no se puede leer ningún feed.",
  "No plans are sold here: everything is included.": "Aquí no se venden planes: todo está incluido.",
  "Nobody can register here without an invitation.": "Nadie puede registrarse aquí sin una invitación.",
  "Nobody has decided about this terminal yet.": "Nadie ha decidido todavía sobre este terminal.",
  "Nothing of this post can be tried again.": "No hay nada de esta publicación que se pueda reintentar.",
  "Nothing was done. Reload the page to go on as they.":
    "No se ha hecho nada. Recarga la página para seguir como esa persona.",
  "Only what failed can. If it is unknown whether it is out, look at the account and say so.":
    "Solo se puede lo que ha fallado. Si no se sabe si ha salido, mira en la cuenta e indícalo.",
  "Open it under its usual address.": "Ábrelo en su dirección habitual.",
  "Open the address in a browser: enter that of a blog, or of its feed.":
    "Abre la dirección en un navegador: escribe la de un blog o la de su feed.",
  "Open the page that it names, and decide there.": "Abre la página que indica y decide allí.",
  "Pay the open invoice or change the card under Billing, then try again.":
    "Paga la factura abierta o cambia la tarjeta en “Facturación” y vuelve a intentarlo.",
  "Payments are not set up here, or not completely.":
    "Los pagos no están configurados aquí, o no del todo.",
  "Posts are waiting for this account.": "Hay publicaciones que esperan a esta cuenta.",
  "Read that answer first.": "Lee primero esa respuesta.",
  "Reload it, look at their change, and make yours again.":
    "Recárgala, mira ese cambio y vuelve a hacer el tuyo.",
  "Reload the page.": "Recarga la página.",
  "Reload the page and try again.": "Recarga la página y vuelve a intentarlo.",
  "Remove something, wait for the next month, or choose a larger plan under Billing.":
    "Quita algo, espera al mes que viene o elige un plan mayor en “Facturación”.",
  "Set it up under My account.": "Configúralo en “Mi cuenta”.",
  "Sign in again.": "Vuelve a iniciar sesión.",
  "Sign in with an e-mail address and a password.": "Inicia sesión con correo y contraseña.",
  "Signing in with another service is not set up here.":
    "Aquí no está configurado el inicio de sesión con otro servicio.",
  "Someone else has changed this meanwhile.": "Otra persona ha cambiado esto mientras tanto.",
  "Someone else has signed in in this browser meanwhile.":
    "Otra persona ha iniciado sesión en este navegador mientras tanto.",
  "Someone else's card pays for this workspace.":
    "La tarjeta de otra persona paga este espacio de trabajo.",
  "Someone has answered this comment, or is about to.":
    "Alguien ha respondido a este comentario o está a punto de hacerlo.",
  "Something has changed since the page was loaded: reload it and look.":
    "Algo ha cambiado desde que se cargó la página: recárgala y mira.",
  "Something is missing or not as it must be.": "Falta algo o no es como debe ser.",
  "Start again from the page of accounts. It has to be finished within ten minutes.":
    "Empieza de nuevo desde la página de cuentas. Hay que terminar en diez minutos.",
  "Start again from the page to sign in. If it happens again, ask whoever runs this service.":
    "Empieza de nuevo desde la página de inicio de sesión. Si vuelve a pasar, pregunta a quien gestiona este servicio.",
  "Start again in the terminal. A code works for ten minutes.":
    "Empieza de nuevo en el terminal. Un código sirve durante diez minutos.",
  "Take them off the queue or wait until they are out, then try again.":
    "Sácalas de la cola o espera a que hayan salido y vuelve a intentarlo.",
  "The account has answered too often within an hour: this person, in this thread or under this post.":
    "La cuenta ha respondido demasiadas veces en una hora: a esta persona, en este hilo o bajo esta publicación.",
  "The e-mail address, the password or the code is wrong.":
    "El correo, la contraseña o el código no son correctos.",
  "The file could not be fetched from this address.":
    "No se ha podido obtener el archivo de esta dirección.",
  "The file is being sent from somewhere else too.":
    "El archivo se está enviando también desde otro lugar.",
  "The network answered something unexpected.": "La red ha respondido algo inesperado.",
  "The payment failed, and nothing was changed.": "El pago ha fallado y no se ha cambiado nada.",
  "The queue has no free time within a year.": "La cola no tiene horas libres en un año.",
  "The same was posted to this account within the last day.":
    "Lo mismo se publicó en esta cuenta en el último día.",
  "The service cannot be reached.": "No se puede llegar al servicio.",
  "The service cannot do this right now.": "El servicio no puede hacerlo en este momento.",
  "The service for signing in cannot be reached.": "No se puede llegar al servicio de inicio de sesión.",
  "The service may not open this address.": "El servicio no puede abrir esta dirección.",
  "The sign-in was not accepted.": "El inicio de sesión no se ha aceptado.",
  "The terminal asks too often.": "El terminal pregunta con demasiada frecuencia.",
  "The terminal was refused its key.": "Se ha denegado la clave al terminal.",
  "There is no computer of this name in the internet.":
    "No hay ningún servidor con este nombre en internet.",
  "There is one with this name already.": "Ya hay uno con este nombre.",
  "There were too many wrong passwords for this e-mail address.":
    "Ha habido demasiadas contraseñas incorrectas para este correo.",
  "These clients cannot be linked so: posts would go round in a circle, or through too many clients.":
    "Estos clientes no se pueden vincular así: las publicaciones darían vueltas o pasarían por demasiados clientes.",
  "This API key no longer works.": "Esta clave de API ya no funciona.",
  "This cannot be done with a comment on that network.":
    "Esto no se puede hacer con un comentario en esa red.",
  "This code of a terminal no longer works.": "Este código de un terminal ya no funciona.",
  "This connection attempt has ended.": "Este intento de conexión ha terminado.",
  "This file cannot be used.": "Este archivo no se puede usar.",
  "This invitation has been used.": "Esta invitación ya se ha usado.",
  "This invitation has expired.": "Esta invitación ha caducado.",
  "This invitation was withdrawn.": "Esta invitación se ha retirado.",
  "This is more than is possible at once.": "Es más de lo que se puede a la vez.",
  "This is not here, or no longer.": "Esto no está aquí, o ya no.",
  "This is not possible as things are now.": "No es posible tal como están las cosas.",
  "This is still being done.": "Todavía se está haciendo.",
  "This is too large.": "Es demasiado grande.",
  "This network cannot be connected here yet.": "Esta red aún no se puede conectar aquí.",
  "This page sent something that the service does not understand.":
    "Esta página ha enviado algo que el servicio no entiende.",
  "This period is too long to search.": "Este período es demasiado largo para buscar.",
  "This search is too long.": "Esta búsqueda es demasiado larga.",
  "This service is not known under this address.": "Este servicio no se conoce en esta dirección.",
  "This time is more than a year ahead.": "Falta más de un año para esta hora.",
  "This time is over.": "Esta hora ya ha pasado.",
  "This was too much in a short time.": "Ha sido demasiado en poco tiempo.",
  "This workspace asks everyone for a second factor, and you have none.":
    "Este espacio de trabajo exige a todos un segundo factor, y no lo tienes.",
  "Try again in a minute, or sign in with a password.":
    "Vuelve a intentarlo en un minuto o inicia sesión con una contraseña.",
  "Try again in a minute.": "Vuelve a intentarlo en un minuto.",
  "Try again later.": "Vuelve a intentarlo más tarde.",
  "Try again. If it happens again, tell whoever runs this service; the details below help them.":
    "Vuelve a intentarlo. Si vuelve a pasar, avisa a quien gestiona este servicio; los detalles de abajo le ayudan.",
  "Use a live key for real accounts.": "Usa una clave real para las cuentas reales.",
  "Use a public address that begins with https.": "Usa una dirección pública que empiece por https.",
  "Use fewer or shorter words.": "Usa menos palabras o más cortas.",
  "Use the post that is there, or move it to the trash first.":
    "Usa la publicación que ya está o muévela antes a la papelera.",
  "Wait a few minutes, or choose a new password.": "Espera unos minutos o elige una contraseña nueva.",
  "Wait a minute, then try again.": "Espera un minuto y vuelve a intentarlo.",
  "Wait a moment, then go on.": "Espera un momento y continúa.",
  "Wait a moment; you need not send it again.": "Espera un momento; no hace falta que lo envíes de nuevo.",
  "Wait until that is done, or choose the file again.":
    "Espera a que termine o vuelve a elegir el archivo.",
  "What you typed is kept. It is sent when the network is back.":
    "Lo que escribiste se conserva. Se envía cuando vuelva la red.",
  "Whoever made this calendar link may no longer read its posts.":
    "Quien creó este enlace de calendario ya no puede leer sus publicaciones.",
  "Whoever runs this service has to set it up first.":
    "Quien gestiona este servicio tiene que configurarlo primero.",
  "You are no longer signed in.": "Tu sesión ya no está iniciada.",
  "You own as many free workspaces as one person may.":
    "Ya tienes tantos espacios de trabajo gratuitos como puede tener una persona.",
  "Your bank wants you to confirm the payment, and a planned change stands in the way.":
    "Tu banco quiere que confirmes el pago, y hay un cambio previsto que lo impide.",
  "Your plan allows no more of this.": "Tu plan no permite más.",
  "Your plan does not include this.": "Tu plan no lo incluye.",
  "Your role does not allow this.": "Tu rol no lo permite.",
  "This link needs a code that is mailed to one address.":
    "Este enlace necesita un código que se envía a una dirección de correo.",
  "Open its page, and have the code mailed.": "Abre su página y pide que se te envíe el código.",
  "This link has expired.": "Este enlace ha caducado.",
  "This link was withdrawn.": "Este enlace se ha retirado.",
  "Posts of this client are still to be published.": "Aún hay publicaciones de este cliente por publicar.",
  "Cancel what is not to go out, and end what repeats. Then archive the client.":
    "Cancele lo que no deba publicarse y termine lo que se repite. Después archive el cliente.",
  "This client is archived: nothing is written or published for it.":
    "Este cliente está archivado: no se escribe ni se publica nada para él.",
  "Restore it first, under Clients.": "Restáurelo primero en «Clientes».",
  "Another link page has this address, or had it before.":
    "Otra página de enlaces tiene esta dirección, o la tuvo antes.",
  "Choose another address.": "Elige otra dirección.",
  "Whoever made this link may no longer read these numbers.":
    "Quien creó este enlace ya no puede leer estas cifras.",
  "Make a link of your own.": "Crea un enlace propio.",
  "You are the only administrator of this installation.":
    "Eres la única persona que administra esta instalación.",
  "Whoever runs it makes another person one first.": "Quien la gestiona debe nombrar antes a otra persona.",
  "You own workspaces, which cannot be without an owner.":
    "Te pertenecen espacios de trabajo que no pueden quedarse sin propietario.",
  "Hand each over under Team, or have it deleted with your account.":
    "Cede cada uno en Equipo o haz que se elimine con tu cuenta.",
});
