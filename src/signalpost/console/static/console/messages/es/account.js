// Spanish of pages/account.js.
export default /** @type {Record<string, string>} */ ({
  "About me": "Sobre mí",
  "All keys": "Todas las claves",
  "API keys that I made": "Claves de API que he creado",
  "At least 10 characters.": "Al menos 10 caracteres.",
  "At least 10 characters. A few words are easier to remember than signs.":
    "Al menos 10 caracteres. Unas cuantas palabras se recuerdan mejor que los símbolos.",
  "By these, calendar programs show when posts go out.":
    "Con ellos, los programas de calendario muestran cuándo salen las publicaciones.",
  "Change the password": "Cambiar la contraseña",
  "Code of the app": "Código de la aplicación",
  "Code of the app, or a recovery code": "Código de la aplicación o código de recuperación",
  "Code to scan with a phone": "Código para escanear con el teléfono",
  Colours: "Colores",
  Dark: "Oscuro",
  Device: "Dispositivo",
  "Enter the code that the app shows.": "Escribe el código que muestra la aplicación.",
  "I have kept the codes": "He guardado los códigos",
  "If you do not know one of them: sign it out, then change your password.":
    "Si no reconoces alguna, cierra esa sesión y después cambia tu contraseña.",
  "It is on. If you lose the device, each of these codes lets you in once. Keep them elsewhere.":
    "Está activado. Si pierdes el dispositivo, cada uno de estos códigos te deja entrar una vez. Guárdalos en otro lugar.",
  Light: "Claro",
  "Link another messenger": "Vincular otra mensajería",
  "Link my messenger": "Vincular mensajería",
  "Messages from it become no posts any more. It can be linked again.":
    "Sus mensajes ya no se convierten en publicaciones. Se puede volver a vincular.",
  "New password": "Contraseña nueva",
  Next: "Siguiente",
  "not shown by the messenger": "el servicio de mensajería no lo muestra",
  Messenger: "Servicio de mensajería",
  "Open {name} here": "Abrir {name} aquí",
  "Or send {code} to {number}.": "O envía {code} a {number}.",
  "Post from your phone": "Publicar desde el teléfono",
  "Scan this with your authenticator app, or enter the key in it. Then enter the code that it shows.":
    "Escanea esto con tu aplicación de autenticación o escribe la clave en ella. Después escribe el código que muestra.",
  "Scan this with your phone, and send the message that it opens.":
    "Escanea esto con el teléfono y envía el mensaje que se abre.",
  "Scan this with your phone, and press Start in the chat that opens.":
    "Escanea esto con el teléfono y pulsa Iniciar en el chat que se abre.",
  "Scan this with your phone, and send the code to the app that opens.":
    "Escanea esto con el teléfono y envía el código a la aplicación que se abre.",
  "Send a text or a picture from a messenger, and it becomes a post.":
    "Envía un texto o una imagen desde un servicio de mensajería y se convierte en una publicación.",
  "Many people have this password. Choose another: a few words.":
    "Mucha gente usa esta contraseña. Elige otra: unas cuantas palabras.",
  "None.": "Ninguno.",
  "Set it up": "Configurar",
  "Sign out everywhere else": "Cerrar las demás sesiones",
  "Sign-in provider": "Proveedor de inicio de sesión",
  "Signed in": "Sesión iniciada",
  "Signed out in {n} other place.": "Sesión cerrada en {n} lugar más.",
  "Signed out in {n} other places.": "Sesión cerrada en {n} lugares más.",
  "many|Signed out in {n} other places.": "Sesión cerrada en {n} de lugares más.",
  "Signed out there.": "Esa sesión se ha cerrado.",
  "Signing in asks for a code of your authenticator app.":
    "Al iniciar sesión se pide un código de tu aplicación de autenticación.",
  "Signing in asks for the password only.": "Al iniciar sesión solo se pide la contraseña.",
  "Switch it off": "Desactivar",
  "Switch off the second factor?": "¿Desactivar el segundo factor?",
  System: "Sistema",
  "that of the workspace ({zone})": "la del espacio de trabajo ({zone})",
  "The password is changed. You are signed out everywhere else.":
    "La contraseña ha cambiado. Las demás sesiones se han cerrado.",
  "They act with your rights, as long as you have them.": "Actúan con tus permisos mientras los tengas.",
  "This browser": "Este navegador",
  "This code is wrong, or was used before. Wait for the next one.":
    "Este código es incorrecto o ya se ha usado. Espera al siguiente.",
  "This is not your password.": "Esta no es tu contraseña.",
  "This is the password that you have. Choose another one.":
    "Esta es la contraseña que ya tienes. Elige otra.",
  "this one": "esta",
  "Times are shown to you in it. The calendar and posts stay in those of workspace and client.":
    "Las horas se te muestran en ella. El calendario y las publicaciones siguen en las del espacio de trabajo y del cliente.",
  unknown: "desconocido",
  Unlink: "Desvincular",
  "Unlink the messenger?": "¿Desvincular el servicio de mensajería?",
  "What you send may do what you may do here.": "Lo que envíes puede hacer lo mismo que tú aquí.",
  "Where you are signed in": "Dónde tienes la sesión iniciada",
  "With an app that shows codes, a stolen password is not enough to sign in.":
    "Con una aplicación que muestra códigos, no basta con robar la contraseña para iniciar sesión.",
  "Works until": "Válido hasta",
  "Your messenger is linked.": "Tu servicio de mensajería está vinculado.",
  "You can also sign in with {name}, with the address {email}.":
    "También puedes iniciar sesión con {name}, con la dirección {email}.",
  "My data": "Mis datos",
  "Download my data": "Descargar mis datos",
  "Your data is saved as my-data.json.": "Tus datos se han guardado como my-data.json.",
  "Who you are here, your workspaces, where you are signed in, the keys that you made and your phone, as one file. What you wrote is in the export of the workspace.":
    "Quién eres aquí, tus espacios de trabajo, dónde has iniciado sesión, las claves que has creado y tu teléfono, en un archivo. Lo que has escrito está en la exportación del espacio de trabajo.",
  "You leave a workspace, or delete one that is yours, on its page Team.":
    "Un espacio de trabajo se abandona en su página Equipo; el propio se elimina allí.",
  "my-data.json is saved, but it is not whole: it names under “cut” what it has the newest of only.":
    "my-data.json está guardado, pero no completo: en «cut» indica de qué contiene solo lo más reciente.",
  "Mails to me": "Correos que recibo",
  "I am mailed about": "Recibo correos sobre",
  "Posts to approve": "Publicaciones por aprobar",
  "When posts wait for you, and again a day before their time.":
    "Cuando hay publicaciones que te esperan, y otra vez un día antes de su hora.",
  "Decisions on my posts": "Decisiones sobre mis publicaciones",
  "When someone approves, rejects or wants changes.": "Cuando alguien aprueba, rechaza o pide cambios.",
  "Mentions and messages": "Menciones y mensajes",
  "When someone names you, or a guest writes about your post.":
    "Cuando alguien te menciona o un invitado escribe sobre tu publicación.",
  "Accounts to connect again": "Cuentas que hay que volver a conectar",
  "When an account of your workspace stops working.": "Cuando una cuenta de tu espacio deja de funcionar.",
  "Feeds on hold": "Feeds detenidos",
  "When a feed of yours is not read any more.": "Cuando uno de tus feeds ya no se lee.",
  "Disabled webhooks": "Webhooks desactivados",
  "When a receiver of your workspace fails for days.":
    "Cuando un receptor de tu espacio falla durante días.",
  "Usage of the plan": "Uso del plan",
  "When a month’s limit of your workspace is almost or fully used.":
    "Cuando un límite mensual de tu espacio está casi agotado o agotado.",
  "Answers from support": "Respuestas de soporte",
  "When support answers one of your tickets.": "Cuando soporte responde a uno de tus tickets.",
  "Tickets of users": "Tickets de usuarios",
  "When a user writes to support, which you belong to.":
    "Cuando un usuario escribe a soporte, del que formas parte.",
  "Quiet hours": "Horas de silencio",
  "Such mails and notifications wait until they end. None is lost.":
    "Esos correos y notificaciones esperan hasta que terminen. No se pierde nada.",
  "Mails about signing in, passwords, leaked keys and payment always come, and at once.":
    "Los correos sobre el inicio de sesión, contraseñas, claves filtradas y pagos llegan siempre, y de inmediato.",
  "Quiet from": "Silencio desde",
  "Quiet until": "Silencio hasta",
  "You sign in with {name} as {email}.": "Inicias sesión con {name} como {email}.",
  "Unlink it": "Desvincularlo",
  "You sign in with your password only.": "Inicias sesión solo con tu contraseña.",
  "Unlink {name}?": "¿Desvincular {name}?",
  "You then sign in with your password. If you have none, choose one first: sign out, and ask for a new password.":
    "Después inicias sesión con tu contraseña. Si no tienes ninguna, elige una antes: cierra la sesión y pide una contraseña nueva.",
  "Save my choices": "Guardar mi elección",
  "Delete my account": "Eliminar mi cuenta",
  "Delete my account?": "¿Eliminar mi cuenta?",
  "You leave every workspace, and nothing lets you in any more. This cannot be undone.":
    "Abandonas todos los espacios de trabajo y ya nada te deja entrar. No se puede deshacer.",
  "Type your e-mail address: {email}": "Escribe tu dirección de correo: {email}",
  "Have none? Leave it empty, and sign in with your provider just before this.":
    "¿No tienes ninguna? Déjala vacía e inicia sesión con tu proveedor justo antes.",
  "Gone at once: where you are signed in, your password and second factor, the keys and links that you made, and your phone.":
    "Desaparecen al momento: tus sesiones, la contraseña y el segundo factor, las claves y los enlaces que has creado y tu teléfono.",
  "What you made for a workspace stays there, and within the hour without your name. Only its history keeps your name, for as long as it keeps entries: nobody can change it.":
    "Lo que has hecho para un espacio de trabajo sigue allí, y en menos de una hora sin tu nombre. Solo su historial lo conserva mientras guarda las entradas: nadie puede cambiarlo.",
  "Workspaces that you own": "Espacios de trabajo que te pertenecen",
  "Tick those that are deleted with your account. Hand the others over before:":
    "Marca los que se eliminan con tu cuenta. Cede antes los demás:",
  "Enter your password. If you have none: sign out, sign in again, and repeat this within 15 minutes.":
    "Escribe tu contraseña. Si no tienes ninguna: cierra la sesión, vuelve a iniciarla y repite esto en menos de 15 minutos.",
  "Notifications on my devices": "Notificaciones en mis dispositivos",
  "This browser does not let the console notify you. Allow it in its settings of this site.":
    "Este navegador no deja que la consola te envíe notificaciones. Permítelas en sus ajustes para este sitio.",
  "Add the console to the Home Screen, and open it from there: then it can notify you.":
    "Añade la consola a la pantalla de inicio y ábrela desde allí: entonces podrá enviarte notificaciones.",
  "This browser has no notifications for the console, or has them at an https address only.":
    "Este navegador no tiene notificaciones para la consola, o solo en una dirección https.",
  "The browser was not allowed to notify you.":
    "El navegador no tiene permiso para enviarte notificaciones.",
  "The push service of this browser cannot be reached, or is switched off in its settings.":
    "No se puede acceder al servicio push de este navegador, o está desactivado en sus ajustes.",
  "It is on its way.": "Está en camino.",
  "This device shows notifications, also while the console is closed.":
    "Este dispositivo muestra notificaciones, también con la consola cerrada.",
  "This device can show what waits for you while the console is closed.":
    "Este dispositivo puede mostrar lo que te espera mientras la consola está cerrada.",
  "The last one did not arrive: {reason}": "La última no llegó: {reason}",
  "Turn off on this device": "Desactivar en este dispositivo",
  "Turn on on this device": "Activar en este dispositivo",
  "Send a test": "Enviar una prueba",
  "My other devices": "Mis otros dispositivos",
  "Last notification": "Última notificación",
  "Turn off": "Desactivar",
  "My devices notify me about": "Mis dispositivos me avisan de",
  "Your quiet hours hold these, too. What is about one page comes once.":
    "Tus horas de silencio también las retienen. Lo que trata de una misma página llega una vez.",
  "Save what my devices show": "Guardar lo que muestran mis dispositivos",
  "Failed posts": "Publicaciones fallidas",
  "When a post of yours is not published, or only in part.":
    "Cuando una publicación tuya no sale, o solo en parte.",
});
