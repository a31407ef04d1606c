// One file: what it shows, where it is used; and deleting files.
import { html, useState } from "../html.js";
import { Problem, get, local, patch, remove } from "../api.js";
import { number, t, tn } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { PostTable } from "../post-parts.js";
import { mayDeleteFile } from "../rights.js";
import { may } from "../store.js";
import { Time } from "../time.js";
import { Button } from "../components/button.js";
import { ConfirmDialog } from "../components/confirm-dialog.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { lazyDialog } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast, toastProblem } from "../components/toasts.js";
import { size } from "../units.js";
import { kindName } from "./media-parts.js";

/** @typedef {import("signalpost/api").Schemas["Media"]} Media */

const ALT_MAX = 1500;
const Focal = lazyDialog(() => import("./cut-focal.js"));
const Forms = lazyDialog(() => import("./cut-forms.js"));
/** @typedef {Media["focalPoint"]} Point */

/** @param {{media: Media, onClose: () => void, onSaved: () => void, onDelete: () => void}} props */
export function Details({ media, onClose, onSaved, onDelete }) {
  const [altText, setAltText] = useState(media.altText ?? "");
  const [point, setPoint] = useState(media.focalPoint);
  const canWrite = may("media:write");
  const [busy, save] = useAction(async () => {
    await patch(`/media/${media.id}`, { altText: altText.trim() || null, focalPoint: point });
    toast(t("Saved."));
    onSaved();
  });
  return html`
    <${Dialog}
      wide
      title=${media.fileName}
      onClose=${onClose}
      onSubmit=${canWrite ? save : undefined}
      actions=${
        canWrite && html`
          ${mayDeleteFile(media) && html`
            <${Button} kind="danger" icon="trash" onClick=${onDelete}>
              ${t("Delete")}
            <//>
          `}
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Save")}
          <//>
        `
      }
    >
      <div class="media-details">
        <${Large} media=${media} point=${point} setPoint=${canWrite ? setPoint : undefined} />
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
          <${Facts} media=${media} />
        </div>
      </div>
      ${media.error && html`
        <${ProblemBox}
          problem=${new Problem({ code: "unusable_file", detail: media.error.message }, 422)}
        />
      `}
      <h3>${t("Where it is used")}</h3>
      <${Uses} media=${media} />
    <//>
  `;
}

/** @param {{files: Media[], onClose: () => void, onDone: () => void}} props */
export function Delete({ files, onClose, onDone }) {
  const uses = files.reduce((sum, media) => sum + media.usedByPosts, 0);
  const act = async () => {
    const results = await Promise.allSettled(files.map((media) => remove(`/media/${media.id}`)));
    const refused = results.filter((result) => result.status === "rejected");
    refused
      .slice(0, 3)
      .forEach((result) => toastProblem(/** @type {PromiseRejectedResult} */ (result).reason));
    if (refused.length < files.length)
      toast(tn(files.length - refused.length, "{n} file deleted.", "{n} files deleted."));
    onDone();
  };
  return html`
    <${ConfirmDialog}
      title=${tn(files.length, "Delete {n} file?", "Delete {n} files?")}
      confirm=${t("Delete")}
      keep=${t("Cancel")}
      act=${act}
      onClose=${onClose}
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

/** @param {{media: Media, point: Point, setPoint?: (point: Point) => void}} props */
function Large({ media, point, setPoint }) {
  const [isMarking, setMarking] = useState(false);
  const isVideo = media.kind === "video" && media.url;
  const isPicture = media.url && media.kind === "image";
  const original = isVideo ? html`
    <video class="media-large" controls src=${local(media.url ?? "")} />
  ` : media.url && media.kind !== "document" ? html`
    <img class="media-large" src=${local(media.url ?? "")} alt=${media.altText ?? ""} />
  ` : null;
  return html`
    <div>
      ${isPicture && isMarking ? html`
        <${Focal}
          url=${local(media.url ?? "")}
          alt=${media.altText ?? ""}
          point=${point}
          set=${setPoint}
        />
      ` : media.url && media.variants.length > 0 ? html`
        <${Forms} media=${media}>${original}<//>
      ` : (
        original
      )}
      ${isPicture && setPoint && !isMarking && html`
        <${Button} kind="quiet" icon="cut" onClick=${() => setMarking(true)}>
          ${t("Choose what must stay in view")}
        <//>
      `}
      ${media.url && html`
        <p>
          <a href=${local(media.url)} target="_blank" rel="noopener">
            ${t("Open the file")}
          </a>
        </p>
      `}
    </div>
  `;
}

/** @param {{media: Media}} props */
function Facts({ media }) {
  return html`
    <dl class="facts">
      <dt>${t("Kind")}</dt>
      <dd>
        ${kindName(media.kind)} · ${media.mimeType}
      </dd>
      <dt>${t("Size")}</dt>
      <dd>
        ${size(media.size)}
        ${media.width && ` · ${number(media.width ?? 0)} × ${number(media.height ?? 0)}`}
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
  `;
}

/** @param {{media: Media}} props */
function Uses({ media }) {
  const used = useLoad(
    async () => (media.usedByPosts ? (await get("/posts", { mediaId: media.id, limit: 10 })).data : []),
    [media.id],
  );
  return html`
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
  `;
}
