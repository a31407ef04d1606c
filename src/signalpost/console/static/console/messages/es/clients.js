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
  "not said": "sin indicar",
  "Captions by rules add those for which there is room.": "Los textos por reglas añaden los que quepan.",
  Watermark: "Marca de agua",
  "A picture of the library that is put on the client's own pictures.":
    "Una imagen de la biblioteca que se pone sobre las imágenes propias del cliente.",
  "no watermark": "sin marca de agua",
  "the picture of today": "la imagen actual",
  "At most 30 words, with spaces between them.": "Como máximo 30 palabras, separadas por espacios.",
  Hashtags: "Hashtags",
  Logo: "Logotipo",
  "Choose a logo": "Elegir un logotipo",
  "Another logo": "Otro logotipo",
  "Without a logo": "Sin logotipo",
  "A logo is a picture.": "Un logotipo es una imagen.",
  "Usual queue": "Cola habitual",
  "Queues of the client": "Colas del cliente",
  "Posts take their turn in it, unless another one is chosen for them.":
    "Las publicaciones toman turno en ella, salvo que se elija otra para ellas.",
  "The client has no queue yet.": "El cliente todavía no tiene ninguna cola.",
  "Parameters of links (UTM)": "Parámetros de los enlaces (UTM)",
  "New posts of the client carry them at each link. Without a source it is the network.":
    "Las publicaciones nuevas del cliente los llevan en cada enlace. Sin fuente, es la red.",
  "At most 100 characters each.": "Como máximo 100 caracteres cada uno.",
  "Archive {name}?": "¿Archivar {name}?",
  "Archive the client": "Archivar el cliente",
  "Archive…": "Archivar…",
  Archived: "Archivado",
  "{name} is archived.": "{name} está archivado.",
  "{name} is restored.": "{name} está restaurado.",
  "Restore {name}": "Restaurar {name}",
  "Nothing is written or published for it any more, and its feeds rest, until you restore it.":
    "No se escribe ni se publica nada más para él, y sus fuentes descansan, hasta que lo restaure.",
  "Its posts, numbers, files and accounts stay and can be looked at. It still counts in your plan.":
    "Sus publicaciones, cifras, archivos y cuentas se conservan y se pueden ver. Sigue contando en su plan.",
  "{n} post of this client is still to be published, or repeats.":
    "{n} publicación de este cliente aún ha de publicarse o se repite.",
  "{n} posts of this client are still to be published, or repeat.":
    "{n} publicaciones de este cliente aún han de publicarse o se repiten.",
  "Cancel those that are not to go out, and end those that repeat. Then archive the client.":
    "Cancele las que no deban publicarse y termine las que se repiten. Después archive el cliente.",
  "Show these posts": "Mostrar estas publicaciones",
  "No client is archived": "Ningún cliente está archivado",
  "Archive a client when its work has ended for now. Everything of it stays.":
    "Archive un cliente cuando su trabajo termine por ahora. Todo lo suyo se conserva.",
  "many|{n} posts of this client are still to be published, or repeat.":
    "{n} de publicaciones de este cliente aún han de publicarse o se repiten.",
});
