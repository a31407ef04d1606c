// The library: every file, what it shows, where it is used. Files are dropped, pasted or chosen, and can be
// resumed.
import { html, useEffect, useRef, useState } from "../html.js";
import { get, patch, remove, curlOf, local } from "../api.js";
import { number, t, tn } from "../i18n.js";
import { PostTable } from "../post-parts.js";
import { filter, go, to } from "../router.js";
import { loadBasics, may, profiles } from "../store.js";
import { Time } from "../time.js";
import { useAction, useLoad } from "../hooks.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { Loaded, Skeleton } from "../components/loaded.js";
import { Page } from "../components/page.js";
import { toast, toastProblem } from "../components/toasts.js";
import { UploadList, filesOf, useUploads } from "../uploads.js";
import { MediaCard, MediaFilters, MoreMedia, PAGE, kindName, size } from "./media-parts.js";

const ALT_MAX = 1500;

/** @param {{query: Record<string, string>}} props */
export default function Media({ query }) {
  const { q = "", kind = "", described = "", profileId = "" } = query;
  const filters = { q, kind, described, profileId };
  const loaded = useLoad(() => get("/media", { ...filters, limit: PAGE }), Object.values(filters));
  const figures = useLoad(async () => {
    const [stats, usage] = await Promise.all([
      get("/media/stats", { profileId }),
      get("/auth/usage"),
      loadBasics(),
    ]);
    return { stats, limit: usage.limits.storageBytes, used: usage.usage.storageBytes };
  }, [profileId]);
  const [selected, setSelected] = useState(/** @type {string[]} */ ([]));
  const [opened, setOpened] = useState(/** @type {any} */ (null));
  const [deleting, setDeleting] = useState(/** @type {any[]} */ ([]));
  const canWrite = may("media:write");
  const again = () => void Promise.all([loaded.reload(), figures.reload()]);
  const uploads = useUploads(profileId, again);
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const isOver = useDrop(canWrite, uploads.add);
  const chosen = (loaded.data?.data ?? []).filter((media) => selected.includes(media.id));
  if (!figures.data && !figures.problem)
    return html`
      <div class="page wide">
        <${Skeleton} lines=${10} />
      </div>
    `; // at once, so that nothing moves
  const deleted = () => {
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
      actions=${
        canWrite && html`
          <${Button} kind="primary" icon="plus" onClick=${() => picker.current?.click()}>
            ${t("Upload files")}
          <//>
        `
      }
    >
      <input
        ref=${picker}
        type="file"
        multiple
        hidden
        aria-label=${t("Upload files")}
        accept="image/*,video/*,application/pdf"
        onChange=${(/** @type {any} */ event) => {
          uploads.add([...event.currentTarget.files]);
          event.currentTarget.value = "";
        }}
      />
      ${canWrite && html`
        <div class=${isOver ? "files over" : "files"}>
          <span class="soft">${t("Drop files anywhere on this page, or paste them.")}</span>
          <${UploadList} uploads=${uploads} />
        </div>
      `}
      <${MediaFilters} filters=${filters} set=${filter}>
        ${(profiles.value?.length ?? 0) > 1 && html`
          <${Field}
            label=${t("Profile")}
            options=${[
              ["", t("All profiles")],
              ...(profiles.value ?? []).map((profile) => [profile.id, profile.name]),
            ]}
            value=${profileId}
            onInput=${(/** @type {string} */ value) => filter({ profileId: value })}
          />
        `}
      <//>
      ${chosen.length > 0 && html`
        <div class="selection" role="region" aria-label=${t("Selection")}>
          <strong>${tn(chosen.length, "{n} file selected", "{n} files selected")}</strong>
          <${Button} icon="compose" onClick=${() => go("compose", { media: selected.join(",") })}>
            ${t("Write a post with them")}
          <//>
          ${canWrite && html`
            <${Button} kind="danger" icon="trash" onClick=${() => setDeleting(chosen)}>
              ${t("Delete")}
            <//>
          `}
          <${Button} kind="quiet" onClick=${() => setSelected([])}>
            ${t("Clear the selection")}
          <//>
        </div>
      `}
      <${Loaded} loaded=${loaded} lines=${8}>
        ${(/** @type {typeof loaded.data} */ page) =>
          page.data.length ? html`
            <ul class="media-grid" aria-label=${t("Files")}>
              ${page.data.map((media) => html`
                <${MediaCard}
                  key=${media.id}
                  media=${media}
                  isSelected=${selected.includes(media.id)}
                  onOpen=${() => setOpened(media)}
                  onSelect=${(/** @type {boolean} */ isOn) =>
                    setSelected((/** @type {string[]} */ old) => [
                      ...old.filter((id) => id !== media.id),
                      ...(isOn ? [media.id] : []),
                    ])
                  }
                />
              `)}
            </ul>
            <${MoreMedia} page=${page} filters=${filters} setPage=${loaded.setData} />
          ` : Object.values(filters).some(Boolean) ? html`
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
          ` : html`
            <${Empty}
              title=${t("No files yet")}
              icon="media"
              action=${
                canWrite && html`
                  <${Button} kind="primary" icon="plus" onClick=${() => picker.current?.click()}>
                    ${t("Upload files")}
                  <//>
                `
              }
              curl=${curlOf("/media/upload", '-F file=@cat.jpg -F altText="A cat asleep on a keyboard"')}
            >
              ${t(
                "Images, videos and documents that you upload here or add to posts can be used again and again.",
              )}
            <//>
          `
        }
      <//>
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
        <${Delete} files=${deleting} onClose=${() => setDeleting([])} onDone=${deleted} />
      `}
    <//>
  `;
}

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
    const handlers = /** @type {[string, any][]} */ ([
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

/** @param {{stats: any, limit: number | null, used: number}} props */
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

/** @param {{media: any, onClose: () => void, onSaved: () => void, onDelete: () => void}} props */
function Details({ media, onClose, onSaved, onDelete }) {
  const [altText, setAltText] = useState(media.altText ?? "");
  const used = useLoad(
    async () => (media.usedByPosts ? (await get("/posts", { mediaId: media.id, limit: 10 })).data : []),
    [media.id],
  );
  const canWrite = may("media:write");
  const [busy, save] = useAction(async () => {
    await patch(`/media/${media.id}`, { altText: altText.trim() || null });
    toast(t("Description saved."));
    onSaved();
  });
  const isVideo = media.kind === "video" && media.url;
  return html`
    <${Dialog}
      wide
      title=${media.fileName}
      onClose=${onClose}
      onSubmit=${canWrite ? save : undefined}
      actions=${
        canWrite && html`
          <${Button} kind="danger" icon="trash" onClick=${onDelete}>
            ${t("Delete")}
          <//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Save")}
          <//>
        `
      }
    >
      <div class="media-details">
        <div>
          ${isVideo ? html`
            <video class="media-large" controls src=${local(media.url)} />
          ` : media.url && media.kind !== "document" ? html`
            <img class="media-large" src=${local(media.url)} alt=${media.altText ?? ""} />
          ` : null}
          ${media.url && html`
            <p>
              <a href=${local(media.url)} target="_blank" rel="noopener">
                ${t("Open the file")}
              </a>
            </p>
          `}
        </div>
        <div>
          <${Field}
            label=${t("Description")}
            rows=${4}
            autofocus
            maxlength=${ALT_MAX}
            value=${altText}
            onInput=${setAltText}
            readonly=${canWrite ? undefined : true}
            placeholder=${t("What it shows, for people who cannot see it")}
            hint=${
              html`
                ${number(altText.length)}/${number(ALT_MAX)} ·${" "}
                ${t("Posts that already use the file keep their own.")}
              `
            }
          />
          <dl class="facts">
            <dt>${t("Kind")}</dt>
            <dd>
              ${kindName(media.kind)} · ${media.mimeType}
            </dd>
            <dt>${t("Size")}</dt>
            <dd>
              ${size(media.size)}
              ${media.width && ` · ${number(media.width)} × ${number(media.height)}`}
            </dd>
            <dt>${t("Uploaded")}</dt>
            <dd>
              <${Time} at=${media.createdAt} />
            </dd>
            ${media.expiresAt && html`
              <dt>${t("Deleted")}</dt>
              <dd>
                <${Time} at=${media.expiresAt} /> <span class="soft">${t("unless a post uses it")}</span>
              </dd>
            `}
          </dl>
        </div>
      </div>
      ${media.error && html`<p class="notice bad">${media.error.message}</p>`}
      <h3>${t("Where it is used")}</h3>
      ${media.usedByPosts ? html`
        <${Loaded} loaded=${used} lines=${2}>
          ${(/** @type {typeof used.data} */ posts) => html`
            <${PostTable} posts=${posts} label=${t("Posts that use the file")} />
            ${media.usedByPosts > posts.length && html`
              <p class="soft">
                ${t("{shown} of {all} posts", { shown: posts.length, all: number(media.usedByPosts) })}
              </p>
            `}
          `}
        <//>
      ` : html`
        <p class="soft">${t("No post uses it.")}</p>
      `}
    <//>
  `;
}

/** @param {{files: any[], onClose: () => void, onDone: () => void}} props */
function Delete({ files, onClose, onDone }) {
  const uses = files.reduce((sum, media) => sum + media.usedByPosts, 0);
  const [busy, act] = useAction(async () => {
    const results = await Promise.allSettled(files.map((media) => remove(`/media/${media.id}`)));
    const refused = results.filter((result) => result.status === "rejected");
    refused
      .slice(0, 3)
      .forEach((result) => toastProblem(/** @type {PromiseRejectedResult} */ (result).reason));
    if (refused.length < files.length)
      toast(tn(files.length - refused.length, "{n} file deleted.", "{n} files deleted."));
    onDone();
  });
  return html`
    <${Dialog}
      title=${tn(files.length, "Delete {n} file?", "Delete {n} files?")}
      onClose=${onClose}
      onSubmit=${act}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Delete")}
          <//>
        `
      }
    >
      ${uses > 0 && html`
        <p class="notice warn">
          ${tn(
            uses,
            "{n} post uses what you delete. A draft or a post that waits keeps it from being deleted; what is published stays as it is.",
            "{n} posts use what you delete. Drafts and posts that wait keep files from being deleted; what is published stays as it is.",
          )}
        </p>
      `}
      <ul>
        ${files.slice(0, 12).map((media) => html`
          <li key=${media.id}>
            ${media.fileName}
            ${media.usedByPosts ? html`
              <span class="soft">· ${tn(media.usedByPosts, "{n} use", "{n} uses")}</span>
            ` : (
              ""
            )}
          </li>
        `)}
      </ul>
      ${files.length > 12 && html`
        <p class="soft">${t("and {n} more", { n: number(files.length - 12) })}</p>
      `}
    <//>
  `;
}
