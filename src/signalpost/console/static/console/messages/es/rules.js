// Spanish of texts/rules.js.
export default /** @type {Record<string, string>} */ ({
  "A carousel of links on {network} has no files of its own. Leave them out.":
    "Un carrusel de enlaces en {network} no lleva archivos propios. Quítalos.",
  "A carousel of links on {network} needs the link of the whole post. Add it under “More”.":
    "Un carrusel de enlaces en {network} necesita el enlace de toda la publicación. Añádelo en “Más”.",
  "A carousel on {network} has two to ten files. Add some.":
    "Un carrusel en {network} lleva de dos a diez archivos. Añade alguno.",
  "A paid partnership cannot be visible to you alone. Let others see the post.":
    "Una colaboración pagada no puede ser visible solo para ti. Deja que otros vean la publicación.",
  "A poll here has at most {limit} answers. Leave some out.":
    "Una encuesta admite aquí {limit} respuestas como máximo. Quita alguna.",
  "A post on {network} has a poll or a link card, not both. Leave one out.":
    "Una publicación en {network} lleva una encuesta o una tarjeta del enlace, no las dos. Quita una.",
  "A post on {network} has a poll or files, not both. Leave one out.":
    "Una publicación en {network} lleva una encuesta o archivos, no las dos cosas. Quita una.",
  "A post on {network} has one cashtag at most. Leave the others out.":
    "Una publicación en {network} lleva un cashtag como máximo. Quita los demás.",
  "The server of this account cannot quote posts. Leave the quote out.":
    "El servidor de esta cuenta no puede citar publicaciones. Quita la cita.",
  "A post on {network} that quotes another has neither files nor a poll. Leave them out.":
    "Una publicación en {network} que cita otra no lleva archivos ni encuesta. Quítalos.",
  "A post on {network} that shares another has neither files nor a poll. Leave them out.":
    "Una publicación en {network} que comparte otra no lleva archivos ni encuesta. Quítalos.",
  "The audience is empty. Fill in at least one field of it, or remove it and everyone can see the post.":
    "La audiencia está vacía. Rellena al menos uno de sus campos, o quítala y todos podrán ver la publicación.",
  "On {network} only posts of a page have an audience. Choose a page as the author, or remove the audience.":
    "En {network} solo tienen audiencia las publicaciones de una página. Elige una página como autora o quita la audiencia.",
  "This is not the link of a post that {network} can share. Copy it again from the menu of the post.":
    "Este no es el enlace de una publicación que {network} pueda compartir. Cópialo de nuevo del menú de la publicación.",
  "These captions are too long: at most {limit}. Shorten them.":
    "Estos subtítulos son demasiado largos: {limit} como máximo. Acórtalos.",
  "There are two captions in this language. Remove one.": "Hay dos subtítulos en este idioma. Quita uno.",
  "A mention is written @[Exact Name](urn:li:organization:1234), and the name has no brackets. Correct it, or write the name alone.":
    "Una mención se escribe @[Nombre exacto](urn:li:organization:1234), y el nombre no lleva corchetes. Corrígela o escribe solo el nombre.",
  "A first comment mentions nobody there. Write the name without the markup.":
    "Un primer comentario no menciona a nadie allí. Escribe el nombre sin el marcado.",
  "{network} takes a reply only to your own posts, and to people who mentioned this account or quoted it. It refuses others.":
    "{network} solo acepta respuestas a tus propias publicaciones y a personas que han mencionado o citado esta cuenta. Rechaza las demás.",
  "{network} lets you quote only your own posts, and those that mention this account. It refuses others.":
    "{network} solo deja citar tus propias publicaciones y las que mencionan esta cuenta. Rechaza las demás.",
  "{network} adds music only for accounts that are connected through a Facebook Page. Leave it out.":
    "{network} solo añade música en cuentas conectadas a través de una página de Facebook. Quítala.",
  "The text does not have these words. Write them as they stand there, or leave them out.":
    "El texto no contiene estas palabras. Escríbelas tal como están en él o quítalas.",
  "{network} hides words in {limit} places at most. Hide fewer.":
    "{network} oculta palabras en {limit} lugares como máximo. Oculta menos.",
  "A post on {network} with files shows no link card. Put the link into the text.":
    "Una publicación en {network} con archivos no muestra tarjeta del enlace. Pon el enlace en el texto.",
  "This is not the id of a post. Copy it again: it begins with nevent1 or note1.":
    "Este no es el ID de una publicación. Cópialo de nuevo: empieza por nevent1 o note1.",
  "A quote on {network} has neither a poll nor a link card. Put the link into the text.":
    "Una cita en {network} no lleva encuesta ni tarjeta del enlace. Pon el enlace en el texto.",
  "A box needs a title, a text or a picture. Fill it in, or remove it.":
    "Un recuadro necesita un título, un texto o una imagen. Rellénalo o quítalo.",
  "A new forum post cannot have a poll. Leave one out.":
    "Una publicación nueva del foro no puede llevar encuesta. Quita una de las dos.",
  "Choose a thread or give a title for a new one, not both.":
    "Elige un hilo o da un título para uno nuevo, no las dos cosas.",
  "Only forums have titles. Leave the title of the forum post out.":
    "Solo los foros tienen títulos. Quita el título de la publicación del foro.",
  "Only messages of a webhook show another name or picture. Leave them out for a bot.":
    "Solo los mensajes de un webhook muestran otro nombre u otra imagen. Quítalos para un bot.",
  "Tags are those of a new forum post. Give it a title, or leave the tags out.":
    "Las etiquetas son de una publicación nueva del foro. Ponle un título o quita las etiquetas.",
  "The boxes are too long together: at most {limit} characters. Shorten them.":
    "Los recuadros son demasiado largos en total: {limit} caracteres como máximo. Acórtalos.",
  "This user of the site may write drafts and not publish. Choose the status draft or pending.":
    "Este usuario del sitio puede escribir borradores, pero no publicar. Elige el estado Borrador o Pendiente de revisión.",
  "This user of the site may not upload files. Leave them out, or give the user another role there.":
    "Este usuario del sitio no puede subir archivos. Quítalos o dale allí otro rol.",
  "{network} would take the lines after --- for title and tags. Begin with other words.":
    "{network} tomaría las líneas tras --- por título y etiquetas. Empieza con otras palabras.",
  "A draft is not sent to anybody. Leave the newsletter out, or publish the post.":
    "Un borrador no se envía a nadie. Quita el boletín o publica el borrador.",
  "Without a newsletter nothing is sent by e-mail. Name one, or leave this out.":
    "Sin boletín no se envía nada por correo. Indica uno o quita esto.",
  "A webhook of {network} cannot send files. Leave them out, or connect the channel by a bot.":
    "Un webhook de {network} no puede enviar archivos. Quítalos o conecta el canal con un bot.",
  "The app at {network} may not send files yet. Give it the permissions, and connect the account again.":
    "La aplicación de {network} aún no puede enviar archivos. Dale los permisos y vuelve a conectar la cuenta.",
  "A post on {network} needs a subreddit. Choose one, or the profile of the account.":
    "Una publicación en {network} necesita un subreddit. Elige uno o el perfil de la cuenta.",
  "A post on {network} needs a community. Choose one.":
    "Una publicación en {network} necesita una comunidad. Elige una.",
  "A title on {network} is one line of {limit} characters or more. Change it.":
    "Un título en {network} ocupa una línea y tiene al menos {limit} caracteres. Cámbialo.",
  "The preview picture stands beside a link. Add the link, or leave the picture out.":
    "La imagen de vista previa va junto a un enlace. Añade el enlace o quita la imagen.",
  "The text of the flair needs a flair. Choose one.": "El texto del flair necesita un flair. Elige uno.",
  "A shared post has no link and no files of its own. Leave them out, or share nothing.":
    "Una publicación compartida no tiene enlace ni archivos propios. Quítalos o no compartas nada.",
  "The files are too large together: at most {limit}. Leave some out, or choose smaller ones.":
    "Los archivos son demasiado grandes en total: {limit} como máximo. Quita alguno o elige otros más pequeños.",
  "This channel is a forum. Give the post a title, or choose a thread.":
    "Este canal es un foro. Ponle un título a la publicación o elige un hilo.",
  "{network} does not allow this name of the sender. Choose another one.":
    "{network} no permite este nombre del remitente. Elige otro.",
  "A reel has one cover: a picture of its own, or a frame. Choose one.":
    "Un reel tiene una sola portada: una imagen propia o un fotograma. Elige una.",
  "A reel on {network} is one video. Choose one, and leave everything else out.":
    "Un reel en {network} es un solo vídeo. Elige uno y quita todo lo demás.",
  "A reel on {network} lasts {minimum} to {limit}. Choose another video, or cut it.":
    "Un reel en {network} dura de {minimum} a {limit}. Elige otro vídeo o recórtalo.",
  "A reply cannot say who may answer: the post that it answers decides that.":
    "Una respuesta no puede decir quién puede contestar: lo decide la publicación a la que responde.",
  "A story on {network} cannot be a draft there. Switch that off.":
    "Una historia en {network} no puede ser un borrador allí. Desactívalo.",
  "A story on {network} is one picture or one video. Choose one.":
    "Una historia en {network} es una imagen o un vídeo. Elige uno.",
  "A story on {network} lasts {minimum} to {limit}. Choose another video, or cut it.":
    "Una historia en {network} dura de {minimum} a {limit}. Elige otro vídeo o recórtalo.",
  "A story on {network} shows no text; it goes out without.":
    "Una historia en {network} no muestra texto; sale sin él.",
  "A story or a draft on {network} has no first comment. Leave it out.":
    "Una historia o un borrador en {network} no lleva primer comentario. Quítalo.",
  "A thread on {network} has at most {limit} posts. Leave some out.":
    "Un hilo en {network} tiene {limit} publicaciones como máximo. Quita alguna.",
  "An organization has no connections. Let everyone see the post, or all members.":
    "Una organización no tiene contactos. Deja que vean la publicación todos, o todos los miembros.",
  "A quiz has one right answer, counted from 0, and only a quiz has an explanation, of three lines at most.":
    "Un quiz tiene una respuesta correcta, contada desde 0, y solo un quiz lleva explicación, de tres líneas como máximo.",
  "Two answers of the poll are the same, or one is empty. Change it.":
    "Dos respuestas de la encuesta son iguales o una está vacía. Cámbiala.",
  "Votes in a channel are anonymous. Switch that on.": "Los votos en un canal son anónimos. Actívalo.",
  "Choose a board: {network} needs one for each pin.":
    "Elige un tablero: {network} necesita uno para cada pin.",
  "Choose who can see the post: {network} allows no default.":
    "Elige quién puede ver la publicación: {network} no permite un valor predeterminado.",
  "Nobody can post in the name of another member. Choose your own name or a page.":
    "Nadie puede publicar en nombre de otro miembro. Elige tu propio nombre o una página.",
  "Publishing to {network} is not possible here.": "Desde aquí no se puede publicar en {network}.",
  "Say where in the picture this person is.": "Indica en qué lugar de la imagen está esta persona.",
  "The app of {network} itself allows {limit} hashtags; more may be ignored.":
    "La propia aplicación de {network} permite {limit} hashtags; puede que no se tengan en cuenta más.",
  "The description of this file is too long for {network}: at most {limit} characters. Shorten it.":
    "La descripción de este archivo es demasiado larga para {network}: {limit} caracteres como máximo. Acórtala.",
  "The first comment is too long for {network}: at most {limit} characters. Shorten it.":
    "El primer comentario es demasiado largo para {network}: {limit} caracteres como máximo. Acórtalo.",
  "The link is too long for {network}: at most {limit} characters.":
    "El enlace es demasiado largo para {network}: {limit} caracteres como máximo.",
  "The part of this service for {network} has failed. Whoever runs the service has to look at it.":
    "La parte de este servicio para {network} ha fallado. Quien gestiona el servicio tiene que mirarlo.",
  "The post has no file that could be hidden. Add one, or leave this out.":
    "La publicación no tiene ningún archivo que se pueda ocultar. Añade uno o quita esto.",
  "The service does not know this. Reload the page.": "El servicio no conoce esto. Recarga la página.",
  "The service may not open this address. Use a public one that begins with https.":
    "El servicio no puede abrir esta dirección. Usa una pública que empiece por https.",
  "The tags are too long together for {network}: at most {limit} characters. Leave some out.":
    "Las etiquetas son demasiado largas en total para {network}: {limit} caracteres como máximo. Quita alguna.",
  "The text is too long for {network}: at most {limit} characters. Shorten it, or write a text for this account alone.":
    "El texto es demasiado largo para {network}: {limit} caracteres como máximo. Acórtalo o escribe un texto solo para esta cuenta.",
  "The title is too long for {network}: at most {limit} characters. Shorten it.":
    "El título es demasiado largo para {network}: {limit} caracteres como máximo. Acórtalo.",
  "There is no computer of this name in the internet. Check the spelling.":
    "No hay ningún servidor con este nombre en internet. Comprueba cómo está escrito.",
  "There is no file with this number for the tagged person.":
    "No hay ningún archivo con este número para la persona etiquetada.",
  "There is no photo with this number for the cover. Choose one of the post.":
    "No hay ninguna foto con este número para la portada. Elige una de la publicación.",
  "There is one like this already. Choose something else.": "Ya hay algo así. Elige otra cosa.",
  "This answer is too long: at most {limit} characters. Shorten it.":
    "Esta respuesta es demasiado larga: {limit} caracteres como máximo. Acórtala.",
  "This cannot be chosen here.": "Esto no se puede elegir aquí.",
  "This channel can upload 15 minutes at most until its owner verifies it at YouTube.":
    "Este canal puede subir 15 minutos como máximo hasta que su propietario lo verifique en YouTube.",
  "This file is too large for {network}: at most {limit}. Make it smaller.":
    "Este archivo es demasiado grande para {network}: {limit} como máximo. Redúcelo.",
  "This file is too large for {network}: the longer side has at most {limit} pixels. Make it smaller.":
    "Este archivo es demasiado grande para {network}: el lado más largo tiene {limit} píxeles como máximo. Redúcelo.",
  "This file is too large for {network}: the shorter side has at most {limit} pixels. Make it smaller.":
    "Este archivo es demasiado grande para {network}: el lado más corto tiene {limit} píxeles como máximo. Redúcelo.",
  "This is missing. Fill it in.": "Falta este dato. Rellénalo.",
  "This is not here, or no longer. Choose another one.": "Esto no está aquí, o ya no. Elige otra cosa.",
  "This is not the right kind of value.": "Este no es el tipo de valor correcto.",
  "The network would refuse this text. Change it.": "La red rechazaría este texto. Cámbialo.",
  "This is not written as it must be.": "No está escrito como debe.",
  "This is too long: at most {max}.": "Es demasiado largo: {max} como máximo.",
  "This is too much, too little, too early or too late.":
    "Es demasiado, demasiado poco, demasiado pronto o demasiado tarde.",
  "Many people have this password, so it is guessed first. Choose another one.":
    "Mucha gente usa esta contraseña, así que es de las primeras que se prueban. Elige otra.",
  "This is too short.": "Es demasiado corto.",
  "This picture has too many pixels for {network}. Make it smaller.":
    "Esta imagen tiene demasiados píxeles para {network}. Redúcela.",
  "This setting belongs to another kind of post. Leave it out, or choose that kind.":
    "Este ajuste pertenece a otro tipo de publicación. Quítalo o elige ese tipo.",
  "This setting of {network} is not as it must be. Choose another value.":
    "Este ajuste de {network} no es como debe ser. Elige otro valor.",
  "This video is too large for a story on {network}: at most {limit}. Make it smaller.":
    "Este vídeo es demasiado grande para una historia en {network}: {limit} como máximo. Redúcelo.",
  "This video is too long for {network}: at most {limit}. Cut it.":
    "Este vídeo es demasiado largo para {network}: {limit} como máximo. Recórtalo.",
  "This video is too short for {network}: at least {limit}.":
    "Este vídeo es demasiado corto para {network}: {limit} como mínimo.",
  "This video is too small for a reel on {network}: at least 540 by 960 pixels.":
    "Este vídeo es demasiado pequeño para un reel en {network}: 540 por 960 píxeles como mínimo.",
  "This file is too small for {network}: at least {limit}.":
    "Este archivo es demasiado pequeño para {network}: {limit} como mínimo.",
  "{network} does not have this setting. Leave it out.": "{network} no tiene este ajuste. Quítalo.",
  "{network} does not take < and > in a tag. Leave them out.":
    "{network} no acepta < y > en una etiqueta. Quítalos.",
  "{network} does not take < and > in the title. Leave them out.":
    "{network} no acepta < y > en el título. Quítalos.",
  "{network} does not take < and > in this text. Leave them out.":
    "{network} no acepta < y > en este texto. Quítalos.",
  "{network} does not take a picture of this shape. Crop it to be less wide or less tall.":
    "{network} no acepta imágenes de esta forma. Recórtala para que sea menos ancha o menos alta.",
  "{network} does not take a video of this shape. Crop it to be less wide or less tall.":
    "{network} no acepta vídeos de esta forma. Recórtalo para que sea menos ancho o menos alto.",
  "{network} does not take pictures and videos in one post. Choose one kind.":
    "{network} no acepta imágenes y vídeos en la misma publicación. Elige un tipo.",
  "{network} does not take this kind of file. Choose another one, or leave this account out.":
    "{network} no acepta este tipo de archivo. Elige otro o quita esta cuenta.",
  "{network} does not take this setting for this kind of post. It is left out.":
    "{network} no acepta este ajuste para este tipo de publicación. Se omite.",
  "{network} fetches files from this service, which it cannot reach from the internet. Whoever runs the service has to set up a public address.":
    "{network} recoge los archivos de este servicio, pero no puede llegar a él desde internet. Quien gestiona el servicio tiene que configurar una dirección pública.",
  "{network} has no first comment. Leave it out, or leave this account out.":
    "{network} no tiene primer comentario. Quítalo o quita esta cuenta.",
  "{network} has no threads. Put everything into one post, or leave this account out.":
    "{network} no tiene hilos. Ponlo todo en una publicación o quita esta cuenta.",
  "{network} may refuse this file: it is larger than {limit}.":
    "{network} puede rechazar este archivo: supera {limit}.",
  "{network} may refuse this video: without its paid plan it takes {limit} at most.":
    "{network} puede rechazar este vídeo: sin su plan de pago acepta {limit} como máximo.",
  "{network} needs a picture or a video. Add one.": "{network} necesita una imagen o un vídeo. Añade uno.",
  "{network} needs a text or a file. Write something, or add a picture or a video.":
    "{network} necesita un texto o un archivo. Escribe algo o añade una imagen o un vídeo.",
  "{network} needs a text. Write something.": "{network} necesita un texto. Escribe algo.",
  "{network} needs a title. Write one under “More”.": "{network} necesita un título. Escribe uno en “Más”.",
  "{network} shows a video as a Short if it is square or upright and at most three minutes long. Choose another video, or post it as an ordinary one.":
    "{network} muestra un vídeo como Short si es cuadrado o vertical y dura tres minutos como máximo. Elige otro vídeo o publícalo como uno normal.",
  "{network} shows videos only from accounts with a confirmed e-mail address. Confirm it there.":
    "{network} solo muestra vídeos de cuentas con una dirección de correo confirmada. Confírmala allí.",
  "{network} takes at most {limit} files in a post. Leave some out.":
    "{network} acepta {limit} archivos como máximo en una publicación. Quita alguno.",
  "{network} takes at most {limit} files of this kind in a post. Leave some out.":
    "{network} acepta {limit} archivos de este tipo como máximo en una publicación. Quita alguno.",
  "{network} takes at most {limit} hashtags. Leave some out.":
    "{network} acepta {limit} hashtags como máximo. Quita alguno.",
  "{network} takes at most {limit} links in a post. Leave some out.":
    "{network} acepta {limit} enlaces como máximo en una publicación. Quita alguno.",
  "{network} takes only so many mentions, and may refuse those of people who did not ask for them. Leave some out.":
    "{network} acepta un número limitado de menciones y puede rechazar las de personas que no las han pedido. Quita alguna.",
  "{network} takes videos from {minimum} to {limit}. Choose another one, or cut it.":
    "{network} acepta vídeos de {minimum} a {limit}. Elige otro o recórtalo.",
  "{network} takes videos from {min} to {max} pixels on each side. Choose another one.":
    "{network} acepta vídeos de {min} a {max} píxeles por lado. Elige otro.",
  "{network} has not verified this location. It may refuse the post, or not show it.":
    "{network} no ha verificado este lugar. Puede rechazar la publicación o no mostrarla.",
  "{network} rejects posts with a telephone number in the text. Leave it out: a button can call the location.":
    "{network} rechaza las publicaciones con un número de teléfono en el texto. Quítalo: un botón puede llamar al lugar.",
  "{network} shows no button on offers. Say where the offer is redeemed, or leave the button out.":
    "{network} no muestra botones en las ofertas. Indica dónde se canjea la oferta o quita el botón.",
  "A button that calls leads nowhere else. Leave its address out.":
    "Un botón que llama no lleva a ningún otro sitio. Quita su dirección.",
  "The button leads nowhere. Give it an address, or the post a link.":
    "El botón no lleva a ningún sitio. Ponle una dirección o añade un enlace a la publicación.",
  "A button that calls leads nowhere else, so the link is not shown.":
    "Un botón que llama no lleva a ningún otro sitio, así que el enlace no se muestra.",
  "An event or an offer needs a title, a first and a last day. Add them.":
    "Un evento o una oferta necesita un título, un primer y un último día. Añádelos.",
  "An update has no dates. Make it an event, or leave them out.":
    "Una novedad no lleva fechas. Conviértela en un evento o quítalas.",
  "There is no such day. Write it as in 2027-01-31.": "Ese día no existe. Escríbelo como 2027-01-31.",
  "The end has to be later than the beginning. Change one of them.":
    "El final tiene que ser posterior al principio. Cambia uno de los dos.",
  "Only an offer has a code and conditions. Make the post an offer, or leave them out.":
    "Solo una oferta tiene código y condiciones. Convierte la publicación en una oferta o quítalos.",
  "This picture is too small for {network}: at least {limit} pixels on each side.":
    "Esta imagen es demasiado pequeña para {network}: {limit} píxeles por lado como mínimo.",
});
