// A text rewritten for networks, by rules or by the operator's language model. Nothing is saved by it.
import { html, useState } from "../html.js";
import { post } from "../api.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";
import { useForm } from "../components/form.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { number, t } from "../i18n.js";
import { networkName } from "../store.js";

/** @typedef {import("../draft.js").Change} Change */
/** @typedef {import("../draft.js").Draft} Draft */
/** @typedef {import("signalpost/api").Schemas["Caption"]} Caption */
/** @typedef {import("signalpost/api").Schemas["Captions"]} Captions */
/** @typedef {import("signalpost/api").Schemas["PlatformAccount"]} PlatformAccount */

const VARIANTS = 3;

/**
 * Of each network the best text that is one post, or the first part of a thread where none is.
 * @param {Caption[]} captions
 */
const bestOf = (captions) =>
  [...new Set(captions.map(({ platform }) => platform))].flatMap((platform) => {
    const own = captions.filter((caption) => caption.platform === platform);
    return own.find((caption) => !caption.thread.length) ?? own[0];
  });

/** @param {{draft: Draft, own: PlatformAccount[], change: Change, onClose: () => void}} props */
export default function CaptionsDialog({ draft, own, change, onClose }) {
  const chosen = own.filter((account) => draft.accountIds.includes(account.id));
  const platforms = [...new Set(chosen.map((account) => account.platform))];
  const [captions, setCaptions] = useState(/** @type {Captions | null} */ (null));
  const form = useForm({ tone: "", maxHashtags: "", model: true }, async (values) =>
    setCaptions(
      await post(
        "/posts/optimize-captions",
        {
          platforms,
          text: draft.text,
          profileId: draft.profileId,
          ...(draft.title ? { title: draft.title } : {}),
          ...(values.tone ? { tone: values.tone } : {}),
          ...(values.maxHashtags ? { maxHashtags: Number(values.maxHashtags) } : {}),
          engine: values.model ? "auto" : "rules",
          count: VARIANTS,
        },
        { key: "" },
      ),
    ),
  );
  const take = (/** @type {Caption} */ caption) => {
    const ids = chosen.filter((account) => account.platform === caption.platform).map(({ id }) => id);
    if (chosen.length === ids.length) change({ text: caption.text });
    else
      change({
        variants: { ...draft.variants, ...Object.fromEntries(ids.map((id) => [id, caption.text])) },
      });
  };
  return html`
    <${Dialog}
      title=${t("Rewrite the text")}
      wide
      onClose=${onClose}
      onSubmit=${form.submit}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Close")}<//>
          <${Button} kind=${captions ? "plain" : "primary"} type="submit" busy=${form.busy}>
            ${captions ? t("Again") : t("Suggest")}
          <//>
        `
      }
    >
      ${form.problem && html`<${ProblemBox} problem=${form.problem} />`}
      <${Fields} form=${form} />
      ${bestOf(captions?.results ?? []).map((caption) => html`
        <${Suggestion} key=${caption.platform + caption.text} caption=${caption} take=${take} />
      `)}
      ${captions && captions.usage.limit !== null && captions.engine === "model" && html`
        <p class="soft small">
          ${t("{used} of {limit} texts of the model are used this month.", {
            used: number(captions.usage.used),
            limit: number(captions.usage.limit),
          })}
        </p>
      `}
    <//>
  `;
}

/** @typedef {{tone: string, maxHashtags: string, model: boolean}} Values */
/** @param {{form: import("../components/form.js").FormOf<Values>}} props */
const Fields = ({ form }) => html`
  <p class="soft">
    ${t("Made to fit each network: shortened at the end of a sentence, with its hashtags and links.")}
  </p>
  <div class="row top">
    <${Field}
      label=${t("Tone")}
      hint=${t("Such as: friendly and short.")}
      maxlength="100"
      ...${form.field("tone")}
    />
    <${Field}
      label=${t("Hashtags at most")}
      type="number"
      min="0"
      max="100"
      ...${form.field("maxHashtags")}
    />
  </div>
  <${Check}
    label=${t("Let the language model write, if there is one")}
    hint=${t("Otherwise only rules: they cut and tidy, and write nothing new.")}
    ...${form.check("model")}
  />
`;

/** @param {{caption: Caption, take: (caption: Caption) => void}} props */
function Suggestion({ caption, take }) {
  const [isTaken, setTaken] = useState(false);
  const use = () => {
    take(caption);
    setTaken(true);
  };
  const name = networkName(caption.platform);
  return html`
    <${Card}
      title=${name}
      actions=${
        html`<${Button}
          icon=${isTaken ? "check" : "compose"}
          aria-label=${t("Use it for {network}", { network: name })}
          onClick=${use}
        >
          ${isTaken ? t("Used") : t("Use it")}
        <//>`
      }
    >
      <p class="post-text" dir="auto">
        ${caption.text}
      </p>
      <p class="soft small">
        ${number(caption.length)}/${number(caption.limit)} ·${" "}
        ${caption.engine === "model" ? t("by the language model") : t("by rules")}
        ${caption.thread.length > 0 && html` · ${t("the rest does not fit into one post")}`}
      </p>
    <//>
  `;
}
