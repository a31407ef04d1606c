// A larger plan that waits until its payment is confirmed, on a page of the provider that leads nowhere back.
import { html } from "../html.js";
import { patch } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { dateTime } from "../time.js";
import { Button } from "../components/button.js";
import { toast } from "../components/toasts.js";
import { isOwner } from "./billing-parts.js";

/** @typedef {import("./billing.js").Data} Data */

/** @param {{data: Data, reload: () => Promise<void>}} props */
export default function Confirm({ data: { plans, status }, reload }) {
  const { confirmation } = status;
  const [isDropping, drop] = useAction(async () => {
    await patch("/billing/subscription", { plan: status.plan, interval: status.interval });
    await reload();
    toast(t("The plan stays as it is."));
  });
  if (!confirmation) return null;
  const plan =
    plans.data.find((candidate) => candidate.key === confirmation.plan)?.name ?? confirmation.plan;
  return html`
    <div class="notice warn" role="status">
      <${Icon} name="clock" />
      <div class="grow">
        <p>
          <strong>${t("Your bank wants you to confirm the payment for {plan}.", { plan })}</strong>
        </p>
        <p>
          ${confirmation.url
            ? t(
                "Confirm it by {when}: the page opens in another tab, and this one follows by itself. Until then nothing is charged, and the plan stays as it is.",
                { when: dateTime(confirmation.expiresAt) },
              )
            : t("Only the person whose card pays can confirm it.")}
        </p>
      </div>
      ${confirmation.url && html`
        <a class="button primary" href=${confirmation.url} target="_blank" rel="noopener">
          ${t("Confirm the payment")}
        </a>
      `}
      ${isOwner() && html`
        <${Button} busy=${isDropping} onClick=${drop}>
          ${t("Drop the change")}
        <//>
      `}
    </div>
  `;
}
