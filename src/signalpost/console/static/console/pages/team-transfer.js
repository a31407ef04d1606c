// Giving the workspace to another member; if a card would be charged for it, the member enters their own
// first.
import { html, useState } from "../html.js";
import { Problem, post } from "../api.js";
import { t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { to } from "../router.js";
import { loadBasics, reloadMe } from "../store.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";

/** @typedef {import("signalpost/api").Schemas["Member"]} Member */

/** @param {{member: Member, name: string, onClose: () => void}} props */
export default function MakeOwner({ member, name, onClose }) {
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const isPaid = problem instanceof Problem && problem.code === "billing_active";
  const [busy, give] = useAction(async () => {
    setProblem(null);
    try {
      await post("/team/transfer", { memberId: member.id });
      await Promise.all([reloadMe(), loadBasics()]);
      toast(t("{name} owns the workspace now.", { name }));
      onClose();
    } catch (error) {
      setProblem(error);
    }
  });
  const [offering, offer] = useAction(async () => {
    try {
      await post("/billing/handover", { memberId: member.id });
      toast(t("{name} can take it over now, under Billing.", { name }));
      onClose();
    } catch (error) {
      setProblem(error);
    }
  });
  if (isPaid) {
    return html`
      <${Dialog}
        title=${t("Your card pays for this workspace")}
        onClose=${onClose}
        onSubmit=${offer}
        actions=${
          html`
            <a class="button" href=${to("billing")}>
              ${t("Cancel the subscription first")}
            </a>
            <${Button} kind="primary" type="submit" busy=${offering}>
              ${t("Offer it with the payments")}
            <//>
          `
        }
      >
        <p>
          ${t(
            "It cannot go to someone else while your card is charged for it. Offer it to {name} together with the payments: it moves when they have entered a card, and yours is removed. Nobody pays twice. Or cancel the subscription first.",
            { name },
          )}
        </p>
      <//>
    `;
  }
  return html`
    <${Dialog}
      title=${t("Make {name} the owner?", { name })}
      onClose=${onClose}
      onSubmit=${give}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Keep it")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Make the owner")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <p>${t("You become an admin. Only {name} can give it back.", { name })}</p>
    <//>
  `;
}
