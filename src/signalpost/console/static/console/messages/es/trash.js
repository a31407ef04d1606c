// Spanish of pages/trash.js.
export default /** @type {Record<string, string>} */ ({
  "Delete for good": "Eliminar para siempre",
  "Delete this post for good?": "¿Eliminar esta publicación para siempre?",
  "deleted client": "cliente eliminado",
  "Deleted for good.": "Eliminada para siempre.",
  "Gone for good": "Se borra del todo",
  "Nobody can restore it afterwards. What is published stays at the networks.":
    "Después nadie puede restaurarla. Lo publicado se queda en las redes.",
  "Posts stay here for 30 days.": "Las publicaciones se quedan aquí 30 días.",
  "Posts that you delete can be restored from here for 30 days.":
    "Las publicaciones que eliminas se pueden restaurar desde aquí durante 30 días.",
  "Restored, as a draft.": "Restaurada, como borrador.",
  "Restored.": "Restaurada.",
  "The trash is empty": "La papelera está vacía",
});
