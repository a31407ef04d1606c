// The files of a post: dropped, pasted or chosen; described; put in order.
import { html, useEffect, useRef, useState } from "./html.js";
import { get, local } from "./api.js";
import { Icon } from "./icons.js";
import { loadTexts, number, t } from "./i18n.js";
import { loadModule } from "./modules.js";
import { inView } from "./units.js";
import { UploadList, filesOf, useUploads } from "./uploads.js";
import { Button } from "./components/button.js";
import { Field } from "./components/field.js";
import { lazyDialog } from "./components/lazy.js";
import { toastProblem } from "./components/toasts.js";

/** @typedef {import("./html.js").InputEvent} InputEvent */
/** @typedef {import("./draft.js").File} Kept */
/**
 * What is asked besides of a video: the picture that is shown for it.
 * @typedef {import("preact").ComponentType<{
 *   profileId: string, own: Record<string, unknown>, set: (own: Record<string, unknown>) => void
 * }>} CoverType
 */
/** @typedef {{draft: import("./draft.js").Draft, accounts: PlatformAccount[]}} Where */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

const Cut = lazyDialog(() => import("./pages/cut-dialog.js"));
const FILES_MAX = 35;
const ALT_MAX = 1500;

/** @typedef {import("signalpost/api").Schemas["Media"]} Media */
/** Where its picture is. @param {Media} media */
const addressOf = (media) => {
  const url = media.thumbnailUrl ?? media.url;
  return url ? local(url) : "";
};

/** A file of the library as a draft has it. @param {Media} media @returns {Kept} */
export const keptOf = (media) => ({
  mediaId: media.id,
  altText: media.altText ?? "",
  kind: media.kind,
  name: media.fileName,
  preview: addressOf(media),
  picture: pictureOf(media),
});

/** @param {Media} media */
const pictureOf = ({ width, height, focalPoint }) => ({ width, height, focalPoint });

/** A file that was sent just now: its picture is here already. @param {Media} media @param {File} file */
const uploadedOf = (media, file) => ({
  ...keptOf(media),
  preview: ["image", "gif"].includes(media.kind) ? URL.createObjectURL(file) : "",
  name: file.name,
});

/**
 * @param {{
 *   files: Kept[], profileId: string, onChange: (files: Kept[]) => void,
 *   onUploading: (count: number) => void, errorAt?: (path: string) => string | undefined,
 *   ofVideo?: CoverType, where?: Where, first?: unknown, label?: string
 * }} props `where`: for what pictures can be cut; `first`: a component that may add files, above them
 */
export function Files({ files, profileId, onChange, onUploading, errorAt, ofVideo, where, first, label }) {
  const [over, setOver] = useState(false);
  const [Picker, setPicker] = useState(/** @type {unknown} */ (null));
  const latest = useRef(files);
  latest.current = files;
  const append = (/** @type {Kept[]} */ added) => {
    latest.current = [...latest.current, ...added].slice(0, FILES_MAX);
    onChange(latest.current);
  };
  const uploads = useUploads(profileId, (media, file) => append([uploadedOf(media, file)]));
  useEffect(() => onUploading(uploads.running), [uploads.running]);
  useEffect(() => () => onUploading(0), []);
  useMissingPreviews(files, latest, onChange);
  const addAll = (/** @type {File[]} */ list) => uploads.add(list.slice(0, FILES_MAX - files.length));
  const section = useRef(/** @type {HTMLElement | null} */ (null));
  usePaste(addAll, section);
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    setOver(false);
    addAll(filesOf(event.dataTransfer));
  };
  const showPicker = () =>
    Promise.all([loadModule(() => import("./pages/media-picker.js")), loadTexts("media")]).then(
      ([module]) => setPicker(() => module.default),
      toastProblem,
    );
  return html`
    <section
      ref=${section}
      class=${over ? "files over" : "files"}
      aria-label=${label ?? t("Files")}
      onDragOver=${(/** @type {Event} */ event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave=${() => setOver(false)}
      onDrop=${drop}
    >
      <${Head} files=${files} addAll=${addAll} onLibrary=${showPicker} />
      ${first && html`<${first} onAdd=${addAll} />`}
      <${All}
        files=${files}
        profileId=${profileId}
        onChange=${onChange}
        errorAt=${errorAt}
        ofVideo=${ofVideo}
        where=${where}
      />
      <${UploadList} uploads=${uploads} />
      ${Picker && html`
        <${Picker}
          profileId=${profileId}
          chosen=${files.map((file) => file.mediaId)}
          max=${FILES_MAX - files.length}
          onClose=${() => setPicker(null)}
          onChoose=${(/** @type {Media[]} */ media) => {
            setPicker(null);
            append(media.map(keptOf));
          }}
        />
      `}
    </section>
  `;
}

/**
 * @param {{
 *   files: Kept[], profileId: string, onChange: (files: Kept[]) => void,
 *   errorAt?: (path: string) => string | undefined, ofVideo?: CoverType, where?: Where
 * }} props
 */
const All = ({ files, profileId, onChange, errorAt, ofVideo: Cover, where }) =>
  files.map((file, index) => html`
    <${One}
      key=${file.mediaId}
      file=${file}
      index=${index}
      files=${files}
      onChange=${onChange}
      error=${errorAt?.(`/media/${index}`)}
      where=${where}
    />
    ${Cover && file.kind === "video" && html`
      <${Cover}
        key=${`cover-${file.mediaId}`}
        profileId=${profileId}
        own=${file.own ?? {}}
        set=${(/** @type {Record<string, unknown>} */ own) =>
          onChange(files.map((entry) => (entry === file ? { ...entry, own } : entry)))
        }
      />
    `}
  `);

/**
 * Files that are pasted: into the part of a thread that is written in, or else into the post.
 * @param {(files: File[]) => void} add
 * @param {{current: HTMLElement | null}} section
 */
function usePaste(add, section) {
  useEffect(() => {
    const partOf = (/** @type {EventTarget | null} */ place) =>
      place instanceof Element ? place.closest(".part") : null;
    const paste = (/** @type {ClipboardEvent} */ event) => {
      if (!event.clipboardData?.files.length) return;
      if (partOf(event.target) !== partOf(section.current)) return;
      event.preventDefault();
      add(filesOf(event.clipboardData));
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  });
}

/** @param {{files: Kept[], addAll: (files: File[]) => void, onLibrary: () => void}} props */
function Head({ files, addAll, onLibrary }) {
  const picker = useRef(/** @type {HTMLInputElement | null} */ (null));
  const described = files.filter((file) => file.altText.trim()).length;
  return html`
    <div class="files-head">
      <${Button} icon="image" onClick=${() => picker.current?.click()}>
        ${t("Add files")}
      <//>
      <${Button} kind="quiet" icon="media" onClick=${onLibrary}>
        ${t("From the library")}
      <//>
      <span class="soft small">
        ${files.length
          ? t("{done} of {all} described", { done: described, all: files.length })
          : t("or drop and paste them here")}
      </span>
    </div>
    <input
      ref=${picker}
      type="file"
      multiple
      hidden
      aria-label=${t("Add files")}
      accept="image/*,video/*,application/pdf"
      onChange=${(/** @type {InputEvent} */ event) => {
        addAll([...(event.currentTarget.files ?? [])]);
        event.currentTarget.value = "";
      }}
    />
  `;
}

/**
 * Files of a draft that was opened again have no preview yet, nor have those that are undone again.
 * @param {Kept[]} files
 * @param {{current: Kept[]}} latest
 * @param {(files: Kept[]) => void} onChange
 */
function useMissingPreviews(files, latest, onChange) {
  useEffect(() => {
    const missing = files.filter((file) => !file.kind || file.preview.startsWith("blob:"));
    if (!missing.length) return;
    void Promise.allSettled(missing.map((file) => get(`/media/${file.mediaId}`, {}, { quiet: true }))).then(
      (results) => {
        const mediaById = new Map(
          results.flatMap((result) =>
            result.status === "fulfilled" ? [[result.value.id, result.value]] : [],
          ),
        );
        onChange(
          latest.current.map((file) => {
            const media = mediaById.get(file.mediaId);
            return media
              ? {
                  ...file,
                  kind: media.kind,
                  name: media.fileName,
                  preview: addressOf(media),
                  picture: pictureOf(media),
                }
              : file;
          }),
        );
      },
    );
  }, [files.some((file) => !file.kind)]);
}

/**
 * @param {{
 *   file: Kept, index: number, files: Kept[], onChange: (files: Kept[]) => void, error: string | undefined,
 *   where?: Where
 * }} props
 */
function One({ file, index, files, onChange, error, where }) {
  const [isCutting, setCutting] = useState(false);
  const name = file.name || t("File {n}", { n: index + 1 });
  const move = () =>
    onChange([...files.slice(0, index - 1), file, files[index - 1], ...files.slice(index + 1)]);
  return html`
    <div class="file">
      ${file.preview ? html`
        <img class="thumb" src=${file.preview} alt="" style=${inView(file.picture?.focalPoint)} />
      ` : html`
        <span class="thumb soft">
          <${Icon} name="image" />
        </span>
      `}
      <${Field}
        label=${t("Description of {name}", { name })}
        value=${file.altText}
        data-steps="true"
        maxlength=${ALT_MAX}
        error=${error}
        hint=${file.altText && `${number(file.altText.length)}/${number(ALT_MAX)}`}
        placeholder=${t("What it shows, for people who cannot see it")}
        onInput=${(/** @type {string} */ altText) =>
          onChange(files.map((entry) => (entry === file ? { ...entry, altText } : entry)))
        }
      />
      ${where && file.kind === "image" && html`
        <${Button}
          kind="quiet"
          icon="cut"
          aria-label=${t("Cut {name}", { name })}
          onClick=${() => setCutting(true)}
        />
      `}
      ${isCutting && html`
        <${Cut}
          ...${where}
          file=${file}
          files=${files}
          set=${(/** @type {Kept} */ changed) =>
            onChange(files.map((entry) => (entry === file ? changed : entry)))
          }
          onClose=${() => setCutting(false)}
        />
      `}
      ${index > 0 && html`
        <${Button} kind="quiet" onClick=${move} aria-label=${t("Move {name} forward", { name })}>
          ↑
        <//>
      `}
      <${Button}
        kind="quiet"
        icon="trash"
        aria-label=${t("Remove {name}", { name })}
        onClick=${() => onChange(files.filter((entry) => entry !== file))}
      />
    </div>
  `;
}
