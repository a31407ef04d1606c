// The same post for other clients, each as a post of its own.
import { html, useState } from "../html.js";
import { Problem, newKey, post as send } from "../api.js";
import { Button } from "../components/button.js";
import { CheckList } from "../components/check-list.js";
import { Dialog } from "../components/dialog.js";
import { Check, Field } from "../components/field.js";
import { FormDialog, useForm } from "../components/form.js";
import { activeOptions, profileOptions } from "../components/profile-field.js";
import { ProblemBox } from "../components/problem-box.js";
import { t, tn } from "../i18n.js";
import { to } from "../router.js";
import { may } from "../store.js";

/** @typedef {import("signalpost/api").Schemas["Post"]} Post */
/** @typedef {import("signalpost/api").Schemas["FanoutResult"]} Result */

/** @param {{post: Post, onClose: () => void}} props */
export default function PassOn({ post, onClose }) {
  const [key] = useState(newKey);
  const [result, setResult] = useState(/** @type {Result | null} */ (null));
  const others = activeOptions().filter(([id]) => id !== post.profileId);
  const form = useForm(
    { profileIds: /** @type {string[]} */ ([]), captionPrefix: "", draft: true },
    async ({ profileIds, captionPrefix, draft }) => {
      const { text, title, link, firstComment, tags, campaign, thread, options } = post;
      setResult(
        await send(
          "/posts/fanout",
          {
            ...{ text, title, link, firstComment, tags, campaign, thread, options, draft },
            media: post.media.map(({ mediaId, altText }) => ({ mediaId, altText })),
            targets: profileIds.map((profileId) => ({
              profileId,
              ...(captionPrefix ? { captionPrefix } : {}),
            })),
          },
          { key },
        ),
      );
    },
  );
  if (result) return html`<${Done} result=${result} onClose=${onClose} />`;
  return html`
    <${FormDialog}
      title=${t("Pass on to other clients")}
      form=${form}
      submit=${t("Pass on")}
      disabled=${!form.values.profileIds.length}
      onClose=${onClose}
    >
      <div role="group" aria-label=${t("Clients")}>
        <${CheckList}
          options=${others}
          value=${form.values.profileIds}
          onInput=${(/** @type {string[]} */ profileIds) => form.change({ profileIds })}
        />
      </div>
      <${Field} label=${t("Words in front")} maxlength="100" ...${form.field("captionPrefix")} />
      ${may("posts:publish") && html`
        <${Check}
          label=${t("As drafts, for someone to look at")}
          hint=${t("Otherwise they are published now, to all accounts of these clients.")}
          ...${form.check("draft")}
        />
      `}
    <//>
  `;
}

/** @param {{result: Result, onClose: () => void}} props */
function Done({ result, onClose }) {
  const names = Object.fromEntries(profileOptions());
  return html`
    <${Dialog}
      title=${tn(result.created, "Passed on to {n} client", "Passed on to {n} clients")}
      onClose=${onClose}
      actions=${
        html`<${Button} kind="primary" onClick=${onClose}>
          ${t("Done")}
        <//>`
      }
    >
      <ul class="list">
        ${result.posts.map((post) => html`
          <li key=${post.id}>
            <a href=${to(`posts/${post.id}`)} dir="auto">
              ${names[post.profileId]}
            </a>
          </li>
        `)}
      </ul>
      ${result.errors.map((error) => html`
        <h3 key=${error.index} dir="auto">
          ${names[error.profileId]}
        </h3>
        <${ProblemBox} problem=${new Problem(error.problem, error.problem.status)} />
      `)}
    <//>
  `;
}
