// Spanish of pages/device.js.
export default /** @type {Record<string, string>} */ ({
  "A terminal asks for an API key": "Un terminal pide una clave de API",
  "All that I may do": "Todo lo que puedo hacer yo",
  "Code in the terminal": "Código del terminal",
  "Done. The terminal has its key in a few seconds; you can close this page.":
    "Listo. El terminal tendrá su clave en unos segundos; puedes cerrar esta página.",
  "Eight letters, such as WDJB-MJHT. “sp login” shows it.":
    "Ocho letras, como WDJB-MJHT. “sp login” lo muestra.",
  "Enter another code": "Escribir otro código",
  "Grant it only if you typed “sp login” yourself just now, and your terminal shows this very code.":
    "Concédela solo si acabas de escribir tú “sp login” y tu terminal muestra exactamente este código.",
  "Grant the key": "Conceder la clave",
  "It asks from": "Lo pide desde",
  "It calls itself": "Se presenta como",
  "Read only": "Solo leer",
  Refuse: "Rechazar",
  "Refused. The terminal gets no key.": "Rechazado. El terminal no recibe ninguna clave.",
  "Sign in a terminal": "Iniciar sesión en un terminal",
  "Someone who sent you this link or code would act in your name.":
    "Quien te haya enviado este enlace o código actuaría en tu nombre.",
  "What it may do": "Lo que puede hacer",
  "Without a choice: all that you see, also later ones.":
    "Sin elegir: todos los que ves, también los futuros.",
  "Write and publish posts, connect accounts, webhooks": "Escribir y publicar, conectar cuentas, webhooks",
});
