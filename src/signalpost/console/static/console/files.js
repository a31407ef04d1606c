// The files of a post: dropped, pasted or chosen; described; put in order.
import { html, useEffect, useRef, useState } from "./html.js";
import { get } from "./api.js";
import { Icon } from "./icons.js";
import { t } from "./i18n.js";
import { Button, Field, ProblemBox } from "./ui.js";
import { upload } from "./upload.js";

/** @typedef {import("./draft.js").File} Kept */
const FILES_MAX = 35;

/** The address of a file under the name by which the browser knows this service. @param {string} url */
export const local = (url) => {
  const { pathname, search } = new URL(url, location.origin);
  return pathname + search;
};

/** @param {{files: Kept[], profileId: string, onChange: (files: Kept[]) => void, onUploading: (count: number) => void}} props */
export function Files({ files, profileId, onChange, onUploading }) {
  const [waiting, setWaiting] = useState(/** @type {{key: string, name: string, sent: number, problem: unknown, aborted: AbortController}[]} */ ([]));
  const [over, setOver] = useState(false);
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const latest = useRef(files);
  latest.current = files;
  const running = waiting.filter((each) => !each.problem).length;
  useEffect(() => onUploading(running), [running]);
  useMissingPreviews(files, latest, onChange);

  const update = (/** @type {string} */ key, /** @type {any} */ values) => setWaiting((/** @type {any[]} */ all) => all.map((each) => (each.key === key ? { ...each, ...values } : each)));
  const end = (/** @type {string} */ key) => setWaiting((/** @type {any[]} */ all) => all.filter((each) => each.key !== key));
  const add = async (/** @type {File} */ file) => {
    const key = `${file.name}-${Math.random()}`;
    const aborted = new AbortController();
    setWaiting((/** @type {any[]} */ all) => [...all, { key, name: file.name, sent: 0, problem: null, aborted }]);
    try {
      const media = await upload(file, profileId, (sent) => update(key, { sent }), aborted.signal);
      const preview = media.kind === "image" || media.kind === "gif" ? URL.createObjectURL(file) : "";
      latest.current = [...latest.current, { mediaId: media.id, altText: "", kind: media.kind, preview, name: file.name }];
      onChange(latest.current);
      end(key);
    } catch (problem) {
      if (aborted.signal.aborted) end(key);
      else update(key, { problem });
    }
  };
  const addAll = (/** @type {FileList | undefined | null} */ list) => [...(list ?? [])].slice(0, FILES_MAX - files.length).forEach(add);
  useEffect(() => {
    const paste = (/** @type {ClipboardEvent} */ event) => {
      if (!event.clipboardData?.files.length) return;
      event.preventDefault();
      addAll(event.clipboardData.files);
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  });
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    addAll(event.dataTransfer?.files);
  };
  const described = files.filter((file) => file.altText.trim()).length;
  return html`<section class=${over ? "files over" : "files"} aria-label=${t("Files")} onDragOver=${(/** @type {Event} */ event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <div class="files-head"><${Button} icon="image" onClick=${() => picker.current?.click()}>${t("Add files")}<//><span class="soft small">${files.length ? t("{done} of {all} described", { done: described, all: files.length }) : t("or drop and paste them here")}</span></div>
    <input ref=${picker} type="file" multiple hidden aria-label=${t("Add files")} accept="image/*,video/*,application/pdf" onChange=${(/** @type {any} */ event) => { addAll(event.currentTarget.files); event.currentTarget.value = ""; }} />
    ${files.map((file, index) => html`<${One} key=${file.mediaId} file=${file} index=${index} files=${files} onChange=${onChange} />`)}
    ${waiting.map((each) => html`<div class="upload" key=${each.key}>${each.problem ? html`<${ProblemBox} problem=${each.problem} />` : html`<span class="grow">${each.name}</span><progress max="1" value=${each.sent} aria-label=${t("Upload of {name}", { name: each.name })} />`}
      <${Button} kind="quiet" icon="close" aria-label=${t("Remove {name}", { name: each.name })} onClick=${() => { each.aborted.abort(); end(each.key); }} /></div>`)}</section>`;
}

/** Files of a draft that was opened again have no preview yet. @param {Kept[]} files @param {{current: Kept[]}} latest @param {(files: Kept[]) => void} onChange */
function useMissingPreviews(files, latest, onChange) {
  useEffect(() => {
    const missing = files.filter((file) => !file.kind || file.preview.startsWith("blob:"));
    if (!missing.length) return;
    void Promise.allSettled(missing.map((file) => get(`/media/${file.mediaId}`, {}, { quiet: true }))).then((results) => {
      const found = new Map(results.flatMap((result) => (result.status === "fulfilled" ? [[result.value.id, result.value]] : [])));
      onChange(latest.current.map((file) => {
        const media = found.get(file.mediaId);
        return media ? { ...file, kind: media.kind, name: media.fileName, preview: local(media.thumbnailUrl ?? media.url) } : file;
      }));
    });
  }, []);
}

/** @param {{file: Kept, index: number, files: Kept[], onChange: (files: Kept[]) => void}} props */
function One({ file, index, files, onChange }) {
  const name = file.name || t("File {n}", { n: index + 1 });
  const move = () => onChange([...files.slice(0, index - 1), file, files[index - 1], ...files.slice(index + 1)]);
  return html`<div class="file">${file.preview ? html`<img class="thumb" src=${file.preview} alt="" />` : html`<span class="thumb soft"><${Icon} name="image" /></span>`}
    <${Field} label=${t("Description of {name}", { name })} value=${file.altText} maxlength="5000" placeholder=${t("What it shows, for people who cannot see it")} onInput=${(/** @type {string} */ altText) => onChange(files.map((each) => (each === file ? { ...each, altText } : each)))} />
    ${index > 0 && html`<${Button} kind="quiet" onClick=${move} aria-label=${t("Move {name} forward", { name })}>↑<//>`}
    <${Button} kind="quiet" icon="trash" aria-label=${t("Remove {name}", { name })} onClick=${() => onChange(files.filter((each) => each !== file))} /></div>`;
}
