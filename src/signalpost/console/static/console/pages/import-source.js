// Where the rows come from: a file that is chosen or dropped, or what is pasted.
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { saveCsv } from "../csv-write.js";
import { Button } from "../components/button.js";
import { Field } from "../components/field.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { BYTES_MAX } from "./import-csv.js";

/** @typedef {import("./import-model.js").Import} Import */
/** @typedef {import("../html.js").InputEvent} InputEvent */

/** The columns of a table to begin with, and a row. */
const SAMPLE = [
  ["Text", "Date", "Time", "Client", "Networks", "Image URL", "Tags"],
  ["Hello from our bakery", "2027-03-31", "18:00", "", "", "", "spring"],
];

/** @param {{model: Import}} props */
export default function Source({ model }) {
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState("");
  const read = async (/** @type {string} */ name, /** @type {Blob} */ blob) => {
    setBusy(true);
    setProblem(null);
    try {
      // A little more than is allowed is enough to see that it is too much.
      const bytes = new Uint8Array(await blob.slice(0, BYTES_MAX + 1).arrayBuffer());
      await model.choose(name, bytes);
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const take = (/** @type {FileList | null | undefined} */ files) => {
    const [file] = files ?? [];
    if (file) void read(file.name, file);
  };
  return html`
    ${problem && html`<${ProblemBox} problem=${problem} />`}
    <${Card} title=${t("A file")}>
      <${Drop} busy=${busy} take=${take} />
      <p class="actions">
        <${Button} icon="copy" onClick=${() => saveCsv("posts.csv", SAMPLE)}>
          ${t("Save a table to begin with")}
        <//>
      </p>
    <//>
    <${Card} title=${t("Or paste a table")}>
      <${Field}
        label=${t("Rows, as you copy them in a spreadsheet")}
        rows=${6}
        value=${text}
        dir="auto"
        spellcheck=${false}
        onInput=${setText}
      />
      <${Button}
        busy=${busy}
        aria-disabled=${text.trim() ? undefined : "true"}
        onClick=${() => text.trim() && read(t("Pasted table"), new Blob([text]))}
      >
        ${t("Go on")}
      <//>
    <//>
  `;
}

/** @param {{busy: boolean, take: (files: FileList | null | undefined) => void}} props */
const Drop = ({ busy, take }) => html`
  <div
    class="drop"
    onDragOver=${(/** @type {DragEvent} */ event) => event.preventDefault()}
    onDrop=${(/** @type {DragEvent} */ event) => {
      event.preventDefault();
      take(event.dataTransfer?.files);
    }}
  >
    <label class="button primary">
      ${busy ? t("Reading…") : t("Choose a CSV file")}
      <input
        class="hidden"
        type="file"
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        onChange=${(/** @type {InputEvent} */ event) => take(event.currentTarget.files)}
      />
    </label>
    <p class="soft">
      ${t("Or drop it here. Exports of Buffer, Hootsuite and Metricool are known; any other table will do.")}
    </p>
  </div>
`;
