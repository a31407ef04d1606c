// Saving what is written: at once in the browser, every few seconds on the service. There is one post from
// the first save on, whatever is lost on the way, and what another changed is never written over.
import { signal, useEffect, useState } from "../html.js";
import { isEmpty } from "../draft.js";
import { useLive } from "../live.js";
import { loadModule } from "../modules.js";
import { rename } from "../router.js";
import { may } from "../store.js";
import { toastProblem } from "../components/toasts.js";
import {
  baseOf,
  forget,
  isOffline,
  isPassing,
  keep,
  keyOf,
  newKeptId,
  newest,
  textOf,
} from "./composer-kept.js";

/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("./composer-kept.js").Base} Base */
/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/**
 * @typedef {{
 *   keptId: string, draft: Draft, base: Base, isResumed: boolean, post: Post | null | undefined
 * }} First what to begin with; `post`: as the service has it now, null: no longer
 */

const PAUSE_MS = 2_000;
/** Between two saves; each is a row of the history, so those of long texts are further apart. */
const GAP_MS = 5_000;
const GAP_MS_PER_CHARACTER = 0.5;
const AGAIN_MS = 5_000;

class Saver {
  /** @type {Promise<boolean> | null} */ running = null;
  /** @type {unknown} */ problem = null;
  /** @type {{post: Post} | null} both changed the same */ conflict = null;
  /** @type {{post: Post | null} | null} it is no longer a draft, or no longer there */ moved = null;
  /** @type {{post: Post, changed: string[]} | null} what another changed, and is shown now */ news = null;
  savedAt = 0;
  /** Whether the browser has a copy of what the service does not have. */
  isKept = true;
  isOpen = false;
  isSending = false;
  /** @type {Base | null} as this browser has it */ keptBase = null;
  /** @type {string | null} what was saved last, as a body */ savedText = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;

  /** @type {import("./composer-steps.js").Steps | null} there soon after the page */ steps = null;
  /** Whose text is shown; empty: that of all accounts. */
  tab = "";

  changes = signal(0);

  /** @param {First} first */
  constructor({ keptId, draft, base, isResumed }) {
    this.keptId = keptId;
    this.draft = draft;
    this.origin = draft;
    this.base = base;
    if (!isResumed && draft.id) this.savedText = textOf(draft);
  }

  /** Whether it is saved while it is written; a change of what waits for its time is sent by a button. */
  get isDraft() {
    return this.base.status === "draft" && may("posts:write");
  }

  /** Whether the service lacks something. @param {boolean} [always] also if it is empty */
  isUnsaved(always = false) {
    if (!this.isDraft || this.conflict || this.moved) return false;
    if (this.base.creating || this.base.replaces) return true;
    return this.draft.id ? textOf(this.draft) !== this.savedText : always || !isEmpty(this.draft);
  }

  render() {
    this.changes.value += 1;
  }

  /** What a person does: it can be undone. @param {Partial<Draft>} values */
  change(values) {
    const before = this.draft;
    this.put(values);
    this.steps?.note(before, this.draft);
  }

  /** @param {Partial<Draft>} values */
  put(values) {
    this.draft = { ...this.draft, ...values };
    const { draft, base } = this;
    const isNothing = draft.id ? textOf(draft) === this.savedText : isEmpty(draft);
    if (isNothing && !this.running && !base.creating && !base.replaces) this.drop();
    else {
      this.keepAll();
      if (this.isOpen && history.state?.draft !== this.keptId) this.name();
    }
    this.later();
    this.render();
  }

  /** Have the address say which post this is, and the entry of the history which draft of this browser. */
  name() {
    rename(this.draft.id ? `compose/${this.draft.id}` : "compose", { draft: this.keptId });
  }

  keepAll() {
    this.isKept = keep(this.keptId, this.draft, this.base === this.keptBase ? undefined : this.base);
    this.keptBase = this.base;
  }

  /** The service has all of it: the browser needs no copy. */
  drop() {
    forget(this.keptId);
    this.keptBase = null;
  }

  /** @param {number} [wait] */
  later(wait = 0) {
    clearTimeout(this.timer);
    if (!this.isOpen || !this.isUnsaved()) return;
    const gap = GAP_MS + GAP_MS_PER_CHARACTER * (this.savedText?.length ?? 0);
    this.timer = setTimeout(
      () => void this.save(),
      Math.max(wait, PAUSE_MS, this.savedAt + gap - Date.now()),
    );
  }

  /** Save what there is now. Returns whether the service has it. @param {boolean} [always] */
  save(always) {
    clearTimeout(this.timer);
    this.running ??= this.run(always).finally(() => {
      this.running = null;
      this.render();
    });
    return this.running;
  }

  /** @param {boolean} [always] */
  async run(always) {
    if (!this.isUnsaved(always)) return true;
    try {
      const { saveNow } = await loadSaving();
      await saveNow(this);
      if (!this.isUnsaved() && !this.problem && !this.conflict && !this.moved) this.drop();
      else this.later();
    } catch (error) {
      this.problem = error;
      if (isPassing(error)) this.later(AGAIN_MS);
    }
    return !this.problem && !this.conflict && !this.moved;
  }

  /** Save until nothing is left, however long the network is away. Returns whether it is saved. */
  async flush() {
    for (;;) {
      const isSaved = await this.save(true);
      if (isSaved ? !this.isUnsaved() : !isOffline(this.problem)) return isSaved;
    }
  }

  /** Send it, as a button says. @param {Record<string, unknown>} body */
  async send(body) {
    const { sendNow } = await loadSaving();
    return sendNow(this, body);
  }

  /** The service has this now. @param {Post} post @param {import("../draft.js").Content} [sent] */
  take(post, sent) {
    const isNew = this.draft.id !== post.id;
    const { replaces } = this.base;
    this.base = { ...baseOf(post), replaces };
    if (sent) this.base.sent = sent;
    const { id, version } = post;
    this.draft = { ...this.draft, id, version, hasTargets: post.targets.length > 0 };
    if (isNew && this.isOpen) this.name();
  }

  /** Bring together what was written here and what the service has. @param {Post | null} post */
  async meet(post) {
    const { meet } = await import("./composer-merge.js");
    meet(this, post);
    this.later();
    this.render();
  }

  /** Another has changed what is shown. @param {Draft} draft */
  receive(draft) {
    const before = this.draft;
    this.draft = draft;
    if (this.steps) this.steps.meet(before);
    else this.origin = draft;
  }

  /** @param {Post | null} post */
  async meetSafely(post) {
    try {
      await this.meet(post);
    } catch (error) {
      this.problem = error;
      this.render();
    }
  }

  /** @param {First} first */
  start({ isResumed, post }) {
    this.isOpen = true;
    // What is typed before this runs is kept already, and the entry of the history does not know it yet.
    if (this.keptBase && history.state?.draft !== this.keptId) this.name();
    if (isResumed && this.draft.id && (!post || post.version !== this.draft.version))
      void this.meetSafely(post ?? null);
    else this.later();
    // Before it is needed: by then there may be no connection, or another version of the service.
    Promise.all([loadSaving(), loadSending()]).catch(toastProblem);
    loadSteps().then(({ Steps }) => {
      if (this.isOpen) this.steps = new Steps(this);
      this.render();
    }, toastProblem);
    const wake = () => this.later();
    const move = (/** @type {StorageEvent} */ event) => {
      // Another window of the same draft, such as a copy of this tab: each keeps its own from here on.
      if (event.key !== keyOf(this.keptId)) return;
      this.keptId = newKeptId();
      this.keptBase = null;
      this.name();
      if (this.isUnsaved()) this.keepAll();
    };
    addEventListener("online", wake);
    addEventListener("storage", move);
    return () => {
      removeEventListener("online", wake);
      removeEventListener("storage", move);
      this.isOpen = false;
      this.steps?.close();
      void this.save();
    };
  }

  /** Nothing more is to be saved. */
  end() {
    clearTimeout(this.timer);
    this.base = { ...this.base, status: "ended" };
    this.drop();
  }
}

const loadSaving = () => import("./composer-save.js");
const loadSending = () => import("./composer-send.js");
const loadSteps = () => loadModule(() => import("./composer-steps.js"));

/** @typedef {Saver} Saving */
/** Show a component again when something changes in it. @param {Saver} saver */
export const useChanges = (saver) => saver.changes.value;

/** The draft, as it is written and saved. @param {First} first @returns {Saver} */
export function useDraft(first) {
  const [saver] = useState(() => new Saver(first));
  useChanges(saver);
  useEffect(() => saver.start(first), []);
  const { id } = saver.draft;
  useLive(
    async () => {
      const isBusy = () => saver.running || saver.isSending || saver.conflict || saver.moved;
      if (!saver.draft.id || saver.base.status === "ended" || isBusy()) return;
      const post = await newest(saver.draft.id).catch(() => undefined); // the next save says what is wrong
      if (post !== undefined && !isBusy() && (!post || post.version > saver.draft.version))
        await saver.meetSafely(post);
    },
    { seconds: 15, active: Boolean(id), concerns: ({ subject }) => subject === id },
  );
  return saver;
}

/** @typedef {(purpose: "draft" | "send", isDuplicate?: boolean) => Promise<void>} Submit */

/** @param {Saving} saver @param {boolean} isUploading */
export function useSend(saver, isUploading) {
  const [busy, setBusy] = useState("");
  const [refused, setRefused] = useState(/** @type {unknown} */ (null));
  /** @type {Submit} */
  const submit = async (purpose, isDuplicate = false) => {
    if (busy || isUploading) return;
    setBusy(purpose);
    setRefused(null);
    try {
      const { isDraft } = saver;
      if (isDraft && !(await saver.flush())) setRefused(saver.problem);
      else await (await loadSending()).deliver(saver, purpose, isDuplicate);
    } catch (error) {
      setRefused(error);
    } finally {
      setBusy("");
    }
  };
  return { submit, busy, refused };
}
