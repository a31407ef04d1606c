// Spanish of pages/queues.js.
export default /** @type {Record<string, string>} */ ({
  "Add a time": "Añadir una hora",
  "All queues": "Todas las colas",
  "Days of {time}": "Días de las {time}",
  "Deleted. {n} post keeps its time.": "Eliminada. {n} publicación conserva su hora.",
  "Deleted. {n} posts keep their times.": "Eliminada. {n} publicaciones conservan sus horas.",
  "many|Deleted. {n} posts keep their times.": "Eliminada. {n} de publicaciones conservan sus horas.",
  free: "libre",
  "Give a client its usual times once; then a post needs no time, only its turn.":
    "Da una vez a un cliente sus horas habituales; después una publicación no necesita hora, solo su turno.",
  "Gives out times": "Reparte horas",
  "Has a post": "Tiene una publicación",
  "Leave out {time}": "Omitir {time}",
  "New queue": "Cola nueva",
  "No queue yet": "Aún no hay colas",
  "Posts that have a time keep it. Nobody gets a time of this queue any more.":
    "Las publicaciones que tienen hora la conservan. Nadie recibe ya una hora de esta cola.",
  "Switched off, it rests: posts that have a time keep it.":
    "Desactivada, descansa: las publicaciones que tienen hora la conservan.",
  "Taken when nobody chooses a queue.": "Se usa cuando nadie elige una cola.",
  "That of the client: {zone}": "La del cliente: {zone}",
  "The queue rests: it gives out no times.": "La cola descansa: no reparte horas.",
  "the usual one": "la habitual",
  "The usual one of the client": "La habitual del cliente",
  "There is no such queue.": "Esta cola no existe.",
  Times: "Horas",
  "Times of the week": "Horas de la semana",
  "Weekly times at which posts go out. A post takes the next one that is free.":
    "Horas semanales a las que salen publicaciones. Una publicación ocupa la próxima que esté libre.",
  "What comes next": "Lo que viene",
  "{name} is a queue now.": "{name} ya es una cola.",
});
