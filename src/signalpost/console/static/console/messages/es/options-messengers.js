// Spanish of what messengers let one choose, and relays of notes.
export default /** @type {Record<string, string>} */ ({
  "Without notification": "Sin notificación",
  "Who mentions notify": "A quién notifican las menciones",
  "No previews of links": "Sin vistas previas de enlaces",
  "Hide files until a click": "Ocultar los archivos hasta un clic",
  Thread: "Hilo",
  "Title of the forum post": "Título de la publicación del foro",
  "Tags of the forum": "Etiquetas del foro",
  Boxes: "Recuadros",
  "Name of the sender": "Nombre del remitente",
  "Picture of the sender": "Imagen del remitente",
  "Duration in hours": "Duración en horas",
  Text: "Texto",
  "Colour, for example #5865f2": "Color, por ejemplo #5865f2",
  "Small print": "Letra pequeña",
  Formatting: "Formato",
  "Without a sound": "Sin sonido",
  "Not to be forwarded": "No se puede reenviar",
  "Link preview": "Vista previa del enlace",
  "Link of the preview": "Enlace de la vista previa",
  "Preview above the text": "Vista previa encima del texto",
  "Text above the media": "Texto encima de los archivos",
  "Topic of the group": "Tema del grupo",
  "Anonymous votes": "Votos anónimos",
  "Right choice of a quiz, from 0": "Respuesta correcta de un quiz, desde 0",
  "Explanation of a quiz": "Explicación de un quiz",
  "Text in Slack's markup": "Texto con el marcado de Slack",
  "Previews of pages": "Vistas previas de páginas",
  "Previews of media": "Vistas previas de archivos",
  "Message to reply to": "Mensaje al que se responde",
  "Replies in the channel too": "Respuestas también en el canal",
  "Text with formatting": "Texto con formato",
  "As a notice": "Como aviso",
  "Notify everybody in the room": "Notificar a todos en la sala",
  "How the text is formatted: `HTML` or `MarkdownV2`, in Telegram's own dialects. Without it the text stands as it is.":
    "HTML o Markdown V2, en las variantes propias de Telegram. Lo habitual es que el texto quede como está.",
  "Notifies without a sound.": "Notifica sin sonido.",
  "Nobody can forward or save the post.": "Nadie puede reenviar ni guardar la publicación.",
  "The preview of a link in a text without media: `off`, or with a `small` or `large` picture. By default Telegram decides.":
    "La vista previa de un enlace en un texto sin archivos: ninguna, o con una imagen pequeña o grande. Lo habitual es que decida Telegram.",
  "The link that the preview is of, instead of the first one of the text.":
    "El enlace de la vista previa, en lugar del primero del texto.",
  "Shows the preview above the text.": "Muestra la vista previa encima del texto.",
  "Shows the text above images and videos.": "Muestra el texto encima de imágenes y vídeos.",
  "Whether the text is sent as it is, in Slack's own markup: `*bold*`, `<https://…|label>`, `<!here>`. Write `&`, `<` and `>` as `&amp;`, `&lt;` and `&gt;` then. Without it nothing is markup.":
    "Para textos con el marcado propio de Slack: *negrita*, <https://…|título>, <!here>. Los signos &, < y > se escriben entonces &amp;, &lt; y &gt;. Si no, el texto queda como está.",
  "Why the note is hidden until a reader wants to see it.":
    "Por qué la nota queda oculta hasta que alguien quiera verla.",
  "The note to quote, by its id as apps copy it: it begins with nevent1 or note1.":
    "La nota que se cita, con su ID tal como lo copian las aplicaciones: empieza por nevent1 o note1.",
  "Whether `**bold**`, `*italic*`, `~~struck~~`, `` `code` `` and `[links](https://…)` are formatting. Without it the text stands as it is.":
    "Para textos con **negrita**, *cursiva*, ~~tachado~~, código entre acentos graves y [enlaces](https://…). Si no, el texto queda como está.",
  "Whether it is sent as a notice, as bots do: clients show it quieter, and bots do not answer.":
    "Si se envía como aviso, como hacen los bots: las aplicaciones lo muestran con menos énfasis y los bots no responden.",
  "Whether everybody in the room is notified, if the user may do that there. Otherwise nobody is, whatever names the text has.":
    "Si se notifica a todos en la sala, cuando el usuario puede hacerlo allí. Si no, no se notifica a nadie, diga el texto los nombres que diga.",
  "Whether links to pages show a preview.": "Si los enlaces a páginas muestran una vista previa.",
  "Whether links to pictures and videos show a preview.":
    "Si los enlaces a imágenes y vídeos muestran una vista previa.",
  "The timestamp of a message of the channel to reply to, such as `1716567890.123456`: in its link the number after `p`, with a point before the last six digits.":
    "El número de un mensaje del canal, como 1716567890.123456: en su enlace, el número que sigue a la p, con un punto antes de las seis últimas cifras.",
  "Whether replies without files are shown in the channel too.":
    "Si las respuestas sin archivos se muestran también en el canal.",
  "The number of a topic of a group with topics: in the link of its messages, the number before the last.":
    "El número de un tema de un grupo con temas: en el enlace de sus mensajes, el penúltimo número.",
  "A poll: `{options[2-12], anonymous?, multiple?, minutes?, correct?, explanation?}`. The text, at most 300 characters, is its question. With `correct` it is a quiz. A post with a poll has no media.":
    "Una encuesta con 2 a 12 respuestas. El texto, de 300 caracteres como máximo, es su pregunta. Con una respuesta correcta es un quiz. Una publicación con encuesta no lleva archivos.",
  "Whether the message arrives without a notification.": "Si el mensaje llega sin notificación.",
  "Who is notified of `@everyone`, `@here`, roles and users in the text. Nobody without it.":
    "A quién se notifica por @everyone, @here, roles y personas en el texto. Si no, a nadie.",
  "Whether links show no preview.": "Si los enlaces no muestran vista previa.",
  "Whether files are hidden until someone clicks them.":
    "Si los archivos quedan ocultos hasta que alguien hace clic en ellos.",
  "The id of a thread of the channel to post in.": "El ID de un hilo del canal en el que publicar.",
  "The title of a new post in a forum or media channel. Needed there, unless `threadId` is set.":
    "El título de una publicación nueva en un canal de foro o multimedia. Allí hace falta si no se elige un hilo.",
  "Up to 5 tags of the forum for the new post.":
    "Los ID de hasta 5 etiquetas del foro para la publicación nueva.",
  "A poll below the text: `{question, answers[1-10], hours?, multiple?}`. Its message has no files.":
    "Una encuesta debajo del texto. Su mensaje no lleva archivos.",
  "Up to 10 boxes `{title?, description?, url?, color?, imageUrl?, footer?}`, together 6,000 characters.":
    "Hasta 10 recuadros con título, texto e imagen, 6000 caracteres en total.",
  "The name that a webhook's message shows, instead of that of the webhook.":
    "El nombre que muestra el mensaje de un webhook, en lugar del nombre del webhook.",
  "The address of the picture that a webhook's message shows.":
    "La dirección de la imagen que muestra el mensaje de un webhook.",
});
