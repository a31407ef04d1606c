// The plans side by side, and the change to one of them.
import { html, useState } from "../html.js";
import { ROOT, patch, post } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { useAction } from "../hooks.js";
import { stylesheet } from "../stylesheet.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { Card } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { toast } from "../components/toasts.js";
import { Feedback } from "./billing-dialogs.js";
import { day, isLive, isOwner, limitValue, money, planLimitName } from "./billing-parts.js";

await stylesheet("pages/billing-plans.css");

const FREE = "free";
const SHOWN = /** @type {const} */ ([
  "accounts",
  "posts",
  "scheduledPosts",
  "members",
  "webhooks",
  "storageBytes",
  "aiCaptions",
  "analyticsDays",
]);

/** @typedef {import("signalpost/api").Schemas["BillingSubscription"]} BillingSubscription */
/** @typedef {import("signalpost/api").Schemas["Plan"]} Plan */
/** @typedef {import("./billing.js").Data} Data */

/**
 * @param {{
 *   data: Data, setStatus: (status: BillingSubscription) => void, reload: () => Promise<void>
 * }} props
 */
export default function Plans({ data, setStatus, reload }) {
  const { plans, status } = data;
  const [interval, setInterval] = useState(/** @type {string} */ (status.interval ?? "month"));
  const [chosen, setChosen] = useState(/** @type {Plan | null} */ (null));
  const rank = (/** @type {string} */ key) => plans.data.findIndex((plan) => plan.key === key);
  return html`
    <${Card}
      title=${t("Plans")}
      actions=${
        html`<div class="segmented" role="group" aria-label=${t("Paid")}>
          ${[
            ["month", t("by month")],
            ["year", t("by year")],
          ].map(([key, name]) => html`
            <${Button}
              kind="quiet"
              aria-pressed=${key === interval ? "true" : "false"}
              onClick=${() => setInterval(key)}
            >
              ${name}
            <//>
          `)}
        </div>`
      }
    >
      <div class="plans">
        ${plans.data.map((plan) => html`
          <${Plan}
            key=${plan.key}
            plan=${plan}
            interval=${interval}
            status=${status}
            isSmaller=${rank(plan.key) < rank(status.plan)}
            onChoose=${() => setChosen(plan)}
          />
        `)}
      </div>
    <//>
    ${chosen &&
      (chosen.key === FREE ? html`
        <${Cancel} status=${status} reload=${reload} onClose=${() => setChosen(null)} />
      ` : html`
        <${Change}
          plan=${chosen}
          interval=${interval}
          status=${status}
          isSmaller=${rank(chosen.key) < rank(status.plan)}
          setStatus=${setStatus}
          onClose=${() => setChosen(null)}
        />
      `)}
  `;
}

/**
 * @param {{
 *   plan: Plan, interval: string, status: BillingSubscription, isSmaller: boolean, onChoose: () => void
 * }} props
 */
function Plan({ plan, interval, status, isSmaller, onChoose }) {
  const isBought = isLive(status.status);
  const isCurrent =
    plan.key === status.plan && (plan.key === FREE || !isBought || status.interval === interval);
  const price = interval === "year" ? plan.priceYearly : plan.priceMonthly;
  const action =
    plan.key === FREE
      ? t("Cancel the subscription")
      : plan.key === status.plan
        ? interval === "year"
          ? t("Pay by year")
          : t("Pay by month")
        : isBought && isSmaller
          ? t("Change to {plan}", { plan: plan.name })
          : t("Upgrade to {plan}", { plan: plan.name });
  const canChoose =
    isOwner() && !isCurrent && (plan.key === FREE ? isBought && status.status !== "cancelled" : true);
  return html`
    <section class=${isCurrent ? "plan current" : "plan"} aria-label=${plan.name}>
      <h3>
        ${plan.name}${" "}
        ${isCurrent ? html`
          <span class="badge ok">
            <${Icon} name="check" />
            ${t("yours")}
          </span>
        ` : (
          plan.recommended && html`
            <span class="badge info">
              <${Icon} name="dot" />
              ${t("recommended")}
            </span>
          `
        )}
      </h3>
      <p class="price">
        <strong>${money(price)}</strong>${" "}
        <span class="soft">${interval === "year" ? t("a year") : t("a month")}</span>
      </p>
      <p class="soft">${plan.description}</p>
      <dl class="facts small">
        ${SHOWN.map((name) => html`
          <dt>${planLimitName(name)}</dt>
          <dd>${limitValue(name, plan.limits[name])}</dd>
        `)}
      </dl>
      <ul class="features small">
        ${plan.features.map((/** @type {string} */ feature) => html`
          <li>
            <${Icon} name="check" />
            ${feature}
          </li>
        `)}
      </ul>
      ${canChoose && html`
        <${Button} kind=${isSmaller ? "plain" : "primary"} onClick=${onChoose}>
          ${action}
        <//>
      `}
    </section>
  `;
}

/** What came of a change; where a bank asks, the page says it. @param {any} changed @param {string} plan */
function sayChanged(changed, plan) {
  if (changed.confirmation) return;
  toast(
    changed.pendingChange
      ? t("The plan changes at the end of the period.")
      : t("The plan {plan} is in force.", { plan }),
  );
}

/**
 * Buy a plan, or change to it.
 * @param {{
 *   plan: Plan, interval: string, status: BillingSubscription, isSmaller: boolean,
 *   setStatus: (status: BillingSubscription) => void,
 *   onClose: () => void
 * }} props
 */
function Change({ plan, interval, status, isSmaller, setStatus, onClose }) {
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const isBought = isLive(status.status);
  const [busy, change] = useAction(async () => {
    setProblem(null);
    try {
      if (isBought) {
        const changed = await patch("/billing/subscription", { plan: plan.key, interval });
        setStatus(changed);
        sayChanged(changed, plan.name);
        onClose();
      } else {
        const here = `${location.origin}${ROOT}/console/billing`;
        location.assign(
          (
            await post("/billing/checkout", {
              plan: plan.key,
              interval,
              successUrl: `${here}/paid`,
              cancelUrl: here,
            })
          ).url,
        );
      }
    } catch (error) {
      setProblem(error);
    }
  });
  const isLater = isSmaller || (plan.key === status.plan && interval === "month");
  const price = money(interval === "year" ? plan.priceYearly : plan.priceMonthly);
  const words = !isBought
    ? t("The payment page opens. The plan is in force when the payment is confirmed.")
    : isLater
      ? t(
          "It begins on {day}, at the end of the period that is paid. Until then everything stays as it is.",
          { day: day(status.currentPeriodEnd ?? "") },
        )
      : t("It begins at once. The rest of the period is paid now, minus what was paid already.");
  return html`
    <${Dialog}
      title=${t("Change to {plan}", { plan: plan.name })}
      onClose=${onClose}
      onSubmit=${change}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Keep the current one")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${isBought ? t("Change the plan") : t("Go to the payment")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <p>
        <strong>${plan.name}</strong> ·${" "}
        ${interval === "year" ? t("{price} a year", { price }) : t("{price} a month", { price })}
      </p>
      <p>${words}</p>
      ${isSmaller && html`
        <p class="soft">
          ${t("What is more than the plan allows stays, but nothing can be added until it fits.")}
        </p>
      `}
    <//>
  `;
}

/**
 * End the subscription with its period; the reason goes with it.
 * @param {{status: BillingSubscription, reload: () => Promise<void>, onClose: () => void}} props
 */
function Cancel({ status, reload, onClose }) {
  const cancel = async () => {
    await patch("/billing/subscription", { cancelAtPeriodEnd: true });
    await reload();
    toast(t("The subscription ends with its period."));
  };
  return html`
    <${Feedback}
      stage="cancel"
      title=${t("Cancel the subscription")}
      act=${cancel}
      actName=${t("Cancel the subscription")}
      onClose=${onClose}
    >
      <p>
        ${t("It ends on {day}; what is paid stays in force until then. You can continue it before.", {
          day: status.currentPeriodEnd ? day(status.currentPeriodEnd) : t("the end of the period"),
        })}
      </p>
    <//>
  `;
}
