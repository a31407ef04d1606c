// Spanish of pages/approvals.js.
export default /** @type {Record<string, string>} */ ({
  "No post waits for a decision.": "Ninguna publicación espera una decisión.",
  "no time chosen": "sin hora elegida",
  "Nothing here": "No hay nada aquí",
  "Only posts that I wrote": "Solo publicaciones que he escrito",
  "Posts with this decision appear here.": "Aquí aparecen las publicaciones con esta decisión.",
  "to be published": "fecha de publicación",
  "{name} approved it.": "{name} la ha aprobado.",
  "All that wait in {month}": "Todas las pendientes de {month}",
  "Chosen ones": "Las elegidas",
  "If you enter one, opening the link needs a code that is mailed there.":
    "Si escribes una, para abrir el enlace hace falta un código que se envía a ella.",
  "It is shown only now. Whoever has it sees these posts and nothing else, and may decide on them.":
    "Solo se muestra ahora. Quien lo tenga ve estas publicaciones y nada más, y puede decidir sobre ellas.",
  "It works for": "Válido durante",
  "No links": "Sin enlaces",
  "Only for this e-mail address": "Solo para esta dirección de correo",
  "Opening it needs a code that is mailed to {email}.":
    "Para abrirlo hace falta un código que se envía a {email}.",
  "Posts that wait for approval": "Publicaciones que esperan aprobación",
  "Send a link to a client: they see what each network will show, and approve it or ask for changes, without a login.":
    "Envía un enlace a un cliente: ve lo que mostrará cada red y lo aprueba o pide cambios, sin iniciar sesión.",
  "{n} day": "{n} día",
  "{n} days": "{n} días",
  "many|{n} days": "{n} de días",
  "Sent links": "Enlaces enviados",
});
