// Spanish of pages/team.js.
export default /** @type {Record<string, string>} */ ({
  "A mail with this link is on its way.": "Un correo con este enlace va en camino.",
  "Addresses to return to after connecting": "Direcciones a las que volver tras conectar",
  Admin: "Administrador",
  "An operator makes a workspace of it again, here or elsewhere, with: signalpost workspaces import. Nothing is published by that.":
    "Un operador vuelve a hacer de él un espacio de trabajo, aquí o en otro lugar, con: signalpost workspaces import. Con eso no se publica nada.",
  Approver: "Aprobador",
  "Cancel the subscription first": "Cancela primero la suscripción",
  Contributor: "Colaborador",
  "Copy the link": "Copiar el enlace",
  "Create it": "Crearlo",
  "Danger zone": "Zona de peligro",
  "Delete the workspace": "Eliminar el espacio de trabajo",
  "Delete the workspace: nobody gets in any more and nothing is published. For 30 days an operator can restore it; after that posts, files, accounts, members, keys and history are erased.":
    "Eliminar el espacio de trabajo: ya nadie entra y no se publica nada. Durante 30 días un operador puede restaurarlo; después se borran publicaciones, archivos, cuentas, miembros, claves e historial.",
  Download: "Descargar",
  Editor: "Editor",
  "Everything of the workspace in one file that other programs read: posts, files, numbers, people, history. It has no secrets, but personal data: keep it safe.":
    "Todo el espacio de trabajo en un archivo que leen otros programas: publicaciones, archivos, números, personas, historial. No contiene secretos, pero sí datos personales: guárdalo bien.",
  "Export again": "Exportar de nuevo",
  "Export it first, if anything in it may be needed again.":
    "Expórtalo antes, por si algo de él vuelve a hacer falta.",
  "Export the workspace": "Exportar el espacio de trabajo",
  History: "Historial",
  Invite: "Invitar",
  "It cannot go to someone else while your card is charged for it. Offer it to {name} together with the payments: it moves when they have entered a card, and yours is removed. Nobody pays twice. Or cancel the subscription first.":
    "No puede pasar a otra persona mientras se cobre a tu tarjeta. Ofréceselo a {name} junto con los pagos: se traspasa cuando haya añadido una tarjeta, y la tuya se quita. Nadie paga dos veces. O cancela primero la suscripción.",
  "It has members, clients and a plan of its own.": "Tiene sus propios miembros, clientes y plan.",
  "It is being made; you can leave this page. A mail says when it is ready.":
    "Se está preparando; puedes salir de esta página. Un correo avisa cuando esté listo.",
  Keep: "Conservar",
  "Last active": "Última actividad",
  Leave: "Salir",
  "Leave this workspace": "Salir de este espacio de trabajo",
  "Leave {name}?": "¿Salir de {name}?",
  "Let in again": "Volver a admitir",
  "Make the owner": "Hacer propietario",
  "Make {name} the owner?": "¿Hacer propietario a {name}?",
  "New workspace": "Espacio de trabajo nuevo",
  "No mail was sent. Send this link yourself:": "No se ha enviado ningún correo. Envía tú este enlace:",
  "Offer it with the payments": "Ofrecerlo con los pagos",
  "One per line; for programs that connect accounts.":
    "Una por línea; para programas que conectan cuentas.",
  "Other workspaces": "Otros espacios de trabajo",
  "Ready: {size}": "Listo: {size}",
  "Remove {name}?": "¿Quitar a {name}?",
  "Show the last export": "Ver la última exportación",
  Stay: "Quedarme",
  Suspend: "Suspender",
  "Take the workspace along": "Llévate el espacio de trabajo",
  "The last export failed. Try again, or ask the people who run this service.":
    "La última exportación falló. Vuelve a intentarlo o pregunta a quienes gestionan este servicio.",
  "The last export has been removed.": "La última exportación se ha retirado.",
  "Their sessions and keys for this workspace end at once. What they wrote stays.":
    "Sus sesiones y claves de este espacio de trabajo terminan enseguida. Lo que escribió se queda.",
  "There is no export yet.": "Aún no hay ninguna exportación.",
  "Times are shown in it. Posts that wait keep their moment.":
    "Las horas se muestran en ella. Las publicaciones en espera conservan su momento.",
  "Type the name of the workspace: {name}": "Escribe el nombre del espacio de trabajo: {name}",
  Viewer: "Lector",
  "What each role may do": "Qué puede hacer cada rol",
  "What waits to be published is not published. Programs with keys of this workspace are refused from now on.":
    "Lo que espera a publicarse no se publica. Los programas con claves de este espacio de trabajo se rechazan a partir de ahora.",
  Who: "Quién",
  "You become an admin. Only {name} can give it back.":
    "Pasas a ser administrador. Solo {name} puede devolverlo.",
  "You no longer see it, and your keys for it end. What you wrote stays. Only an invitation brings you back.":
    "Ya no lo ves, y tus claves para él terminan. Lo que escribiste se queda. Solo puedes volver con una invitación.",
  "Your card pays for this workspace": "Tu tarjeta paga este espacio de trabajo",
  "everything, and gives the workspace to another": "todo, y cede el espacio de trabajo a otra persona",
  "everything, but not the owner's rights": "todo, menos los derechos del propietario",
  "kept until": "se guarda hasta",
  made: "creada",
  reads: "lee",
  "reads, and approves posts": "lee y aprueba publicaciones",
  "writes and publishes, connects accounts, makes keys": "escribe y publica, conecta cuentas, crea claves",
  "writes; someone else approves": "escribe; aprueba otra persona",
  you: "tú",
  "{name} can take it over now, under Billing.": "{name} ya puede asumirlo, en Facturación.",
  "{name} is no longer a member.": "{name} ya no es miembro.",
  "{name} owns the workspace now.": "El espacio de trabajo es ahora de {name}.",
});
