// A button that copies a text.
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { Button } from "./button.js";

/** Copy a text. @param {{text: string, label?: string}} props */
export function Copy({ text, label = t("Copy") }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2_000);
  };
  return html`
    <${Button} kind="quiet" icon=${done ? "check" : "copy"} onClick=${copy}>
      ${done ? t("Copied") : label}
    <//>
  `;
}
