// The plan: its state, what is used of it, and the way to another one. Nothing here is shown before the API
// says it.
import { html, useEffect, useState } from "../html.js";
import { get, patch, post } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { accountOf, loadBasics, may, networkName } from "../store.js";
import { relative } from "../time.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { NetworkLogo } from "../components/network-logo.js";
import { Card, Page } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { Feedback } from "./billing-dialogs.js";
import { Use, day, isLive, isOwner, money } from "./billing-parts.js";
import { Payer } from "./billing-payer.js";

import Confirm from "./billing-confirm.js";
import Plans from "./billing-plans.js";

/** @typedef {import("signalpost/api").Schemas["BillingSubscription"]} BillingSubscription */
/** @typedef {Awaited<ReturnType<typeof load>>} Data */

/**
 * Where a payment may just have been made, the provider is asked without waiting for its notification.
 * @param {boolean} mayBePaid
 */
async function load(mayBePaid) {
  // The page says what is known, and follows by itself.
  if (mayBePaid) await post("/billing/refresh").catch(() => null);
  const [plans, status, usage] = await Promise.all([
    get("/billing/plans"),
    get("/billing/status"),
    get("/auth/usage"),
    loadBasics(),
  ]);
  return { plans, status, usage };
}

/** @param {{id: string}} props */
export default function Billing({ id }) {
  const isAllowed = may("billing:read");
  const isPaid = id === "paid";
  const [isFirst, setFirst] = useState(isPaid);
  const [isConfirming, setConfirming] = useState(false);
  const loaded = useLoad(async () => {
    setFirst(false);
    return isAllowed ? load(isFirst || isConfirming) : null;
  }, []);
  const [isWriting, setWriting] = useState(false);
  const current = loaded.data?.status;
  // The page looks again while the bank has not confirmed, or a successor's card has not been seen yet.
  const isWaiting = Boolean(current?.confirmation || (isPaid && current?.handover?.isYou));
  useEffect(() => setConfirming(isWaiting), [isWaiting]);
  useLive(loaded.reload, { seconds: 6, active: isWaiting });
  useLive(loaded.reload, {
    seconds: 3,
    active: isPaid && Boolean(current) && !isLive(current?.status ?? ""),
  });
  if (!isAllowed)
    return html`
      <${Page} title=${t("Billing")}>
        <${Empty} title=${t("Only owners and admins see this")} icon="billing">
          ${t("Ask the owner of the workspace about its plan.")}
        <//>
      <//>
    `;
  return html`
    <${Page}
      title=${t("Billing")}
      actions=${
        html`<${Button} onClick=${() => setWriting(true)}>${t("Tell us what you think")}<//>`
      }
    >
      <${Loaded} loaded=${loaded} lines=${9}>
        ${(/** @type {Data} */ data) => html`
          ${data.plans.billingEnabled ? html`
            ${isPaid && !isWaiting && html`<${Paid} status=${data.status} />`}
            <${Payer} status=${data.status} reload=${loaded.reload} />
            <${Confirm} data=${data} reload=${loaded.reload} />
            <${State} data=${data} reload=${loaded.reload} />
            ` : html`
            <${Unlimited} />
          `}
          <${Uses} data=${data} />
          ${data.plans.billingEnabled && html`
            <${Plans}
              data=${data}
              setStatus=${(/** @type {BillingSubscription} */ status) =>
                loaded.setData({ ...data, status })
              }
              reload=${loaded.reload}
            />
          `}
        `}
      <//>
      ${isWriting && html`
        <${Feedback}
          stage="general"
          title=${t("Tell us what you think")}
          onClose=${() => setWriting(false)}
        />
      `}
    <//>
  `;
}

/**
 * Back from the payment page: the plan is in force when the payment is confirmed.
 * @param {{status: BillingSubscription}} props
 */
function Paid({ status }) {
  if (isLive(status.status))
    return html`
      <div class="notice ok" role="status">
        <${Icon} name="check" />
        <p>${t("Thank you. The plan is in force.")}</p>
      </div>
    `;
  return html`
    <div class="notice" role="status">
      <span class="spinner" aria-hidden="true" />
      <p>
        ${t(
          "Thank you. The plan is in force as soon as the payment is confirmed; this page follows by itself.",
        )}
      </p>
    </div>
  `;
}

/** @typedef {{tone: string, icon: string, text: unknown}} Sentence */

/** What the state means, in a sentence. @param {BillingSubscription} status @returns {Sentence | null} */
function sentenceOf(status) {
  const end = status.currentPeriodEnd && day(status.currentPeriodEnd);
  if (status.status === "trialing")
    return {
      tone: "",
      icon: "clock",
      text: t("The trial ends on {day}. Then the first payment is made.", {
        day: day(status.trialEndsAt ?? status.currentPeriodEnd ?? ""),
      }),
    };
  if (status.status === "past_due")
    return {
      tone: "bad",
      icon: "warn",
      text: status.graceEndsAt
        ? t(
            "A payment failed. The plan stays in force until {day} ({when}); then the workspace has the plan Free. Pay the open invoice or change the card.",
            { day: day(status.graceEndsAt), when: relative(status.graceEndsAt) },
          )
        : t("A payment failed. Pay the open invoice or change the card."),
    };
  if (status.status === "paused")
    return { tone: "warn", icon: "pause", text: t("The subscription is paused.") };
  if (status.status === "cancelled")
    return {
      tone: "warn",
      icon: "clock",
      text: t("The subscription is cancelled and ends on {day}. Until then everything stays as it is.", {
        day: end ?? "",
      }),
    };
  if (status.status === "expired")
    return { tone: "warn", icon: "clock", text: t("The subscription has ended.") };
  return null;
}

const BRANDS = /** @type {Record<string, string>} */ ({
  amex: "American Express",
  diners: "Diners Club",
  jcb: "JCB",
  unionpay: "UnionPay",
});
/** @param {string} brand */
const brandName = (brand) => BRANDS[brand] ?? brand.charAt(0).toUpperCase() + brand.slice(1);

/** Whether the card is that of the reader, as far as anybody knows. @param {BillingSubscription} status */
const mayPay = (status) => status.provider && (status.payer ? status.payer.isYou : isOwner());

/** @param {{data: Data, reload: () => Promise<void>}} props */
function State({ data, reload }) {
  const { status, plans } = data;
  const sentence = sentenceOf(status);
  const [isOpening, openPortal] = useAction(async () => {
    location.assign((await post("/billing/portal", { returnUrl: location.href })).url);
  });
  const [isResuming, resume] = useAction(async () => {
    await patch("/billing/subscription", { resume: true });
    await reload();
    toast(t("The subscription continues."));
  });
  const [isKeeping, keep] = useAction(async () => {
    await patch("/billing/subscription", { plan: status.plan, interval: status.interval });
    await reload();
    toast(t("Nothing changes at the end of the period."));
  });
  const pending = status.pendingChange;
  return html`
    <${Card}
      title=${t("Your plan")}
      actions=${
        mayPay(status) && html`
          <${Button} busy=${isOpening} onClick=${openPortal}>
            ${t("Cards and invoices")}
          <//>
        `
      }
    >
      ${sentence && html`
        <div class=${`notice ${sentence.tone}`} role="status">
          <${Icon} name=${sentence.icon} />
          <div class="grow">
            <p>${sentence.text}</p>
          </div>
          ${isOwner() && ["cancelled", "paused"].includes(status.status) && html`
            <${Button} busy=${isResuming} onClick=${resume}>
              ${t("Continue it")}
            <//>
          `}
        </div>
      `}
      ${pending && html`
        <div class="notice" role="status">
          <${Icon} name="clock" />
          <div class="grow">
            <p>
              ${t("On {day} the plan becomes {plan}.", {
                day: day(pending.effectiveAt),
                plan: plans.data.find((candidate) => candidate.key === pending.plan)?.name ?? pending.plan,
              })}
            </p>
          </div>
          ${isOwner() && html`
            <${Button} busy=${isKeeping} onClick=${keep}>
              ${t("Keep the current one")}
            <//>
          `}
        </div>
      `}
      <${Facts} data=${data} />
    <//>
  `;
}

/** @param {{data: Data}} props */
function Uses({ data }) {
  const { usage } = data;
  return html`
    <div class="columns">
      <${Card}
        title=${t("Use of the plan")}
        actions=${html`<span class="soft">${t("until {day}", { day: day(usage.period.end) })}</span>`}
      >
        <ul class="list">
          ${Object.entries(usage.usage).map(([name, used]) => html`
            <${Use}
              key=${name}
              name=${name}
              used=${used}
              most=${usage.limits[/** @type {keyof typeof usage.limits} */ (name)]}
            />
          `)}
        </ul>
      <//>
      <${Card} title=${t("Quotas of the networks")}>
        <p class="soft">
          ${t("Posts of each account in the last 24 hours. The networks set these limits.")}
        </p>
        ${usage.platformQuotas.length ? html`
          <ul class="list">
            ${usage.platformQuotas.slice(0, QUOTAS_MAX).map((quota) => html`
              <${Use}
                key=${quota.accountId}
                name="quota"
                used=${quota.used}
                most=${quota.limit}
                none=${t("limit not known")}
                label=${
                  html`
                    ${accountOf(quota.accountId)?.username ?? t("Account")}${" "}
                    <${NetworkLogo} platform=${quota.platform} />${" "}
                    <span class="soft">${networkName(quota.platform)}</span>
                  `
                }
              />
            `)}
          </ul>
        ` : html`
          <p class="soft">${t("No account is connected.")}</p>
        `}
      <//>
    </div>
  `;
}

const QUOTAS_MAX = 50;

function Unlimited() {
  return html`
    <div class="notice ok" role="status">
      <${Icon} name="check" />
      <p>
        <strong>${t("Everything is unlimited.")}</strong>${" "}
        ${t("This installation sells no plans: every workspace has all features, without limits.")}
      </p>
    </div>
  `;
}

/** What is paid, when and by what. @param {{data: Data}} props */
function Facts({ data }) {
  const { status, plans } = data;
  const plan = plans.data.find((candidate) => candidate.key === status.plan);
  const price =
    plan && status.interval && money(status.interval === "year" ? plan.priceYearly : plan.priceMonthly);
  return html`
    <p class="plan-name">
      <strong>${plan?.name ?? status.plan}</strong>
      ${price && html`
        ${" "}
        ·${" "}
        ${status.interval === "year" ? t("{price} a year", { price }) : t("{price} a month", { price })}
        `}
    </p>
    ${status.status === "active" && status.currentPeriodEnd && html`
      <p class="soft">${t("Next payment on {day}.", { day: day(status.currentPeriodEnd) })}</p>
    `}
    ${status.paymentMethod && html`
      <p class="soft">
        ${t("{brand} card that ends in {last4}, valid until {month}/{year}", {
          brand: brandName(status.paymentMethod.brand),
          last4: status.paymentMethod.last4,
          month: String(status.paymentMethod.expMonth).padStart(2, "0"),
          year: String(status.paymentMethod.expYear),
        })}
      </p>
    `}
    ${status.payer && !status.payer.isYou && isLive(status.status) && html`
      <p class="soft">${t("{name} pays for it.", { name: status.payer.name })}</p>
    `}
    ${!isOwner() && html`<p class="soft">${t("Only the owner can change it.")}</p>`}
  `;
}
