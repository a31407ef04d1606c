// What a user thinks of the plans: by itself, or as the reason of a cancellation.
import { html, useState } from "../html.js";
import { post } from "../api.js";
import { t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Field } from "../components/field.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("../html.js").Children} Children */

const REASONS = () =>
  /** @type {[string, string][]} */ ([
    ["too_expensive", t("too expensive")],
    ["missing_feature", t("something is missing")],
    ["bugs", t("it does not work well")],
    ["switched", t("we use something else")],
    ["unused", t("we do not use it")],
    ["other", t("something else")],
  ]);

/**
 * @param {{
 *   stage: "cancel" | "general", title: string, act?: () => Promise<void>, actName?: string,
 *   children?: Children,
 *   onClose: () => void
 * }} props
 */
export function Feedback({ stage, title, act, actName, children, onClose }) {
  const [fields, setFields] = useState({ reason: "other", comment: "", rating: "" });
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) =>
    setFields({ ...fields, [name]: value });
  const [busy, send] = useAction(async () => {
    setProblem(null);
    try {
      await act?.();
      await post("/billing/feedback", {
        reason: fields.reason,
        stage,
        comment: fields.comment || null,
        rating: fields.rating ? Number(fields.rating) : null,
      });
      if (!act) toast(t("Thank you. People read it."));
      onClose();
    } catch (error) {
      setProblem(error);
    }
  });
  return html`
    <${Dialog}
      title=${title}
      onClose=${onClose}
      onSubmit=${send}
      actions=${
        html`
          <${Button} onClick=${onClose}>${act ? t("Keep it") : t("Cancel")}<//>
          <${Button} kind=${act ? "danger" : "primary"} type="submit" busy=${busy}>
            ${actName ?? t("Send")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      ${children}
      <${Field}
        label=${act ? t("Why?") : t("What is it about?")}
        options=${REASONS()}
        value=${fields.reason}
        onInput=${set("reason")}
      />
      ${!act && html`
        <${Field}
          label=${t("How do you like it?")}
          options=${[
            ["", t("no answer")],
            ["5", t("5, very much")],
            ["4", "4"],
            ["3", "3"],
            ["2", "2"],
            ["1", t("1, not at all")],
          ]}
          value=${fields.rating}
          onInput=${set("rating")}
        />
      `}
      <${Field}
        label=${t("In your own words")}
        rows=${4}
        maxlength="2000"
        value=${fields.comment}
        onInput=${set("comment")}
      />
    <//>
  `;
}
