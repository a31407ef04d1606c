// Whose card pays, and the way to another person who pays from now on.
import { html } from "../html.js";
import { ROOT, patch, post, remove } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { Button } from "../components/button.js";
import { toast } from "../components/toasts.js";
import { day, isLive, isOwner } from "./billing-parts.js";

/** @typedef {import("../html.js").Children} Children */
/** @typedef {import("signalpost/api").Schemas["BillingSubscription"]} BillingSubscription */

/** @param {{status: BillingSubscription, reload: () => Promise<void>}} props */
export function Payer({ status, reload }) {
  const { handover, payer } = status;
  const here = `${location.origin}${ROOT}/console/billing`;
  const [isOpening, enter] = useAction(async () => {
    location.assign((await post("/billing/payer", { successUrl: `${here}/paid`, cancelUrl: here })).url);
  });
  const [isEnding, end] = useAction(async () => {
    await remove("/billing/handover");
    await reload();
    toast(t("The offer has ended."));
  });
  const card = html`
    <${Button} kind="primary" busy=${isOpening} onClick=${enter}>
      ${t("Enter a card")}
    <//>
  `;
  if (handover?.isYou && handover.movesOwnership)
    return html`
      <${Banner}
        icon="team"
        text=${t(
          "You are offered this workspace. Enter a card by {day}: it pays from the next payment on, and the workspace becomes yours. Nothing is charged now.",
          { day: day(handover.expiresAt) },
        )}
      >
        ${card}
        <${Button} busy=${isEnding} onClick=${end}>
          ${t("Decline")}
        <//>
      <//>
    `;
  if (handover?.movesOwnership && isOwner())
    return html`
      <${Banner}
        icon="clock"
        text=${t(
          "{name} is offered this workspace until {day}. It moves when a card is entered; yours is removed then.",
          { name: handover.name, day: day(handover.expiresAt) },
        )}
      >
        <${Button} busy=${isEnding} onClick=${end}>
          ${t("Take the offer back")}
        <//>
      <//>
    `;
  if (!payer || !isLive(status.status)) return null;
  if (isOwner() && !payer.isYou) {
    const until = day(status.currentPeriodEnd ?? "");
    return html`
      <${Banner}
        tone="warn"
        icon="warn"
        text=${t("{name} has paid until {day}. Enter a card of your own to go on.", {
          name: payer.name,
          day: until,
        })}
      >
        ${card}
      <//>
    `;
  }
  if (isOwner() || !payer.isYou || status.status === "cancelled") return null;
  return html`<${PaysForAnother} reload=${reload} />`;
}

/** Your card pays, but the workspace is no longer yours. @param {{reload: () => Promise<void>}} props */
function PaysForAnother({ reload }) {
  const [isCancelling, cancel] = useAction(async () => {
    await patch("/billing/subscription", { cancelAtPeriodEnd: true });
    await reload();
    toast(t("The subscription ends with its period."));
  });
  return html`
    <${Banner}
      tone="warn"
      icon="warn"
      text=${t("Your card pays for this workspace, which belongs to another person.")}
    >
      <${Button} busy=${isCancelling} onClick=${cancel}>
        ${t("Cancel the subscription")}
      <//>
    <//>
  `;
}

/** @param {{tone?: string, icon: string, text: Children, children?: Children}} props */
function Banner({ tone = "", icon, text, children }) {
  return html`
    <div class=${`notice ${tone}`} role="status">
      <${Icon} name=${icon} />
      <div class="grow">
        <p>${text}</p>
      </div>
      ${children}
    </div>
  `;
}
