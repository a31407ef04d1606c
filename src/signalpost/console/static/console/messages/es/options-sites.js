// Spanish of what sites let one choose: those of articles, communities and businesses.
export default /** @type {Record<string, string>} */ ({
  "Status of the post": "Estado de la publicación",
  "Tags of the post": "Etiquetas de la publicación",
  Categories: "Categorías",
  Excerpt: "Extracto",
  Slug: "Slug",
  "First image as featured image": "Primera imagen como imagen destacada",
  Subreddit: "Subreddit",
  "Address of the preview picture": "Dirección de la imagen de vista previa",
  Flair: "Flair",
  "Text of the flair": "Texto del flair",
  "For adults (NSFW)": "Para adultos (NSFW)",
  Spoiler: "Spoiler",
  "Replies to the inbox": "Respuestas a la bandeja de entrada",
  "Post to share": "Publicación que se comparte",
  "Who may read it": "Quién puede leerla",
  Authors: "Autores",
  Caption: "Pie de imagen",
  "Canonical address": "Dirección canónica",
  Series: "Serie",
  "Address of the cover picture": "Dirección de la imagen de portada",
  Organization: "Organización",
  "Featured post": "Publicación destacada",
  "Send as newsletter": "Enviar como boletín",
  "Who gets the e-mail": "Quién recibe el correo",
  "By e-mail alone": "Solo por correo",
  "Subject of the e-mail": "Asunto del correo",
  "`publish` (default), `draft`, `pending` (an editor has to approve it) or `private`.":
    "Lo habitual es que se publique. Pendiente de revisión significa que un editor tiene que aprobarla.",
  "Names of categories. One that does not exist is made, if the user may do that.":
    "Nombres de categorías. Si una no existe, se crea, siempre que el usuario pueda hacerlo.",
  "Names of tags. One that does not exist is made.": "Nombres de etiquetas. Si una no existe, se crea.",
  "`published` (default) or `draft`.": "Lo habitual es que se publique.",
  "Who may read the post: everybody (default), members, or paying members.":
    "Quién puede leer la publicación: todos (lo habitual), los miembros o los miembros de pago.",
  "Names of tags. One that does not exist is made. One that begins with `#` is not shown to readers.":
    "Nombres de etiquetas. Si una no existe, se crea. La que empieza por # no se muestra a los lectores.",
  "E-mail addresses of people who work on the site. By default the owner of the site is the author.":
    "Direcciones de correo de personas que trabajan en el sitio. Lo habitual es que el autor sea el propietario del sitio.",
  "The end of the address of the post, in lower case with hyphens. By default Ghost makes it of the title, and adds a number to one that is taken.":
    "El final de la dirección de la publicación, en minúsculas y con guiones. Lo habitual es que Ghost lo forme con el título y añada un número si ya está ocupado.",
  "Up to four tags of letters and digits, without `#`.":
    "Hasta cuatro etiquetas de letras y cifras, sin #.",
  "The name of a series, which DEV shows above each of its articles. One that does not exist is made.":
    "El nombre de una serie, que DEV muestra encima de cada uno de sus artículos. Si no existe, se crea.",
  "The address of a picture that stands above the article. DEV takes no files by its API, so it has to stay there.":
    "La dirección de una imagen que va encima del artículo. DEV no acepta archivos por su API, así que tiene que quedarse allí.",
  "The number of an organization at DEV in whose name the article is published; the person must belong to it.":
    "El número de una organización de DEV en cuyo nombre se publica el artículo; la persona tiene que pertenecer a ella.",
  "Where the post first appeared; search engines then count that page.":
    "Dónde apareció primero la publicación; los buscadores cuentan entonces esa página.",
  "Whether the theme shows the post as a featured one.":
    "Si el tema muestra la publicación como destacada.",
  "The caption of the featured image.": "El pie de la imagen destacada.",
  "The slug of a newsletter: the post is sent to its members by e-mail, once. Without it nobody gets an e-mail.":
    "El slug de un boletín: la publicación se envía una vez por correo a sus miembros. Sin él, nadie recibe un correo.",
  "Which members of the newsletter get the e-mail: `everyone` (default), `unpaid` or `paid`.":
    "Qué miembros del boletín reciben el correo. Lo habitual es que todos.",
  "Whether the post is sent by e-mail alone, and does not appear on the site.":
    "Si la publicación se envía solo por correo y no aparece en el sitio.",
  "The subject of the e-mail, instead of the title.": "El asunto del correo, en lugar del título.",
  "A summary that lists of posts show instead of the beginning.":
    "Un resumen que las listas de publicaciones muestran en lugar del principio.",
  "The end of the address of the post, in lower case with hyphens. By default WordPress makes it of the title, and adds a number to one that is taken.":
    "El final de la dirección de la publicación, en minúsculas y con guiones. Lo habitual es que WordPress lo forme con el título y añada un número si ya está ocupado.",
  "Whether the first image is the featured image, which the theme shows, instead of standing in the text with the others.":
    "Si la primera imagen es la imagen destacada, que muestra el tema, en lugar de ir en el texto con las demás.",
  "The name of the subreddit, without `r/`. `u_` and the account's name is its profile.":
    "El nombre del subreddit, sin r/. El perfil de la propia cuenta es u_ con su nombre.",
  "The community: its name at the account's instance, or its name with `@` and the instance it is at, such as `bread@lemmy.world`.":
    "La comunidad: su nombre en la instancia de la cuenta, o su nombre con @ y la instancia donde está, como bread@lemmy.world.",
  "The language of the post, such as `en`. Defaults to the profile's language, and without one to what the account and the community have in common.":
    "El idioma de la publicación, como es. Lo habitual es el del perfil y, si no lo hay, lo que la cuenta y la comunidad tienen en común.",
  "The address of a picture that lists show beside the link. By default the instance takes the one of the page.":
    "La dirección de una imagen que las listas muestran junto al enlace. Lo habitual es que la instancia use la de la página.",
  "A flair of the subreddit. Some subreddits take no post without one.":
    "El ID de un flair del subreddit. Algunos subreddits no aceptan publicaciones sin él.",
  "Another text for the flair, where the subreddit allows that.":
    "Otro texto para el flair, donde el subreddit lo permite.",
  "Whether the post is for adults only.": "Si la publicación es solo para adultos.",
  "Whether the post gives something away.": "Si la publicación revela algo.",
  "Whether Reddit sends replies to the inbox of the account.":
    "Si Reddit envía las respuestas a la bandeja de entrada de la cuenta.",
  "The id of a post at Reddit to share in the subreddit: in its address, what stands after `comments/`. A crosspost has a title, and no text, link or files of its own.":
    "Una publicación de Reddit que se comparte en el subreddit: en su dirección, lo que sigue a comments/. Una publicación compartida tiene título, pero no texto, enlace ni archivos propios.",
  Button: "Botón",
  "Title and dates": "Título y fechas",
  Offer: "Oferta",
  "What the button says": "Lo que dice el botón",
  "Where it leads": "A dónde lleva",
  "First day, as in 2027-01-31": "Primer día, como 2027-01-31",
  "Last day": "Último día",
  "From, as in 18:30": "Desde, como 18:30",
  Until: "Hasta",
  Code: "Código",
  "Where it is redeemed": "Dónde se canjea",
  Conditions: "Condiciones",
  "`STANDARD` is an update. By default a post with an `offer` is an `OFFER`, one with an `event` an `EVENT`.":
    "Lo habitual es que una publicación con una oferta sea una oferta, y una con título y fechas, un evento.",
  "The button of an update or event: `{actionType, url?}`. Without `url` it leads to the post's `link`; `CALL` has none and calls the location. A post with a `link` alone gets `LEARN_MORE`.":
    "Debajo de una novedad o un evento. Sin dirección lleva al enlace de la publicación; el que llama no la necesita. Una publicación que solo tiene un enlace recibe un botón para saber más.",
  "What an event or an offer is called, and when: `{title, startDate, endDate, startTime?, endTime?}`, as in `2027-01-31` and `18:30`, by the clocks of the location.":
    "De un evento o una oferta. Los días y las horas son los del lugar.",
  "Of an offer: `{couponCode?, redeemOnlineUrl?, termsConditions?}`. It also needs `event`. Without `redeemOnlineUrl` it is redeemed at the post's `link`.":
    "Una oferta necesita también título y fechas. Sin dirección se canjea en el enlace de la publicación.",
  "The language of the text, as in `de` or `en-US`. Default: that of the location.":
    "El idioma del texto, como es o en-US. Lo habitual es el del lugar.",
  "`published` (default), `queue` (the blog's own queue), `draft` or `private`.":
    "Lo habitual es que se publique. La cola es la del blog: Tumblr la publica más tarde.",
  "Up to 30 tags of at most 140 characters, without `#` and commas. They may have spaces.":
    "Hasta 30 etiquetas de 140 caracteres como máximo, sin # ni comas. Pueden llevar espacios.",
  "Whether `**bold**`, `*italic*`, `~~struck~~`, `[links](https://…)`, and lines that begin with `#`, `##`, `>`, `-` or `1.` are formatting. Without it the text stands as it is.":
    "Para textos con **negrita**, *cursiva*, ~~tachado~~, [enlaces](https://…) y líneas que empiezan por #, ##, >, - o 1. Si no, el texto queda como está.",
  "Labels the post as `mature`, also for `drug_use`, `violence` or `sexual_themes`: people decide at Tumblr whether they see such posts.":
    "En Tumblr, cada persona decide si ve publicaciones con una etiqueta así.",
  "Source of the content": "Fuente del contenido",
  "Where the content of the post is from; Tumblr shows it as its source.":
    "De dónde viene el contenido de la publicación; Tumblr lo muestra como su fuente.",
  "The end of the address of the post, in lower case with hyphens. By default Tumblr makes it of the text.":
    "El final de la dirección de la publicación, en minúsculas y con guiones. Lo habitual es que Tumblr lo forme con el texto.",
  "Allow reblogs": "Permitir rebloguear",
  "Whether others can reblog the post.": "Si otros pueden rebloguear la publicación.",
});
