// Writing into a text as if it were typed.

/**
 * Put a text where the cursor of a field is, instead of what is selected. The browser can undo it.
 * @param {HTMLTextAreaElement} field @param {string} text
 */
export function insertText(field, text) {
  field.focus();
  // No other way keeps what Ctrl+Z takes back; it is called obsolete, and every browser has it.
  if (document.execCommand("insertText", false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
