// Spanish of pages/clients.js.
export default /** @type {Record<string, string>} */ ({
  "Also go out at": "También salen en",
  "An owner, an admin or an approver decides before a post goes out.":
    "Un propietario, un administrador o un aprobador decide antes de que salga una publicación.",
  "Another client has this name.": "Otro cliente ya tiene este nombre.",
  Approval: "Aprobación",
  "Between 1 and 100 characters.": "Entre 1 y 100 caracteres.",
  "Change the link": "Cambiar el vínculo",
  "Could not be passed on": "No se ha podido reenviar",
  "Delete the client": "Eliminar el cliente",
  "Each has its own accounts, posts, time zone and rules.":
    "Cada uno tiene sus propias cuentas, publicaciones, zona horaria y reglas.",
  "End the link to {name}": "Terminar el vínculo con {name}",
  "End the link to {name}?": "¿Terminar el vínculo con {name}?",
  "Give the client a name.": "Ponle un nombre al cliente.",
  "Its posts go to the trash for 30 days, and what is scheduled does not go out. What is published stays at the networks.":
    "Sus publicaciones van a la papelera durante 30 días, y lo programado no sale. Lo publicado se queda en las redes.",
  "Its {n} account is disconnected; posting there again needs a new connection.":
    "Se desconecta {n} cuenta; para volver a publicar en ella hay que conectarla de nuevo.",
  "Its {n} accounts are disconnected; posting there again needs new connections.":
    "Se desconectan {n} cuentas; para volver a publicar en ellas hay que conectarlas de nuevo.",
  "many|Its {n} accounts are disconnected; posting there again needs new connections.":
    "Se desconectan {n} de cuentas; para volver a publicar en ellas hay que conectarlas de nuevo.",
  "Link ended": "Vínculo terminado",
  "Link two clients": "Vincular dos clientes",
  Linked: "Vinculado",
  Links: "Vínculos",
  "Links between clients": "Vínculos entre clientes",
  "No clients are linked": "No hay clientes vinculados",
  "Not passed on": "Sin reenviar",
  "Nothing more is passed on. Posts that were passed on stay.":
    "Ya no se reenvía nada más. Las publicaciones reenviadas se quedan.",
  "Otherwise only what someone passes on.": "Si no, solo lo que alguien reenvíe.",
  "Pass every post on": "Reenviar todas las publicaciones",
  "Passed on": "Reenviada",
  "Posts need an approval": "Las publicaciones necesitan aprobación",
  "Posts of": "Publicaciones de",
  Show: "Mostrar",
  "Such as “From our bakery: ”.": "Por ejemplo: “De nuestra panadería: ”.",
  "The link has ended.": "El vínculo ha terminado.",
  "There is no such time zone. Choose one of the list.":
    "Esta zona horaria no existe. Elige una de la lista.",
  "Times of this client's posts and slots are meant in it.":
    "Las horas de las publicaciones y franjas de este cliente se entienden en ella.",
  "What a chain publishes can go out at its shops too, each with words of its own in front.":
    "Lo que publica una cadena puede salir también en sus tiendas, cada vez con sus propias palabras delante.",
  "What the links did": "Lo que han hecho los vínculos",
  "a deleted client": "un cliente eliminado",
  "as a draft": "como borrador",
  "by itself": "automáticamente",
  needed: "necesaria",
  "not needed": "no hace falta",
  "only when someone passes a post on": "solo cuando alguien reenvía una publicación",
  "{name} is a client now.": "{name} ya es un cliente.",
  "{name} is deleted: {accounts}, {posts}.": "{name} se ha eliminado: {accounts}, {posts}.",
  "{n} account is disconnected": "{n} cuenta desconectada",
  "{n} accounts are disconnected": "{n} cuentas desconectadas",
  "many|{n} accounts are disconnected": "{n} de cuentas desconectadas",
  "{n} minute later": "{n} minuto después",
  "{n} minutes later": "{n} minutos después",
  "many|{n} minutes later": "{n} de minutos después",
  "{n} post is in the trash": "{n} publicación en la papelera",
  "{n} posts are in the trash": "{n} publicaciones en la papelera",
  "many|{n} posts are in the trash": "{n} de publicaciones en la papelera",
});
