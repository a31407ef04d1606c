// Posts from a table: a file or what is pasted, its columns, its rows with what is wrong, and what became of
// them.
import { html, useEffect } from "../html.js";
import { t, tn } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { to } from "../router.js";
import { loadBasics, loadPlatforms, may } from "../store.js";
import { stylesheet } from "../stylesheet.js";
import { Button, LinkButton } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { lazy } from "../components/lazy.js";
import { Loaded, Skeleton } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { useImport } from "./import-model.js";

await stylesheet("pages/import.css");

const Source = lazy(() => import("./import-source.js"), 6);
const Meaning = lazy(() => import("./import-meaning.js"), 10);
const Rows = lazy(() => import("./import-table.js"), 10);

export default function ImportPage() {
  const basics = useLoad(() => Promise.all([loadBasics(), loadPlatforms()]), []);
  return html`
    <${Page}
      title=${t("Import posts")}
      subtitle=${t(
        "From a CSV file or a table that you paste. Nothing is created before you have seen every row.",
      )}
      actions=${
        html`<${LinkButton} href=${to("posts")} icon="posts">
          ${t("All posts")}
        <//>`
      }
    >
      <${Loaded} loaded=${basics} lines=${8}>
        ${() =>
          may("posts:write") ? html`
            <${Steps} />
          ` : html`
            <${Empty} title=${t("You may not create posts")}>
              ${t("Ask an owner or an admin of this workspace.")}
            <//>
          `
        }
      <//>
    <//>
  `;
}

function Steps() {
  const model = useImport();
  const { source, state } = model;
  const count = source ? source.records.length - (state?.meaning.hasHeader ? 1 : 0) : 0;
  useWarning(model.running === "create");
  if (!model.isReady) return html`<${Skeleton} lines=${8} />`;
  if (!source || !state) return html`<${Source} model=${model} />`;
  return html`
    <div class="notice">
      <p>
        <strong dir="auto">${source.name}</strong> · ${tn(count, "{n} row", "{n} rows")}
      </p>
      <${Button} icon="close" busy=${model.running === "create"} onClick=${() => model.discard()}>
        ${t("Another file")}
      <//>
    </div>
    ${!model.isKept && html`
      <p class="notice warn">
        ${t(
          "This browser keeps nothing: if you leave the page, choose the file again. No row is created twice.",
        )}
      </p>
    `}
    ${state.step === "columns" ? html`<${Meaning} model=${model} />` : html`<${Rows} model=${model} />`}
  `;
}

/** Leaving asks first while posts are being made. @param {boolean} isOn */
function useWarning(isOn) {
  useEffect(() => {
    if (!isOn) return undefined;
    const ask = (/** @type {BeforeUnloadEvent} */ event) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isOn]);
}
