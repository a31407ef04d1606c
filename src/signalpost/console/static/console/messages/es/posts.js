// Spanish of pages/posts.js.
export default /** @type {Record<string, string>} */ ({
  "At the times below": "A las horas de abajo",
  "At which times": "A qué horas",
  Import: "Importar",
  "Next row": "Fila siguiente",
  "No post matches these filters.": "Ninguna publicación coincide con estos filtros.",
  "No posts yet": "Aún no hay publicaciones",
  "Posts a day": "Publicaciones al día",
  "Posts that you write here or send by the API appear in this list, with the outcome at each network.":
    "Las publicaciones que escribes aquí o envías por la API aparecen en esta lista, con el resultado en cada red.",
  "Previous row": "Fila anterior",
  "Schedule these drafts": "Programar estos borradores",
  "Schedule these…": "Programar estos…",
  "Schedule {n} draft": "Programar {n} borrador",
  "Schedule {n} drafts": "Programar {n} borradores",
  "many|Schedule {n} drafts": "Programar {n} de borradores",
  "The oldest goes out first. Where an account publishes something already, the next time is taken.":
    "El más antiguo sale primero. Si una cuenta ya publica algo entonces, se usa la hora siguiente.",
  "Times of a day": "Horas del día",
  "When posts do best": "Cuando las publicaciones funcionan mejor",
  "Words in title or text": "Palabras del título o el texto",
  "{n} draft is scheduled": "{n} borrador programado",
  "{n} drafts are scheduled": "{n} borradores programados",
  "many|{n} drafts are scheduled": "{n} de borradores programados",
  "{n} stay drafts": "{n} siguen siendo borradores",
  "many|{n} stay drafts": "{n} siguen siendo borradores",
  "{n} stays a draft": "{n} sigue siendo un borrador",
});
