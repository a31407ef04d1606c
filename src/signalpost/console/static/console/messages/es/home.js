// Spanish of pages/home.js.
export default /** @type {Record<string, string>} */ ({
  "A client": "Un cliente",
  "A post": "Una publicación",
  "All scheduled": "Todo lo programado",
  "An account": "Una cuenta",
  "Another client": "Otro cliente",
  "Connect the sandbox": "Conectar el sandbox",
  Decide: "Decidir",
  "Do not show again": "No volver a mostrar",
  "Everything would be lost with the disk.": "Con el disco se perdería todo.",
  "First steps": "Primeros pasos",
  "It was not published.": "No se ha publicado.",
  "Its access ends {when}.": "Su acceso termina {when}.",
  "Last 24 hours": "Últimas 24 horas",
  "Make a backup": "Hacer una copia de seguridad",
  "Next 24 hours": "Próximas 24 horas",
  "Nobody knows whether it was published. Look, then decide.":
    "Nadie sabe si se ha publicado. Míralo y después decide.",
  "Nothing is scheduled for the next 24 hours.": "No hay nada programado para las próximas 24 horas.",
  "Nothing needs you: all accounts work, and nothing failed in the last seven days.":
    "Nada te necesita: todas las cuentas funcionan y nada ha fallado en los últimos siete días.",
  "Nothing was published in the last 24 hours.": "No se ha publicado nada en las últimas 24 horas.",
  "Publish it now, or choose a time.": "Publícala ahora o elige una hora.",
  Repair: "Reparar",
  Repairs: "Por reparar",
  Resolve: "Resolver",
  soon: "pronto",
  Success: "Éxito",
  "The last notification of the provider of payments was refused.":
    "El último aviso del proveedor de pagos se rechazó.",
  "The newest stand here, too.": "Las más recientes aparecen también aquí.",
  "The plan allows no more than that.": "El plan no permite más.",
  "The provider of payments has never notified this installation.":
    "El proveedor de pagos nunca ha avisado a esta instalación.",
  "The sandbox is connected.": "El sandbox está conectado.",
  "The team": "El equipo",
  "The webhook was switched off because its server kept failing.":
    "El webhook se desactivó porque su servidor fallaba una y otra vez.",
  "There is no backup of this installation.": "No hay ninguna copia de seguridad de esta instalación.",
  "Those who write, approve or look, each with the rights they need.":
    "Quienes escriben, aprueban o consultan, cada cual con los permisos que necesita.",
  "What happened since would be lost with the disk.":
    "Con el disco se perdería lo ocurrido desde entonces.",
  "Where posts go. The sandbox is a network inside this service, to try things: it publishes nothing to the internet, and you disconnect it when you are done.":
    "A dónde van las publicaciones. El sandbox es una red dentro de este servicio, para probar: no publica nada en internet, y lo desconectas cuando termines.",
  "Whoever the accounts belong to: a brand, a shop, a person. Times are those of {zone}.":
    "A quién pertenecen las cuentas: una marca, un negocio, una persona. Las horas son las de {zone}.",
  "{name}: {used} of {max} used": "{name}: {used} de {max} usados",
  "{n} of {all} done": "{n} de {all} hechos",
  "{n} post waits for your decision": "{n} publicación espera tu decisión",
  "{n} posts wait for your decision": "{n} publicaciones esperan tu decisión",
  "many|{n} posts wait for your decision": "{n} de publicaciones esperan tu decisión",
  "{n} thing needs you": "{n} asunto te necesita",
  "{n} things need you": "{n} asuntos te necesitan",
  "many|{n} things need you": "{n} de asuntos te necesitan",
});
