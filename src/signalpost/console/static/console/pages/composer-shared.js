// Pictures and videos that another app shares with the console: nothing is sent before the person says so, as
// any page of the web can pretend to be an app.
import { html, useEffect, useState } from "../html.js";
import { ROOT } from "../api.js";
import { Icon } from "../icons.js";
import { t, tn } from "../i18n.js";
import { Button } from "../components/button.js";
import { toastProblem } from "../components/toasts.js";

/** Where the service worker keeps them. */
const PLACE = `${location.origin}${ROOT}/console#shared`;

/** Take them: whoever opens the composer next finds none. @returns {Promise<File[]>} */
async function take() {
  if (!(await caches.has(PLACE))) return [];
  const cache = await caches.open(PLACE);
  const files = [];
  for (const request of await cache.keys()) {
    const name = decodeURIComponent(request.url.slice(request.url.lastIndexOf("/") + 1));
    const content = await (await cache.match(request))?.blob();
    if (content) files.push(new File([content], name, { type: content.type }));
  }
  await caches.delete(PLACE);
  return files;
}

/** @param {{onAdd: (files: File[]) => void}} props */
export default function Shared({ onAdd }) {
  const [files, setFiles] = useState(/** @type {File[]} */ ([]));
  useEffect(() => {
    take().then(setFiles, toastProblem);
  }, []);
  if (!files.length) return null;
  const add = () => {
    setFiles([]);
    onAdd(files);
  };
  return html`
    <div class="notice info" role="status">
      <${Icon} name="image" />
      <div class="grow">
        <p>${tn(files.length, "Another app shares {n} file.", "Another app shares {n} files.")}</p>
        <p class="small">${files.map(({ name }) => name).join(", ")}</p>
        <div class="actions">
          <${Button} onClick=${add}>${t("Add to the post")}<//>
          <${Button} kind="quiet" onClick=${() => setFiles([])}>
            ${t("Leave out")}
          <//>
        </div>
      </div>
    </div>
  `;
}
