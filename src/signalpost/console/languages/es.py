"""What the pages of the service say in Spanish, beside the console: English -> Spanish.

Neutral Spanish that is at home in Spain and in Latin America, with *tú*. The words are those of
`static/console/messages/es/frame.js`.
"""

from typing import Final

from signalpost.console.languages.language import Language

_TEXTS: Final = {
    # How people come in: registering, signing in, invitations, connecting an account, allowing an app.
    "Skip to content": "Ir al contenido",
    "Write a post": "Crear publicación",
    "Calendar": "Calendario",
    "Inbox": "Bandeja de entrada",
    "Docs": "Documentación",
    "Console": "Consola",
    "Register": "Registrarse",
    "Your name": "Tu nombre",
    "E-mail": "Correo electrónico",
    "Password": "Contraseña",
    "10 to 200 characters": "De 10 a 200 caracteres",
    "Workspace": "Espacio de trabajo",
    "For example, the name of your company": "Por ejemplo, el nombre de tu empresa",
    "I have an account": "Ya tengo una cuenta",
    "Sign in": "Iniciar sesión",
    "Sign in with {provider}": "Iniciar sesión con {provider}",
    "The e-mail or the password is not right.": "El correo o la contraseña no son correctos.",
    "Enter the code of your authenticator app.": "Escribe el código de tu aplicación de autenticación.",
    "Too many attempts. Try again in a few minutes.": "Demasiados intentos. Vuelve a intentarlo en unos minutos.",
    "or with a password": "o con una contraseña",
    "I use a second factor": "Uso un segundo factor",
    "Code": "Código",
    "From your authenticator app, or a recovery code": "De tu aplicación de autenticación, o un código de recuperación",
    "Forgot your password?": "¿Has olvidado tu contraseña?",
    "The operator of this instance sets a new one with": "El operador de esta instancia crea una nueva con",
    "Your account is deleted.": "Tu cuenta está eliminada.",
    "The workspace is deleted. The operator of this instance can restore it until {day}.":
        "El espacio de trabajo se ha eliminado. El operador de esta instancia puede restaurarlo hasta el {day}.",
    "Invitation": "Invitación",
    "Join {workspace}?": "¿Unirte a {workspace}?",
    "A member": "Un miembro",
    "{name} invites {email} to this workspace, with the role {role}.":
        "{name} invita a {email} a este espacio de trabajo, con el rol de {role}.",
    "admin": "administrador",
    "editor": "editor",
    "contributor": "colaborador",
    "approver": "aprobador",
    "viewer": "lector",
    "Name": "Nombre",
    "Only if you are new here": "Solo si es tu primera vez aquí",
    "The one of your account with this address; if you have none, choose 10 to 200 characters":
        "La de tu cuenta con esta dirección; si no la tienes, elige de 10 a 200 caracteres",
    "Only if your account asks for codes of an authenticator app":
        "Solo si tu cuenta pide códigos de una aplicación de autenticación",
    "Accept": "Aceptar",
    "Decline": "Rechazar",
    "New here?": "¿Es tu primera vez aquí?",
    "to accept without a password.": "para aceptar sin contraseña.",
    "You joined the workspace": "Te has unido al espacio de trabajo",
    "You are a member of {workspace} now. Sign in as {email}.":
        "Ya eres miembro de {workspace}. Inicia sesión como {email}.",
    "You declined the invitation": "Has rechazado la invitación",
    "Nothing else happens.": "No pasa nada más.",
    "Connect {network}": "Conectar {network}",
    "Connect your {network} account?": "¿Conectar tu cuenta de {network}?",
    "{name} asks to publish with your account. Continue only if you know them and expected this.":
        "{name} pide publicar con tu cuenta. Continúa solo si sabes quién es y lo esperabas.",
    "Client": "Cliente",
    "Requested by": "Lo pide",
    "API key": "Clave de API",
    "Network": "Red",
    "{network}, at {host}": "{network}, en {host}",
    "Connects again": "Vuelve a conectar",
    "Returns to": "Vuelve a",
    "After this, everyone who may publish in this workspace can post as you, until the account is disconnected"
    " here or you withdraw the credentials there.":
        "Después, quienes pueden publicar en este espacio de trabajo podrán hacerlo en tu nombre, hasta que la cuenta"
        " se desconecte aquí o retires allí las credenciales.",
    "If you did not expect this, close the page: nothing has been connected. The link works until {until}.":
        "Si no lo esperabas, cierra la página: no se ha conectado nada. El enlace funciona hasta {until}.",
    "{host} will ask you to sign in and to agree. After that, everyone who may publish in this workspace can post"
    " as you, until the account is disconnected here or you withdraw your consent there.":
        "{host} te pedirá que inicies sesión y des tu consentimiento. Después, quienes pueden publicar en este espacio"
        " de trabajo podrán hacerlo en tu nombre, hasta que la cuenta se desconecte aquí o retires allí tu"
        " consentimiento.",
    "Continue to {host}": "Continuar a {host}",
    "If you did not expect this, close the page: nothing has been connected. The link works until {until} and in"
    " one browser.":
        "Si no lo esperabas, cierra la página: no se ha conectado nada. El enlace funciona hasta {until} y en un solo"
        " navegador.",
    "This request of an app cannot be answered": "No se puede responder a esta solicitud de una aplicación",
    "No app here has this client_id. It may have been deleted; start again in the app.":
        "Ninguna aplicación tiene aquí este client_id. Puede que se haya eliminado; empieza de nuevo en la aplicación.",
    "The redirect_uri is none of those that the app has registered. Nothing was sent there.":
        "La redirect_uri no es ninguna de las que ha registrado la aplicación. No se ha enviado nada allí.",
    "You cannot allow this": "No puedes permitirlo",
    "For this, your role needs API keys, and you need the second factor if it is required. Ask an admin.":
        "Para esto tu rol necesita claves de API, y tú el segundo factor si se exige. Pregunta a un administrador.",
    "Allow {app}?": "¿Permitir {app}?",
    "{app} asks to act for you. Continue only if you know it and started this there.":
        "{app} pide actuar en tu nombre. Continúa solo si la conoces y has empezado esto allí.",
    "App": "Aplicación",
    "You are": "Tu usuario",
    "We have not verified who is behind this app. Anyone can choose a name.":
        "No hemos verificado quién está detrás de esta aplicación. Cualquiera puede elegir un nombre.",
    "Another workspace": "Otro espacio de trabajo",
    "Change": "Cambiar",
    "What it can do then": "Qué podrá hacer",
    "Your role allows nothing of what it asks for.": "Tu rol no permite nada de lo que pide.",
    "All clients that you see": "Todos los clientes que ves",
    "It never does more than you may do. You end this at any time in the console, under Developers.":
        "Nunca hace más de lo que puedes hacer tú. Puedes ponerle fin en cualquier momento en la consola, en"
        " Desarrolladores.",
    "Allow": "Permitir",
    "Do not allow": "No permitir",
    "See clients and their settings": "Ver los clientes y sus ajustes",
    "Create, change and delete clients and their queues": "Crear, cambiar y eliminar clientes y sus colas",
    "See connected accounts": "Ver las cuentas conectadas",
    "Connect accounts and change them": "Conectar cuentas y cambiarlas",
    "See posts, drafts and what the team says about them":
        "Ver publicaciones, borradores y lo que el equipo dice de ellos",
    "Create and change drafts": "Crear y cambiar borradores",
    "Schedule and publish posts without asking you again": "Programar y publicar sin volver a preguntarte",
    "See what people write under posts": "Ver lo que la gente escribe bajo las publicaciones",
    "Answer, hide, like and delete comments under posts":
        "Responder, ocultar, marcar como me gusta y eliminar comentarios",
    "Upload pictures and videos": "Subir imágenes y vídeos",
    "See the numbers of posts and accounts": "Ver los números de publicaciones y cuentas",
    "See webhooks": "Ver los webhooks",
    "Have events of this workspace sent to addresses of its choice":
        "Hacer que los eventos de este espacio de trabajo se envíen a las direcciones que elija",
    "Invite others to connect their accounts": "Invitar a otros a conectar sus cuentas",
    "Write to support": "Escribir a soporte",
    # The first user, a new password, a guest who connects accounts, and what has no place of its own.
    "Status": "Estado",
    "Back to the start page": "Volver a la página de inicio",
    "First run": "Primer inicio",
    "Create the first user": "Crear el primer usuario",
    "You will own the first workspace. The console opens next.":
        "Serás el propietario del primer espacio de trabajo. Después se abre la consola.",
    "Create user and workspace": "Crear usuario y espacio de trabajo",
    "This link is no longer valid": "Este enlace ya no es válido",
    "A first-run link works once, within 30 minutes, and only as long as no user exists.":
        "Un enlace de primer inicio funciona una vez, durante 30 minutos, y solo mientras no exista ningún usuario.",
    "If no user exists yet, restart the service to get a new link. Otherwise, ask the owner to invite you.":
        "Si aún no existe ningún usuario, reinicia el servicio para obtener otro. Si no, pide al propietario"
        " que te invite.",
    "Or create another user and workspace in a terminal of the machine on which the service runs:":
        "O crea otro usuario con su espacio de trabajo en un terminal de la máquina del servicio:",
    "Nobody can register here": "Aquí no se puede registrar nadie",
    "Ask a member of the workspace that you want to join for an invitation.":
        "Pide una invitación a un miembro del espacio de trabajo al que quieres unirte.",
    "You receive a link by which you choose a new one. It works once, within 30 minutes.":
        "Recibes un enlace para elegir otra. Funciona una vez, durante 30 minutos.",
    "Send the link": "Enviar el enlace",
    "This is not an e-mail address.": "Esto no es una dirección de correo.",
    "Look into your mailbox": "Mira en tu correo",
    "If a user has this e-mail address, a link to choose a new password is on its way, or there already.":
        "Si un usuario tiene esta dirección de correo, un enlace para elegir otra contraseña va en camino o"
        " ya ha llegado.",
    "Ask the operator of this instance to set a new one with `signalpost users reset-password`.":
        "Pide al operador de esta instancia que cree una nueva con `signalpost users reset-password`.",
    "A link to choose a new password works once, within 30 minutes.":
        "Un enlace para elegir otra contraseña funciona una vez, durante 30 minutos.",
    "Request another one from the page where you sign in.": "Pide otro en la página de inicio de sesión.",
    "New password": "Contraseña nueva",
    "Choose a new password": "Elige una contraseña nueva",
    "All your sessions end. API keys keep working.":
        "Todas tus sesiones terminan. Las claves de API siguen funcionando.",
    "Choose another one: 10 to 200 characters, and not one that many people have.":
        "Elige otra: de 10 a 200 caracteres, y que no la use mucha gente.",
    "Set the password": "Guardar la contraseña",
    "Your new password is set": "Tu contraseña nueva está guardada",
    "All sessions have ended: sign in again with the new password. API keys keep working.":
        "Todas las sesiones han terminado: inicia sesión con la contraseña nueva. Las claves de API siguen"
        " funcionando.",
    "A link to connect an account works in one browser, within ten minutes.":
        "Un enlace para conectar una cuenta funciona en un solo navegador, durante diez minutos.",
    "Nothing was connected. Ask for another link.": "No se ha conectado nada. Pide otro enlace.",
    "Choose what to connect": "Elige qué conectar",
    "{network} lets you post to these. Posts go only to what you choose.":
        "{network} te deja publicar en estos lugares. Las publicaciones solo van a lo que elijas.",
    "You may not post there: ask whoever manages it.": "No puedes publicar allí: pregunta a quien lo gestiona.",
    "{name}: connect your accounts": "{name}: conecta tus cuentas",
    "Connect your accounts to {profile}": "Conecta tus cuentas a {profile}",
    "{name} of {workspace} asks to publish with your accounts.":
        "{name}, de {workspace}, pide publicar con tus cuentas.",
    "Continue only if you know them and expected this.": "Continúa solo si sabes quién es y lo esperabas.",
    "Your server": "Tu servidor",
    "Your server, if it is not that of {network} itself": "Tu servidor, si no es el de la propia {network}",
    "Connected.": "Conectada.",
    "It cannot be connected at the moment.": "No se puede conectar en este momento.",
    "The invitation works until {until}. Opening it does not use it up.":
        "La invitación funciona hasta {until}. Abrirla no la gasta.",
    "This invitation is over": "Esta invitación ha terminado",
    "It has expired.": "Ha caducado.",
    "It was withdrawn.": "Se ha retirado.",
    "It has been used.": "Ya se ha usado.",
    "Ask {name} for another one.": "Pide otra a {name}.",
    # Approval by link.
    "Posts for {profile}": "Publicaciones de {profile}",
    "with Signalpost": "con Signalpost",
    "{workspace} asks you to look at these posts before they are published.":
        "{workspace} te pide que revises estas publicaciones antes de que salgan.",
    "This link works until {until}.": "Este enlace funciona hasta {until}.",
    "There is no post to show here any more.": "Aquí ya no hay ninguna publicación que mostrar.",
    "To be published {when}": "Programada para el {when}",
    "No time chosen": "Sin hora elegida",
    "Waits for your decision": "Espera tu decisión",
    "Approved": "Aprobada",
    "Changes requested": "Cambios solicitados",
    "Rejected": "Rechazada",
    "Nothing to decide": "Nada que decidir",
    "{name}, {when}": "{name}, {when}",
    "at {when}": "el {when}",
    "Part {number}": "Parte {number}",
    "First comment": "Primer comentario",
    "Settings": "Ajustes",
    "No text": "Sin texto",
    "Picture {number}": "Imagen {number}",
    "Video {number}": "Vídeo {number}",
    "It has no picture description.": "No tiene descripción de la imagen.",
    "A note to the team": "Una nota para el equipo",
    "Approve": "Aprobar",
    "Ask for changes": "Pedir cambios",
    "Reject": "Rechazar",
    "Only comment": "Solo comentar",
    "Comments": "Comentarios",
    "Write what you want to say.": "Escribe lo que quieres decir.",
    "More posts": "Más publicaciones",
    "yes": "sí",
    "no": "no",
    "This post was changed since you opened the page. This is how it is now: please read it again.":
        "Esta publicación ha cambiado desde que abriste la página. Así es ahora: vuelve a leerla, por favor.",
    "It could not be done. If it still waits for you, ask for changes: the team sees what is wrong.":
        "No se ha podido hacer. Si todavía te espera, pide cambios: el equipo ve qué falla.",
    "Enter your name: the team sees who decided.": "Escribe tu nombre: el equipo ve quién ha decidido.",
    "Too much text: a note has at most 2,000 characters, a name 100.":
        "Demasiado texto: una nota tiene 2000 caracteres como máximo; un nombre, 100.",
    "This link does not exist": "Este enlace no existe",
    "Check that it was copied completely.": "Comprueba que se haya copiado entero.",
    "This link has expired": "Este enlace ha caducado",
    "This link was withdrawn": "Este enlace se ha retirado",
    "Ask whoever sent it for another one.": "Pide otro a quien te lo envió.",
    "Too many requests": "Demasiadas solicitudes",
    "Wait a minute, then open the link again.": "Espera un minuto y vuelve a abrir el enlace.",
    "This link is for one person": "Este enlace es para una sola persona",
    "A code is mailed to the address for which the link was made.":
        "Se envía un código a la dirección para la que se creó el enlace.",
    "A code was mailed to {email}.": "Se ha enviado un código a {email}.",
    "Mail me a code": "Enviarme un código",
    "Continue": "Continuar",
    "This is not the code, or too many were wrong. Have another one mailed.":
        "Este no es el código, o ha habido demasiados incorrectos. Pide que se te envíe otro.",
    "Too many codes were mailed. Try again in an hour.":
        "Se han enviado demasiados códigos. Vuelve a intentarlo en una hora.",
    # The status page, and what it says to whoever subscribes.
    "Service status": "Estado del servicio",
    "All systems are operational": "Todos los sistemas funcionan",
    "Maintenance is under way": "Mantenimiento en curso",
    "Some systems are slower than usual": "Algunos sistemas van más lentos de lo habitual",
    "Some systems are partly down": "Algunos sistemas fallan en parte",
    "Some systems are down": "Algunos sistemas están caídos",
    "The status is not known at this moment": "El estado no se conoce en este momento",
    "Operational": "Operativo",
    "Maintenance": "Mantenimiento",
    "Degraded": "Degradado",
    "Partial outage": "Interrupción parcial",
    "Major outage": "Interrupción grave",
    "Investigating": "En investigación",
    "Identified": "Causa encontrada",
    "Monitoring": "En observación",
    "Resolved": "Resuelta",
    "Scheduled": "Anunciada",
    "In progress": "En curso",
    "Verifying": "En comprobación",
    "Completed": "Terminada",
    "As of {at}.": "Actualizado: {at}.",
    "Subscribe by e-mail, webhook or feed": "Suscribirse por correo, webhook o feed",
    "Subscribe by webhook or feed": "Suscribirse por webhook o feed",
    "Nothing has been measured since {at}: posts and webhooks may be late.":
        "No se ha medido nada desde {at}: las publicaciones y los webhooks pueden retrasarse.",
    "This is the last copy of the page: at this moment the service cannot read its database.":
        "Esta es la última copia de la página: en este momento el servicio no puede leer su base de datos.",
    "Planned maintenance": "Mantenimiento planificado",
    "The last 90 days": "Los últimos 90 días",
    "90 days ago": "hace 90 días",
    "30 days ago": "hace 30 días",
    "Today": "Hoy",
    "No data yet": "Todavía sin datos",
    "{percent} uptime": "{percent} de disponibilidad",
    "{percent} available in 90 days": "{percent} de disponibilidad en 90 días",
    "1 day with trouble": "1 día con problemas",
    "{n} days with trouble": "{n} días con problemas",
    "Subscribe": "Suscribirse",
    "For programs and readers of news:": "Para programas y lectores de noticias:",
    "Webhook": "Webhook",
    "Atom feed": "Feed Atom",
    "Past incidents": "Incidentes anteriores",
    "None in the last 30 days.": "Ninguno en los últimos 30 días.",
    "Subscribe to the service status": "Suscribirse al estado del servicio",
    "Hear of incidents, planned maintenance and changes of components.":
        "Entérate de los incidentes, los mantenimientos planificados y los cambios de los componentes.",
    "By e-mail": "Por correo",
    "The first mail has a link to confirm; every later one has a link that ends it.":
        "El primer correo lleva un enlace para confirmar; cada uno de los siguientes, uno que pone fin a la"
        " suscripción.",
    "By webhook": "Por webhook",
    "A public https address receives `status.incident` and `status.component`, signed. No account is needed:":
        "Una dirección https pública recibe `status.incident` y `status.component`, firmados. No hace falta"
        " ninguna cuenta:",
    "It gets one delivery of the type `status.confirm` first: with its token, sent to"
    " `/status/subscriptions/confirm` within an hour, it says that it wants news.":
        "Primero recibe una entrega del tipo `status.confirm`: con la clave que lleva, enviada a"
        " `/status/subscriptions/confirm` en el plazo de una hora, confirma que quiere noticias.",
    "With `componentIds` it hears only of these.": "Con `componentIds` solo recibe noticias de estos.",
    "The reference says more.": "La referencia dice más.",
    "By feed": "Por feed",
    "Readers of news take this feed:": "Los lectores de noticias usan este feed:",
    "Back to the status": "Volver al estado",
    "Confirm by the link in your mailbox": "Confirma con el enlace que está en tu buzón",
    "A mail with a link is on its way, unless you have confirmed before. The link works for {days} days.":
        "Un correo con un enlace está en camino, salvo que ya hayas confirmado. El enlace funciona durante {days}"
        " días.",
    "Incidents and maintenance are mailed to you. Every mail has a link that ends it.":
        "Recibirás por correo los incidentes y los mantenimientos. Cada correo lleva un enlace para dejar de"
        " recibirlos.",
    "You are subscribed: incidents and maintenance will be mailed to you.":
        "Ya tienes la suscripción: recibirás por correo los incidentes y los mantenimientos.",
    "Unsubscribe from the service status": "Cancelar la suscripción al estado del servicio",
    "Incidents and maintenance are no longer mailed to you.":
        "Dejarás de recibir por correo los incidentes y los mantenimientos.",
    "Unsubscribe": "Cancelar la suscripción",
    "You are unsubscribed: no more mails will follow.": "Tu suscripción ha terminado: no llegarán más correos.",
    "There is no such subscription. Subscribe again on the status page.":
        "Esa suscripción no existe. Vuelve a suscribirte en la página de estado.",
    "This link no longer works": "Este enlace ya no funciona",
    "API": "API",
    "Requests to the API.": "Peticiones a la API.",
    "Dashboard": "Consola",
    "The web pages.": "Las páginas web.",
    "Publishing queue": "Cola de publicación",
    "Posts go out at their time.": "Las publicaciones salen a su hora.",
    "Webhooks": "Webhooks",
    "Events are delivered.": "Los eventos se entregan.",
    "Media": "Archivos",
    "Uploads and files.": "Subidas y archivos.",
    # Reports by link, and link pages.
    "Latest posts": "Últimas publicaciones", "This page does not exist": "Esta página no existe",
    "Check that its address was copied completely.": "Comprueba que la dirección se haya copiado entera.",
    "Month": "Mes", "Show": "Mostrar",
    "The first days of this month are not shown.": "Los primeros días de este mes no se muestran.",
    "Nothing was published in this month.": "En este mes no se publicó nada.",
    "Percentages: against as many days before.": "Porcentajes: respecto a los mismos días anteriores.",
    "Day by day": "Día a día", "Posts by day, at most {n}.": "Publicaciones por día, {n} como máximo.",
    "Most seen": "Lo más visto", "Post without text": "Publicación sin texto", "By network": "Por red",
    "Posts": "Publicaciones", "Followers": "Seguidores", "New followers": "Seguidores nuevos", "Account": "Cuenta",
    "Everything that was published": "Todo lo que se publicó", "Published": "Publicado", "Post": "Publicación",
    "The month has more posts than are shown here.": "El mes tiene más publicaciones de las que se muestran.",
    "No more reports by mail?": "¿No recibir más informes por correo?",
    "The link to the report goes on to work.": "El enlace al informe sigue funcionando.",
    "No more mails of this kind reach you.": "Ya no te llegarán correos de este tipo.",
    "You are unsubscribed": "Te has dado de baja",
    "No more reports for {profile} will be mailed to you.": "Ya no recibirás informes de {profile} por correo.",
    "Views": "Visualizaciones", "Likes": "Me gusta", "Shares": "Veces compartida", "Engagement": "Interacción",
    "{n} views": "{n} visualizaciones", "{n} posts": "{n} publicaciones",
    "The month is not over: these are its numbers until today.":
        "El mes no ha terminado: estos son sus datos hasta hoy.",
    "Views by the day on which posts went out, at most {n}.":
        "Visualizaciones por día de publicación, {n} como máximo.",
    "What a network does not give is not counted as 0. Days are those of {zone}.":
        "Lo que una red no da no cuenta como 0. Los días son los de {zone}.",
}  # fmt: skip

SPANISH: Final = Language(
    name="Español",
    months=("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"),
    long_months=(
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ),
    weekdays=("lun", "mar", "mié", "jue", "vie", "sáb", "dom"),
    date="{weekday}, {day} {month} {year}",
    decimal=",",
    thousands=".",
    grouped_from=10_000,
    texts=_TEXTS,
)
