// Payments: whether the provider is heard, and where what it charges differs from what workspaces have.
import { html } from "../html.js";
import { ROOT, get, post } from "../api.js";
import { Icon } from "../icons.js";
import { t } from "../i18n.js";
import { useAction, useLoad } from "../hooks.js";
import { useLive } from "../live.js";
import { Time, relative } from "../time.js";
import { Button } from "../components/button.js";
import { Empty } from "../components/empty.js";
import { Loaded } from "../components/loaded.js";
import { Card } from "../components/page.js";
import { toast } from "../components/toasts.js";
import { List } from "./admin-list.js";

/** @typedef {import("signalpost/api").Schemas["PaymentProvider"]} PaymentProvider */
/** @typedef {import("signalpost/api").Schemas["PaymentDifference"]} PaymentDifference */

const QUERY = { limit: 50 };
/** What is different, and the button that repairs it. */
const KINDS = () =>
  /** @type {Record<string, [string, string]>} */ ({
    unknown_workspace: [t("Charged for a workspace that is not here"), t("End it and give back")],
    several: [t("Pays for a second subscription"), t("End it and give back")],
    not_served: [t("Has less than is paid"), t("Give what is paid")],
    served_unpaid: [t("Has more than is paid"), t("Read it again")],
    refunded: [t("Charged and given back"), ""],
  });
const SOLUTIONS = () =>
  /** @type {Record<string, string>} */ ({
    "read again": t("read again"),
    "left as it is": t("left as it is"),
    "ended and given back": t("ended and given back"),
    "ended, and the last payment given back": t("ended, and the last payment given back"),
    "the plan that is paid was given": t("the plan that is paid was given"),
  });

export default function Payments() {
  const system = useLoad(() => get("/admin/system"), []);
  const differences = useLoad(() => get("/admin/payments/differences", QUERY), []);
  useLive(system.reload, { seconds: 30 });
  return html`
    <${Loaded} loaded=${system} lines=${9}>
      ${(/** @type {typeof system.data} */ { payments }) =>
        payments ? html`
          <${Heard} payments=${payments} />
          <${Differences} loaded=${differences} comparedAt=${payments.comparedAt} />
        ` : html`
          <${Empty} title=${t("This installation takes no payments")} icon="billing">
            <a href=${`${ROOT}/docs/guides/billing`} target="_blank" rel="noopener">
              ${t("How to sell plans")}
            </a>
          <//>
        `
      }
    <//>
  `;
}

/** @param {{payments: PaymentProvider}} props */
function Heard({ payments }) {
  const summary = payments.notifiedAt
    ? t("The provider of payments notified this installation last {when}.", {
        when: relative(payments.notifiedAt),
      })
    : t("The provider of payments has not notified this installation yet.");
  const [tone, icon] = payments.isDeaf
    ? ["bad", "warn"]
    : payments.notifiedAt
      ? ["ok", "check"]
      : ["", "clock"];
  return html`
    <div class=${`notice ${tone}`} role="status">
      <${Icon} name=${icon} />
      <div class="grow">
        <p>${summary}</p>
        ${payments.refusedAt && payments.isDeaf && html`
          <p>${t("The last one was refused {when}.", { when: relative(payments.refusedAt) })}</p>
        `}
        ${payments.remedy && html`<p lang="en">${payments.remedy}</p>`}
      </div>
      ${(payments.isDeaf || !payments.notifiedAt) && html`
        <a
          class="button"
          href=${`${ROOT}/docs/guides/billing#2-connect-stripe`}
          target="_blank"
          rel="noopener"
        >
          ${t("How to set it up")}
        </a>
      `}
    </div>
  `;
}

/** @typedef {import("signalpost/api").Schemas["PaymentDifferenceList"]} PaymentDifferenceList */
/**
 * @param {{
 *   loaded: ReturnType<typeof useLoad<PaymentDifferenceList>>, comparedAt: string | null
 * }} props
 */
function Differences({ loaded, comparedAt }) {
  return html`
    <${Card} title=${t("Paid and served")}>
      <p class="soft">
        ${t("Each night, what the provider charges for is compared with what workspaces have.")}${" "}
        ${comparedAt
          ? t("Last time {when}.", { when: relative(comparedAt) })
          : t("It has not happened yet.")}
      </p>
      ${loaded.data && !loaded.data.data.length ? html`
        <p>
          <${Icon} name="check" /> ${t("There is no difference.")}
        </p>
      ` : html`
        <${List}
          loaded=${loaded}
          path="/admin/payments/differences"
          query=${QUERY}
          label=${t("Paid and served")}
          columns=${[t("Difference"), t("Workspace"), t("At the provider"), t("Found"), ""]}
          empty=""
          row=${(/** @type {PaymentDifference} */ notice) => ({
            key: notice.id,
            cells: [
              html`<span>
                <strong>${KINDS()[notice.kind][0]}</strong>
                <br />
                <span class="soft small" lang="en">
                  ${notice.detail}
                </span>
              </span>`,
              notice.workspaceId ? html`<code>${notice.workspaceId}</code>` : "–",
              html`<span>
                <code>${notice.subject}</code>
                <br />
                <code class="soft small">${notice.customerId}</code>
              </span>`,
              html`<${Time} at=${notice.foundAt} kind="relative" />`,
              notice.solvedAt ? html`
                <span class="badge ok">
                  <${Icon} name="check" />
                  ${SOLUTIONS()[notice.solution ?? ""] ?? notice.solution}
                </span>
              ` : html`
                <${Decide} difference=${notice} onDone=${loaded.reload} />
              `,
            ],
          })}
        />
      `}
    <//>
  `;
}

/** @param {{difference: PaymentDifference, onDone: () => Promise<void>}} props */
function Decide({ difference, onDone }) {
  const send = (/** @type {string} */ how) => async () => {
    await post(`/admin/payments/differences/${difference.id}/${how}`);
    toast(how === "repair" ? t("Done.") : t("It is not shown again."));
    await onDone();
  };
  const [isMending, repair] = useAction(send("repair"));
  const [isLeaving, leave] = useAction(send("leave"));
  const words = KINDS()[difference.kind][1];
  return html`
    <div class="row">
      <${Button}
        kind="primary"
        busy=${isMending}
        aria-label=${`${words}: ${difference.subject}`}
        onClick=${repair}
      >
        ${words}
      <//>
      <${Button}
        kind="quiet"
        busy=${isLeaving}
        aria-label=${t("Leave it as it is: {name}", { name: difference.subject })}
        onClick=${leave}
      >
        ${t("Leave it")}
      <//>
    </div>
  `;
}
