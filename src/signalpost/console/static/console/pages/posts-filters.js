// The filters of the posts, which stand in the address.
import { html } from "../html.js";
import { client } from "../client.js";
import { t } from "../i18n.js";
import { filter } from "../router.js";
import { accounts, networkName, platforms } from "../store.js";
import { Field } from "../components/field.js";
import { TypedField } from "../components/typed-field.js";

/** @typedef {{q: string, status: string, platform: string, accountId: string, tag: string}} Chosen */

/** The address of all posts, of the client that is chosen. */
export const NO_FILTERS = { q: "", status: "", platform: "", accountId: "", tag: "" };

const STATUSES = /** @type {() => [string, string][]} */ (
  () => [
    ["", t("All states")],
    ["draft", t("Draft")],
    ["scheduled", t("Scheduled")],
    ["queued", t("Queued")],
    ["publishing", t("Publishing")],
    ["published", t("Published")],
    ["partial", t("Partly published")],
    ["failed", t("Failed")],
  ]
);

/** The accounts that can be chosen: of the client and the network, if these are. @param {Chosen} chosen */
const choices = ({ platform, accountId }) =>
  (accounts.value ?? []).filter(
    (account) =>
      account.id === accountId ||
      ((!client.value || account.profileId === client.value) &&
        (!platform || account.platform === platform)),
  );

/** @param {Chosen} chosen */
export function Filters(chosen) {
  return html`
    <form
      class="row filters many"
      role="search"
      onSubmit=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <${TypedField}
        type="search"
        label=${t("Search")}
        value=${chosen.q}
        placeholder=${t("Words in title or text")}
        maxlength="200"
        onPause=${(/** @type {string} */ q) => filter({ q })}
      />
      <${Field}
        label=${t("State")}
        options=${STATUSES()}
        value=${chosen.status}
        onInput=${(/** @type {string} */ value) => filter({ status: value })}
      />
      <${Field}
        label=${t("Network")}
        options=${[
          ["", t("All networks")],
          ...(platforms.value ?? []).map((network) => [network.platform, network.name]),
        ]}
        value=${chosen.platform}
        onInput=${(/** @type {string} */ value) => filter({ platform: value, accountId: "" })}
      />
      <${Field}
        label=${t("Account")}
        options=${[
          ["", t("All accounts")],
          ...choices(chosen).map((account) => [
            account.id,
            `${account.displayName || account.username} · ${networkName(account.platform)}`,
          ]),
        ]}
        value=${chosen.accountId}
        onInput=${(/** @type {string} */ value) => filter({ accountId: value })}
      />
      <${TypedField}
        label=${t("Tag")}
        value=${chosen.tag}
        maxlength="100"
        onPause=${(/** @type {string} */ tag) => filter({ tag })}
      />
    </form>
  `;
}
