"""What mails say in Spanish: English -> Spanish."""

from typing import Final

SPANISH: Final = {
    "Receive no more of these messages": "No recibir más mensajes como este",
    "To receive no more of these messages: {link}": "Para no recibir más mensajes como este: {link}",
    "Choose what you are mailed": "Elegir qué correos recibes",
    "Choose what you are mailed: {link}": "Elige qué correos recibes: {link}",
    "Posts wait for these accounts of the workspace {workspace}, or soon will:":
        "Hay publicaciones que esperan, o pronto esperarán, a estas cuentas del espacio de trabajo {workspace}:",
    "And {n} more.": "Y {n} más.",
    "{workspace}: 1 connected account needs attention": "{workspace}: una cuenta conectada necesita atención",
    "{workspace}: {n} connected accounts need attention": "{workspace}: {n} cuentas conectadas necesitan atención",
    "Connect it again. It keeps its posts.": "Vuelve a conectarla. Conserva sus publicaciones.",
    "Find out at the network why it is blocked. The service looks again by itself.":
        "Averigua en la red por qué está bloqueada. El servicio vuelve a mirar por sí solo.",
    "Its token ends within a week and cannot be renewed. Connect it again before that.":
        "Su acceso caduca dentro de una semana y no se puede renovar. Vuelve a conectarla antes.",
    "The {network} account {username} of the workspace {workspace} was connected again, at another server than "
    "before.":
        "La cuenta {username} de {network} del espacio de trabajo {workspace} se ha vuelto a conectar, en otro "
        "servidor que antes.",
    "Before: {server}": "Antes: {server}",
    "Now: {server}": "Ahora: {server}",
    "What is published as this account goes to the new server from now on. If you did not expect this, disconnect "
    "the account and change its password at the network.":
        "Lo que se publica con esta cuenta va desde ahora al nuevo servidor. Si no lo esperabas, desconecta la "
        "cuenta y cambia su contraseña en la red.",
    "An account of {workspace} is at another server now": "Una cuenta de {workspace} está ahora en otro servidor",
    "{source} reports that the secret of the app “{name}” of the workspace {workspace} can be read by others. It was "
    "revoked at once: the app gets 401 when it asks for tokens. What people allowed it stays.":
        "{source} avisa de que otros pueden leer el secreto de la aplicación «{name}» del espacio de trabajo "
        "{workspace}. Se ha revocado al momento: la aplicación recibe 401 cuando solicita accesos. Lo que las "
        "personas le permitieron se mantiene.",
    "Found at: {url}": "Encontrado en: {url}",
    "Give the app another secret in the console, under Developers, Apps.":
        "Da a la aplicación otro secreto en la consola, en Desarrolladores, Aplicaciones.",
    "A secret of {workspace} was found in public and revoked": "Un secreto de {workspace} era público y se ha revocado",
    "{workspace} asks you to approve posts for {profile}. Enter this code on the page that you opened:":
        "{workspace} te pide que apruebes publicaciones de {profile}. Escribe este código en la página que has "
        "abierto:",
    "It works for twelve hours. If you did not open the page, you can ignore this message.":
        "Sirve durante doce horas. Si no has abierto la página, puedes ignorar este mensaje.",
    "Your code: {code}": "Tu código: {code}",
    "{name} approved your post.": "{name} ha aprobado tu publicación.",
    "It is published {time}.": "Se publica: {time}.",
    "It is published now.": "Se publica ahora.",
    "{name} rejected your post. It is not published.": "{name} ha rechazado tu publicación. No se publica.",
    "{name} asks you to change your post. It is not published until then.":
        "{name} solicita cambios en tu publicación. Hasta entonces no se publica.",
    "Approved: {title}": "Aprobada: {title}",
    "Rejected: {title}": "Rechazada: {title}",
    "Changes requested: {title}": "Cambios solicitados: {title}",
    "In the workspace {workspace}, this waits for your decision and is due within a day:":
        "En el espacio de trabajo {workspace}, esto espera tu decisión y está previsto para menos de un día:",
    "In the workspace {workspace}, this waits for your decision:":
        "En el espacio de trabajo {workspace}, esto espera tu decisión:",
    "For {client}; {name} asks.": "Para {client}; lo pide {name}.",
    "Someone": "Alguien",
    "To be published {time}.": "Prevista: {time}.",
    "All of them:": "Todas:",
    "{workspace}: 1 post waits for your decision, due within a day":
        "{workspace}: una publicación espera tu decisión, prevista para menos de un día",
    "{workspace}: {n} posts wait for your decision, due within a day":
        "{workspace}: {n} publicaciones esperan tu decisión, previstas para menos de un día",
    "{workspace}: 1 post waits for your decision": "{workspace}: una publicación espera tu decisión",
    "{workspace}: {n} posts wait for your decision": "{workspace}: {n} publicaciones esperan tu decisión",
    "Everything that the workspace {workspace} has is in one file now. Sign in and download it under Team until "
    "{time}. After that it is removed.":
        "Todo lo que tiene el espacio de trabajo {workspace} está ahora en un archivo. Inicia sesión y descárgalo en "
        "Equipo hasta {time}. Después se elimina.",
    "Nobody but its owner can ask for an export. If that was not you, end your sessions and change your password.":
        "Solo su propietario puede pedir una exportación. Si no has sido tú, cierra tus sesiones y cambia tu "
        "contraseña.",
    "The export of {workspace} is ready": "La exportación de {workspace} está lista",
    "The feed {feed} of the workspace {workspace} makes no more posts until someone has looked at it:":
        "El feed {feed} del espacio de trabajo {workspace} no crea más publicaciones hasta que alguien lo revise:",
    "Address: {url}": "Dirección: {url}",
    "Go on with it under Feeds in the console.": "Continúa con él en la consola, en Feeds.",
    "The feed {feed} of {workspace} is held": "El feed {feed} de {workspace} está detenido",
    "More new items came at once than it may post in a day. Look at them, then go on with or without them.":
        "Han llegado de una vez más entradas nuevas de las que puede publicar en un día. Revísalas y continúa con "
        "ellas o sin ellas.",
    "Whoever set it up may no longer write such posts. Someone who may goes on with it.":
        "Quien lo creó ya no puede escribir estas publicaciones. Alguien que pueda tiene que continuar con él.",
    "None of its accounts is connected any more. Choose others, then go on.":
        "Ninguna de sus cuentas sigue conectada. Elige otras y continúa.",
    "Its server says that the feed is gone for good.": "Su servidor dice que el feed ya no existe.",
    "The plan has no room for this feed any more.": "El plan ya no tiene sitio para este feed.",
    "{owner} wants you to own the workspace {workspace}, and to pay for it from the next payment on. Nothing is "
    "charged now.":
        "{owner} quiere que el espacio de trabajo {workspace} sea tuyo y que lo pagues desde el próximo pago. Ahora "
        "no se cobra nada.",
    "Sign in within {days} days, open Billing, and enter a card:":
        "Inicia sesión en los próximos {days} días, abre Facturación y añade una tarjeta:",
    "The workspace becomes yours then, and the card of {owner} is removed. If you do nothing, everything stays as it "
    "is.":
        "Entonces el espacio de trabajo será tuyo y se quitará la tarjeta de {owner}. Si no haces nada, todo sigue "
        "como está.",
    "{owner} offers you the workspace {workspace}": "{owner} te ofrece el espacio de trabajo {workspace}",
    "{source} reports that the access of the app “{name}” of the workspace {workspace} can be read by others. It was "
    "revoked at once, with the keys that it created: what uses it gets 401 now.":
        "{source} avisa de que otros pueden leer el acceso de la aplicación «{name}» del espacio de trabajo "
        "{workspace}. Se ha revocado al momento, con las claves que creó: lo que lo usa recibe ahora 401.",
    "{source} reports that the live API key “{name}” of the workspace {workspace} can be read by others. It was "
    "revoked at once, with the keys that it created: what uses it gets 401 now.":
        "{source} avisa de que otros pueden leer la clave de API real «{name}» del espacio de trabajo {workspace}. "
        "Se ha revocado al momento, con las claves que creó: lo que la usa recibe ahora 401.",
    "{source} reports that the test API key “{name}” of the workspace {workspace} can be read by others. It was "
    "revoked at once, with the keys that it created: what uses it gets 401 now.":
        "{source} avisa de que otros pueden leer la clave de API de prueba «{name}» del espacio de trabajo "
        "{workspace}. Se ha revocado al momento, con las claves que creó: lo que la usa recibe ahora 401.",
    "With it ended what acts for it: numbers of the messenger and invitations that it made. Webhooks that it made "
    "are paused: enable those that are yours, which sends what they missed.":
        "Con ella ha terminado lo que actúa en su nombre: los números de mensajería y las invitaciones que creó. Los "
        "webhooks que creó están en pausa: activa los que sean tuyos y se enviará lo que se perdieron.",
    "Posts that it scheduled and that still wait: {n}. They go out as planned unless you cancel them: look at them "
    "first.":
        "Publicaciones que programó y que todavía esperan: {n}. Salen según lo previsto si no las cancelas: "
        "revísalas antes.",
    "Create another key where you need one, and look into the audit log of the workspace whether the old one was "
    "used by someone else.":
        "Crea otra clave donde la necesites y mira en el registro de auditoría del espacio de trabajo si alguien más "
        "usó la anterior.",
    "The {number} was linked to you in the workspace {workspace}, with the API key “{key}”.":
        "En el espacio de trabajo {workspace} se ha vinculado contigo, con la clave de API «{key}»: {number}.",
    "The {number} was linked to you in the workspace {workspace}.":
        "En el espacio de trabajo {workspace} se ha vinculado contigo: {number}.",
    "Who writes from it posts in your name.": "Quien escribe desde ahí publica en tu nombre.",
    "It replaces the {number}, which can do nothing any more.": "Sustituye a lo que ya no puede hacer nada: {number}.",
    "If you did not do this: revoke that key, which ends the link too, and look into the audit log.":
        "Si no has sido tú: revoca esa clave, lo que también termina el vínculo, y mira en el registro de auditoría.",
    "If you did not do this: unlink it under My account in the console and choose a new password, which ends the "
    "link too.":
        "Si no has sido tú: quita el vínculo en la consola, en Mi cuenta, y elige una contraseña nueva, lo que "
        "también lo termina.",
    "It has now sent a code of another person, so it is linked to them, and posts nothing in your name any more.":
        "Ahora ha enviado el código de otra persona, así que está vinculado con ella y ya no publica nada en tu "
        "nombre.",
    "A messenger was linked to you in {workspace}": "Se ha vinculado contigo una mensajería en {workspace}",
    "Your messenger is no longer linked to {workspace}": "Tu mensajería ya no está vinculada a {workspace}",
    "The workspace {workspace} went from {owner} to {successor}.":
        "El espacio de trabajo {workspace} ha pasado de {owner} a {successor}.",
    "You own it now: you decide about its members and its plan.":
        "Ahora es tuyo: decides sobre sus miembros y su plan.",
    "What is paid runs on; Billing shows whose card pays:":
        "Lo que está pagado sigue; en Facturación se ve qué tarjeta paga:",
    "You are an admin of it now. Your card is not charged for it any more.":
        "Ahora eres administrador. Ya no se cobra de tu tarjeta.",
    "What you have paid runs on until the end of its period, unless {successor} pays on.":
        "Lo que has pagado sigue hasta el final de su periodo, salvo que {successor} siga pagando.",
    "{workspace} belongs to {successor} now": "{workspace} pertenece ahora a {successor}",
    "Your account is deleted": "Tu cuenta está eliminada",
    "The account of {email} was deleted, by someone who was signed in to it and confirmed it.":
        "La cuenta de {email} la ha eliminado alguien que había iniciado sesión en ella y lo confirmó.",
    "What you made in the workspaces of others stays there, without your name. The address is free for a new "
    "account.":
        "Lo que hiciste en los espacios de trabajo de otros sigue allí, sin tu nombre. La dirección queda libre "
        "para una cuenta nueva.",
    "If it was not you: someone knows your password, so change it wherever you use it, and write to those who "
    "run {link}. They see in the history from where it was done.":
        "Si no has sido tú: alguien conoce tu contraseña. Cámbiala en todos los sitios donde la uses y escribe a "
        "quienes gestionan {link}. En el historial ven desde dónde se hizo.",
    "Someone, probably you, requested a new password for {email}.":
        "Alguien, probablemente tú, ha solicitado una contraseña nueva para {email}.",
    "Choose it here within {minutes} minutes:": "Elígela aquí en los próximos {minutes} minutos:",
    "Choose a new password": "Elige una contraseña nueva",
    "If it was not you, you can ignore this message: your password stays the same.":
        "Si no has sido tú, puedes ignorar este mensaje: tu contraseña sigue siendo la misma.",
    "{name} mentions you in the discussion of a post:": "{name} te menciona en la conversación de una publicación:",
    "{name} wrote about a post by its link for approval:":
        "{name} ha escrito sobre una publicación desde su enlace de aprobación:",
    "{name} about: {title}": "{name} sobre: {title}",
    "Someone, probably you, wants the news about the status of this service at this address.":
        "Alguien, probablemente tú, quiere recibir en esta dirección las noticias sobre el estado de este servicio.",
    "Confirm it here within {days} days:": "Confírmalo aquí en los próximos {days} días:",
    "Confirm the subscription": "Confirmar la suscripción",
    "If it was not you, you can ignore this message: nothing more will follow.":
        "Si no has sido tú, puedes ignorar este mensaje: no llegará nada más.",
    "Confirm your subscription to the service status": "Confirma tu suscripción al estado del servicio",
    "The status of the service:": "El estado del servicio:",
    "{inviter} invites you to the workspace {workspace}, with the role {role}.":
        "{inviter} te invita al espacio de trabajo {workspace}, con el rol de {role}.",
    "Accept or decline the invitation within {days} days:":
        "Acepta o rechaza la invitación en los próximos {days} días:",
    "Look at the invitation": "Ver la invitación",
    "If you do not know who this is, you can ignore this message.":
        "Si no sabes quién es, puedes ignorar este mensaje.",
    "{inviter} invites you to {workspace}": "{inviter} te invita a {workspace}",
    "admin": "administrador",
    "editor": "editor",
    "contributor": "colaborador",
    "approver": "aprobador",
    "viewer": "lector",
    "Support wrote about your ticket {number}, {subject}:":
        "El soporte ha escrito sobre tu consulta {number}, {subject}:",
    "The status of your ticket {number}, {subject}, is now: {status}.":
        "El estado de tu consulta {number}, {subject}, es ahora: {status}.",
    "To answer:": "Para responder:",
    "Ticket {number} is {status}: {subject}": "Consulta {number}: {status}. {subject}",
    "{name} wrote about ticket {number}, {subject}:": "{name} ha escrito sobre la consulta {number}, {subject}:",
    "Ticket {number}, {status}: {subject}": "Consulta {number}, {status}: {subject}",
    "open": "abierta",
    "in progress": "en curso",
    "waiting on user": "a la espera de tu respuesta",
    "resolved": "resuelta",
    "closed": "cerrada",
    "planned": "prevista",
    "shipped": "publicada",
    "declined": "rechazada",
    "investigating": "en investigación",
    "identified": "causa encontrada",
    "monitoring": "en observación",
    "scheduled": "anunciada",
    "verifying": "en comprobación",
    "completed": "terminada",
    "The workspace {workspace} has used {used} of {maximum} {what} of this month (plan {plan}).":
        "El espacio de trabajo {workspace} ha usado {used} de {maximum} {what} de este mes (plan {plan}).",
    "Until the next month begins (UTC), or until it has a larger plan, further ones are refused.":
        "Hasta que empiece el próximo mes (UTC), o hasta que tenga un plan mayor, se rechazan las demás.",
    "{workspace} has used all of its {what} this month": "{workspace} ha usado todas sus {what} de este mes",
    "{workspace} has used 80 % of its {what} this month": "{workspace} ha usado el 80 % de sus {what} de este mes",
    "posts": "publicaciones",
    "captions by AI": "descripciones de IA",
    "The webhook {webhook} of the workspace {workspace} was disabled: its last {n} deliveries failed for good, and "
    "none succeeded for {days} days.":
        "El webhook {webhook} del espacio de trabajo {workspace} se ha desactivado: sus últimas {n} entregas "
        "fallaron definitivamente y ninguna salió bien en {days} días.",
    "Nothing is sent to it, and new events are kept for 30 days. When the receiver works again, enable it in the "
    "console under Developers, Webhooks, which sends what it missed.":
        "No se le envía nada, y los eventos nuevos se guardan durante 30 días. Cuando el receptor vuelva a "
        "funcionar, actívalo en la consola, en Desarrolladores, Webhooks, y se enviará lo que se perdió.",
    "A webhook of {workspace} was disabled": "Se ha desactivado un webhook de {workspace}",
    "Your workspace {workspace} is ready. Sign in as {email}, connect an account, and write the first post:":
        "Tu espacio de trabajo {workspace} está listo. Inicia sesión como {email}, conecta una cuenta y escribe la "
        "primera publicación:",
    "Programs publish too, with an API key that you make there. The documentation shows how:":
        "Los programas también publican, con una clave de API que creas ahí. La documentación explica cómo:",
    "Welcome, {workspace} is ready": "Te damos la bienvenida: {workspace} está listo",
    "{profile}: your report for {month}": "{profile}: tu informe de {month}",
    "How the posts of {profile} did in {month}, with what was seen most:":
        "Cómo fueron las publicaciones de {profile} en {month}, con lo más visto:",
    "Open the report": "Abrir el informe",
    "Whoever has this link reads the report. It comes from {workspace}.":
        "Quien tenga este enlace puede leer el informe. Lo envía {workspace}.",
    "January": "enero",
    "February": "febrero",
    "March": "marzo",
    "April": "abril",
    "May": "mayo",
    "June": "junio",
    "July": "julio",
    "August": "agosto",
    "September": "septiembre",
    "October": "octubre",
    "November": "noviembre",
    "December": "diciembre",
    "Notifications work here": "Las notificaciones funcionan aquí",
    "So you will see what waits for you.": "Así verás lo que te espera.",
    "Published only in part: {title}": "Publicada solo en parte: {title}",
    "Not published: {title}": "No publicada: {title}",
    "Your post for {client} did not go out at:": "Tu publicación para {client} no ha salido en:",
    "What you can do stands at the post:": "Lo que puedes hacer está en la publicación:",
}  # fmt: skip
