// The library: every file, what it shows, where it is used. Files are dropped, pasted or chosen, and can be
// resumed.
import { html, useEffect, useRef, useState } from "../html.js";
import { curlOf, get } from "../api.js";
import { number, t, tn } from "../i18n.js";
import { useLoad } from "../hooks.js";
import { mayDeleteFile } from "../rights.js";
import { filter, go, to } from "../router.js";
import { loadBasics, may } from "../store.js";
import { UploadList, filesOf, useUploads } from "../uploads.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Loaded, Skeleton } from "../components/loaded.js";
import { More, usePages } from "../components/more.js";
import { Page } from "../components/page.js";
import { Delete, Details } from "./media-details.js";
import { size } from "../units.js";
import { MediaCard, MediaFilters, PAGE } from "./media-parts.js";

/** @typedef {import("../html.js").InputEvent} InputEvent */
/** @typedef {import("signalpost/api").Schemas["Media"]} Media */
/** @typedef {import("signalpost/api").Schemas["MediaStats"]} MediaStats */

/** @param {{query: Record<string, string>}} props */
export default function Media({ query }) {
  const { q = "", kind = "", described = "", profileId = "" } = query;
  const filters = { q, kind, described, profileId };
  const loaded = usePages("/media", { ...filters, limit: PAGE });
  const figures = useFigures(profileId);
  const [selected, setSelected] = useState(/** @type {string[]} */ ([]));
  const [opened, setOpened] = useState(/** @type {Media | null} */ (null));
  const [deleting, setDeleting] = useState(/** @type {Media[]} */ ([]));
  const canWrite = may("media:write");
  const again = () => void Promise.all([loaded.reload(), figures.reload()]);
  const uploads = useUploads(profileId, again);
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const upload = () => picker.current?.click();
  const chosen = (loaded.data?.data ?? []).filter((/** @type {MediaData} */ media) =>
    selected.includes(media.id),
  );
  if (!figures.data && !figures.problem)
    return html`
      <div class="page wide">
        <${Skeleton} lines=${10} />
      </div>
    `; // at once, so that nothing moves
  const changed = () => {
    setDeleting([]);
    setOpened(null);
    setSelected([]);
    again();
  };
  return html`
    <${Page}
      wide
      title=${t("Media")}
      subtitle=${figures.data && html`<${Figures} ...${figures.data} />`}
      actions=${canWrite && html`<${UploadButton} onClick=${upload} />`}
    >
      <${Uploads} picker=${picker} canWrite=${canWrite} uploads=${uploads} />
      <${MediaFilters} filters=${filters} set=${filter} />
      <${Selection} chosen=${chosen} selected=${selected} onSelect=${setSelected} onDelete=${setDeleting} />
      <${Library}
        loaded=${loaded}
        filters=${filters}
        selected=${selected}
        onSelect=${setSelected}
        onOpen=${setOpened}
        onUpload=${canWrite && upload}
      />
      ${opened && html`
        <${Details}
          media=${opened}
          onClose=${() => setOpened(null)}
          onSaved=${() => {
            setOpened(null);
            again();
          }}
          onDelete=${() => setDeleting([opened])}
        />
      `}
      ${deleting.length > 0 && html`
        <${Delete} files=${deleting} onClose=${() => setDeleting([])} onDone=${changed} />
      `}
    <//>
  `;
}

/** How many files there are, and how much they may fill. @param {string} profileId */
function useFigures(profileId) {
  return useLoad(async () => {
    const [stats, usage] = await Promise.all([
      get("/media/stats", { profileId }),
      get("/auth/usage"),
      loadBasics(),
    ]);
    return { stats, limit: usage.limits.storageBytes, used: usage.usage.storageBytes };
  }, [profileId]);
}

/** @param {{onClick: () => void}} props */
const UploadButton = ({ onClick }) => html`
  <${Button} kind="primary" icon="plus" onClick=${onClick}>
    ${t("Upload files")}
  <//>
`;

/**
 * Files that are dropped on the page or pasted; whether some hover over it.
 * @param {boolean} canWrite
 * @param {(files: File[]) => void} add
 */
function useDrop(canWrite, add) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!canWrite) return undefined;
    const over = (/** @type {DragEvent} */ event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (/** @type {DragEvent} */ event) => event.relatedTarget || setOver(false);
    const take = (/** @type {DragEvent & ClipboardEvent} */ event) => {
      const files = filesOf(event.dataTransfer ?? event.clipboardData);
      setOver(false);
      if (!files.length) return;
      event.preventDefault();
      add(files);
    };
    const handlers = /** @type {[string, EventListener][]} */ ([
      ["dragover", over],
      ["dragleave", leave],
      ["drop", take],
      ["paste", take],
    ]);
    handlers.forEach(([name, handler]) => document.addEventListener(name, handler));
    return () => handlers.forEach(([name, handler]) => document.removeEventListener(name, handler));
  });
  return isOver;
}

/** @param {{stats: MediaStats, limit: number | null, used: number}} props */
const Figures = ({ stats, limit, used }) => html`
  ${tn(stats.files, "{n} file", "{n} files")} ·${" "}
  ${limit ? t("{used} of {limit}", { used: size(used), limit: size(limit) }) : size(stats.bytes)}
  ${limit && html`<progress max=${limit} value=${used} aria-label=${t("Storage")} />`}
  ${stats.images > 0 && html`
    ${" "}
    ·${" "}
    <a href=${to("media", { described: stats.imagesDescribed < stats.images ? "false" : "" })}>
      ${t("{done} of {all} images described", {
        done: number(stats.imagesDescribed),
        all: number(stats.images),
      })}
    </a>
    `}
`;

/** @typedef {import("signalpost/api").Schemas["Media"]} MediaData */
/** @typedef {import("signalpost/api").Schemas["MediaList"]} MediaList */
/** @typedef {{current: HTMLInputElement | null}} Picker */

/** @param {{picker: Picker, canWrite: boolean, uploads: ReturnType<typeof useUploads>}} props */
function Uploads({ picker, canWrite, uploads }) {
  const isOver = useDrop(canWrite, uploads.add);
  return html`
    <input
      ref=${picker}
      type="file"
      multiple
      hidden
      aria-label=${t("Upload files")}
      accept="image/*,video/*,application/pdf"
      onChange=${(/** @type {InputEvent} */ event) => {
        uploads.add([...(event.currentTarget.files ?? [])]);
        event.currentTarget.value = "";
      }}
    />
    ${canWrite && html`
      <div class=${isOver ? "files over" : "files"}>
        <span class="soft">${t("Drop files anywhere on this page, or paste them.")}</span>
        <${UploadList} uploads=${uploads} />
      </div>
    `}
  `;
}

/**
 * @param {{
 *   chosen: MediaData[], selected: string[], onSelect: (ids: string[]) => void,
 *   onDelete: (files: MediaData[]) => void
 * }} props `chosen`: those of the selected that are shown
 */
function Selection({ chosen, selected, onSelect, onDelete }) {
  if (!chosen.length) return null;
  const write = () => go("compose", { media: selected.join(",") });
  return html`
    <div class="selection" role="region" aria-label=${t("Selection")}>
      <strong>${tn(chosen.length, "{n} file selected", "{n} files selected")}</strong>
      ${may("posts:write") && html`
        <${Button} icon="compose" onClick=${write}>
          ${t("Write a post with them")}
        <//>
      `}
      ${chosen.every(mayDeleteFile) && html`
        <${Button} kind="danger" icon="trash" onClick=${() => onDelete(chosen)}>
          ${t("Delete")}
        <//>
      `}
      <${Button} kind="quiet" onClick=${() => onSelect([])}>
        ${t("Clear the selection")}
      <//>
    </div>
  `;
}

/**
 * @param {{
 *   loaded: {data: MediaList, problem: unknown, reload: () => void, setData: (page: MediaList) => void},
 *   filters: Record<string, string>, selected: string[],
 *   onSelect: (change: (old: string[]) => string[]) => void, onOpen: (media: MediaData) => void,
 *   onUpload: (() => void) | false
 * }} props
 */
function Library({ loaded, filters, selected, onSelect, onOpen, onUpload }) {
  return html`
    <${Loaded} loaded=${loaded} lines=${8}>
      ${(/** @type {MediaList} */ page) =>
        page.data.length ? html`
          <ul class="media-grid" aria-label=${t("Files")}>
            ${page.data.map((media) => html`
              <${MediaCard}
                key=${media.id}
                media=${media}
                isSelected=${selected.includes(media.id)}
                onOpen=${() => onOpen(media)}
                onSelect=${(/** @type {boolean} */ isOn) =>
                  onSelect((old) => [...old.filter((id) => id !== media.id), ...(isOn ? [media.id] : [])])
                }
              />
            `)}
          </ul>
          <${More}
            path="/media"
            query=${{ ...filters, limit: PAGE }}
            page=${page}
            setPage=${loaded.setData}
            summary=${tn(page.data.length, "{n} file shown", "{n} files shown")}
          />
        ` : html`
          <${NoMedia} filters=${filters} onUpload=${onUpload} />
        `
      }
    <//>
  `;
}

/** @param {{filters: Record<string, string>, onUpload: (() => void) | false}} props */
function NoMedia({ filters, onUpload }) {
  if (Object.values(filters).some(Boolean))
    return html`
      <${Empty}
        title=${t("Nothing found")}
        icon="search"
        action=${
          html`<${Button} onClick=${() => filter({ q: "", kind: "", described: "", profileId: "" })}>
            ${t("Clear the filters")}
          <//>`
        }
      >
        ${t("No file matches these filters.")}
      <//>
    `;
  return html`
    <${Empty}
      title=${t("No files yet")}
      icon="media"
      action=${onUpload && html`<${UploadButton} onClick=${onUpload} />`}
      curl=${curlOf("/media/upload", '-F file=@cat.jpg -F altText="A cat asleep on a keyboard"')}
    >
      ${t("Images, videos and documents that you upload here or add to posts can be used again and again.")}
    <//>
  `;
}
