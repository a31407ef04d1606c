// What the service would answer about a draft.
import { html, useEffect, useMemo, useState } from "../html.js";
import { post as send } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { bodyOf } from "../draft.js";
import { lazy } from "../components/lazy.js";
import { ProblemBox } from "../components/problem-box.js";

const Result = lazy(() => import("./composer-result.js"), 1);

/** @typedef {import("../draft.js").Draft} Draft */

/** What the service says about the draft, asked again when typing pauses. @param {Draft} draft */
export function useCheck(draft) {
  const [result, setResult] = useState(
    /** @type {{checked: PostValidation | null, problem: unknown}} */ ({ checked: null, problem: null }),
  );
  const body = useMemo(
    () => JSON.stringify(bodyOf(draft, draft.when === "schedule" && !draft.at ? "draft" : "check")),
    [draft],
  );
  // What is left of a picture changes with it, and it is not part of the post.
  const focal = JSON.stringify(draft.media.map(({ picture }) => picture?.focalPoint));
  useEffect(() => {
    if (!draft.accountIds.length || !hasContent(draft)) {
      setResult({ checked: null, problem: null });
      return undefined;
    }
    const aborted = new AbortController();
    const timer = setTimeout(() => {
      const { id: _, ...content } = JSON.parse(body);
      send(
        "/posts/validate",
        { ...content, profileId: draft.profileId },
        { signal: aborted.signal, key: "" },
      ).then(
        (checked) => setResult({ checked, problem: null }),
        (problem) => aborted.signal.aborted || setResult({ checked: null, problem }),
      );
    }, CHECK_MS);
    return () => {
      clearTimeout(timer);
      aborted.abort();
    };
  }, [body, focal]);
  return result;
}

/** @param {Draft} draft */
const hasContent = ({ text, media, thread, variants, own }) =>
  Boolean(text || media.length || thread?.length) ||
  Object.values(variants).some(Boolean) ||
  Object.values(own ?? {}).some((values) => values.media?.length);

/** @typedef {import("signalpost/api").Schemas["PostValidation"]} PostValidation */
const CHECK_MS = 400;

/**
 * What the service would answer.
 * @param {{checked: PostValidation | null, problem: unknown, draft: Draft}} props
 */
export function Checks({ checked, problem, draft }) {
  if (problem) return html`<${ProblemBox} problem=${problem} />`;
  if (!checked)
    return html`
      <div class="notice">
        <${Icon} name="dot" />
        <p>
          ${!draft.accountIds.length
            ? t("Choose at least one account.")
            : hasContent(draft)
              ? t("Checking…")
              : t("Write something, or add a file: counters, checks and previews appear as you type.")}
        </p>
      </div>
    `;
  return html`<${Result} checked=${checked} />`;
}
