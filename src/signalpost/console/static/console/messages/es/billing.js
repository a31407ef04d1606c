// Spanish of pages/billing.js.
export default /** @type {Record<string, string>} */ ({
  "1, not at all": "1, nada",
  "5, very much": "5, muchísimo",
  "A payment failed. Pay the open invoice or change the card.":
    "Ha fallado un pago. Paga la factura abierta o cambia la tarjeta.",
  "A payment failed. The plan stays in force until {day} ({when}); then the workspace has the plan Free. Pay the open invoice or change the card.":
    "Ha fallado un pago. El plan sigue vigente hasta el {day} ({when}); después el espacio de trabajo pasa al plan Free. Paga la factura abierta o cambia la tarjeta.",
  "Ask the owner of the workspace about its plan.":
    "Pregunta al propietario del espacio de trabajo por su plan.",
  "Cancel the subscription": "Cancelar la suscripción",
  "Captions by AI a month": "Textos de IA al mes",
  "Cards and invoices": "Tarjetas y facturas",
  "Change the plan": "Cambiar el plan",
  "Change to {plan}": "Cambiar a {plan}",
  "Confirm it by {when}: the page opens in another tab, and this one follows by itself. Until then nothing is charged, and the plan stays as it is.":
    "Confírmalo antes de {when}: la página se abre en otra pestaña y esta se actualiza sola. Hasta entonces no se cobra nada y el plan sigue igual.",
  "Confirm the payment": "Confirmar el pago",
  "Continue it": "Continuarla",
  Decline: "Rechazar",
  "Drop the change": "Descartar el cambio",
  "Enter a card": "Añadir una tarjeta",
  "Everything is unlimited.": "Todo es ilimitado.",
  "Go to the payment": "Ir al pago",
  "How do you like it?": "¿Qué te parece?",
  "In your own words": "Con tus propias palabras",
  "It begins at once. The rest of the period is paid now, minus what was paid already.":
    "Empieza enseguida. El resto del período se paga ahora, menos lo que ya está pagado.",
  "It begins on {day}, at the end of the period that is paid. Until then everything stays as it is.":
    "Empieza el {day}, al final del período pagado. Hasta entonces todo sigue igual.",
  "It ends on {day}; what is paid stays in force until then. You can continue it before.":
    "Termina el {day}; lo pagado sigue vigente hasta entonces. Antes puedes continuarla.",
  "Keep the current one": "Conservar el actual",
  "Next payment on {day}.": "Próximo pago el {day}.",
  "Nothing changes at the end of the period.": "Al final del período no cambia nada.",
  "On {day} the plan becomes {plan}.": "El {day} el plan pasa a ser {plan}.",
  "Only owners and admins see this": "Solo los propietarios y administradores ven esto",
  "Only the owner can change it.": "Solo el propietario puede cambiarlo.",
  "Only the person whose card pays can confirm it.": "Solo puede confirmarlo la persona cuya tarjeta paga.",
  Paid: "Importe pagado",
  "Pay by month": "Pagar por mes",
  "Pay by year": "Pagar por año",
  Plans: "Planes",
  "Posts a month": "Publicaciones al mes",
  "Posts of each account in the last 24 hours. The networks set these limits.":
    "Publicaciones de cada cuenta en las últimas 24 horas. Estos límites los ponen las redes.",
  "Quotas of the networks": "Límites de las redes",
  "Take the offer back": "Retirar la oferta",
  "Tell us what you think": "Cuéntanos qué te parece",
  "Thank you. People read it.": "Gracias. Lo leen personas.",
  "Thank you. The plan is in force as soon as the payment is confirmed; this page follows by itself.":
    "Gracias. El plan entra en vigor en cuanto se confirme el pago; esta página se actualiza sola.",
  "Thank you. The plan is in force.": "Gracias. El plan está en vigor.",
  "The offer has ended.": "La oferta ha terminado.",
  "The payment page opens. The plan is in force when the payment is confirmed.":
    "Se abre la página de pago. El plan entra en vigor cuando se confirme el pago.",
  "The plan changes at the end of the period.": "El plan cambia al final del período.",
  "The plan stays as it is.": "El plan sigue igual.",
  "The plan {plan} is in force.": "El plan {plan} está en vigor.",
  "The subscription continues.": "La suscripción continúa.",
  "The subscription ends with its period.": "La suscripción termina con su período.",
  "The subscription has ended.": "La suscripción ha terminado.",
  "The subscription is cancelled and ends on {day}. Until then everything stays as it is.":
    "La suscripción está cancelada y termina el {day}. Hasta entonces todo sigue igual.",
  "The subscription is paused.": "La suscripción está en pausa.",
  "The trial ends on {day}. Then the first payment is made.":
    "La prueba termina el {day}. Entonces se hace el primer pago.",
  "This installation sells no plans: every workspace has all features, without limits.":
    "Esta instalación no vende planes: cada espacio de trabajo tiene todas las funciones, sin límites.",
  "Upgrade to {plan}": "Mejorar a {plan}",
  "What is it about?": "¿De qué se trata?",
  "What is more than the plan allows stays, but nothing can be added until it fits.":
    "Lo que supera el plan se queda, pero no se puede añadir nada hasta que quepa.",
  "Why?": "¿Por qué?",
  "You are offered this workspace. Enter a card by {day}: it pays from the next payment on, and the workspace becomes yours. Nothing is charged now.":
    "Se te ofrece este espacio de trabajo. Añade una tarjeta antes del {day}: paga a partir del próximo pago y el espacio de trabajo pasa a ser tuyo. Ahora no se cobra nada.",
  "Your bank wants you to confirm the payment for {plan}.":
    "Tu banco quiere que confirmes el pago de {plan}.",
  "Your card pays for this workspace, which belongs to another person.":
    "Tu tarjeta paga este espacio de trabajo, que pertenece a otra persona.",
  "Your plan": "Tu plan",
  "a month": "al mes",
  "a year": "al año",
  "by month": "por mes",
  "by year": "por año",
  "it does not work well": "no funciona bien",
  "limit not known": "límite desconocido",
  "no answer": "sin respuesta",
  "not in this plan": "no incluido en este plan",
  recommended: "recomendado",
  "something else": "otra cosa",
  "something is missing": "falta algo",
  "the end of the period": "el final del período",
  "too expensive": "demasiado caro",
  unlimited: "ilimitado",
  "until {day}": "hasta {day}",
  "used up": "agotado",
  "we do not use it": "no lo usamos",
  "we use something else": "usamos otra cosa",
  yours: "el tuyo",
  "{brand} card that ends in {last4}, valid until {month}/{year}":
    "Tarjeta {brand} terminada en {last4}, válida hasta {month}/{year}",
  "{name} has paid until {day}. Enter a card of your own to go on.":
    "{name} ha pagado hasta el {day}. Añade una tarjeta propia para continuar.",
  "{name} is offered this workspace until {day}. It moves when a card is entered; yours is removed then.":
    "{name} puede hacerse con este espacio de trabajo hasta el {day}. Se traspasa cuando añada una tarjeta; entonces se quita la tuya.",
  "{name} pays for it.": "{name} lo paga.",
  "{n} % used": "{n} % usado",
  "{price} a month": "{price} al mes",
  "{price} a year": "{price} al año",
});
