// For programs: API keys, webhooks with every delivery, the request log, and the explorer of the API.
import { html, useState } from "../html.js";
import { ROOT, all, get, patch, post, remove } from "../api.js";
import { t } from "../i18n.js";
import { useLive } from "../live.js";
import { filter, go, to } from "../router.js";
import { may } from "../store.js";
import { Time } from "../time.js";
import { useAction, useLoad } from "../hooks.js";
import { Badge } from "../components/badge.js";
import { Button } from "../components/button.js";
import { Copy } from "../components/copy.js";
import { Dialog } from "../components/dialog.js";
import { Empty } from "../components/empty.js";
import { Field } from "../components/field.js";
import { lazy } from "../components/lazy.js";
import { Loaded } from "../components/loaded.js";
import { Card, Page } from "../components/page.js";
import { ProblemBox } from "../components/problem-box.js";
import { Table } from "../components/table.js";
import { Tabs } from "../components/tabs.js";
import { toast } from "../components/toasts.js";
import { Notices, ReplayDialog, RotateDialog } from "./developers-recovery.js";
import Requests from "./developers-requests.js";

const Explorer = lazy(() => import("./developers-explorer.js"));
const PARTS = /** @type {Record<string, (query: Record<string, string>, part: string) => any>} */ ({
  webhooks: () => html`<${Webhooks} />`,
  requests: (query) => html`<${Requests} query=${query} />`,
  explorer: (query, part) => html`<${Explorer} query=${query} part=${part} />`,
});

/** @param {{id: string, part: string, query: Record<string, string>}} props */
export default function Developers({ id, part, query }) {
  if (id === "webhooks" && part) return html`<${Webhook} id=${part} query=${query} />`;
  const tabs = [
    ["", t("API keys")],
    ...(may("webhooks:read") ? [["webhooks", t("Webhooks")]] : []),
    ["requests", t("Request log")],
    ["explorer", t("Explorer")],
  ];
  return html`
    <${Page}
      title=${t("Developers")}
      actions=${
        html`<a class="button plain" href=${`${ROOT}/docs`} target="_blank" rel="noopener">
          ${t("API reference")}
        </a>`
      }
    >
      <${Tabs} label=${t("Developers")} path="developers" current=${id} tabs=${tabs} />
      ${PARTS[id]?.(query, part) ?? html`<${Keys} />`}
    <//>
  `;
}

function Keys() {
  const loaded = useLoad(() => all("/api-keys"), []);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState(/** @type {any} */ (null));
  if (!may("keys:write"))
    return html`
      <${Empty} title=${t("Your role has no API keys")} icon="developers">
        ${t("Ask an admin of the workspace for another role.")}
      <//>
    `;
  const button = html`
    <${Button} kind="primary" icon="plus" onClick=${() => setMaking(true)}>
      ${t("Make an API key")}
    <//>
  `;
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {any[] & {cut?: boolean}} */ keys) =>
        keys.length ? html`
          <p>${button}</p>
          <${Table}
            label=${t("API keys")}
            columns=${[t("Name"), t("Key"), t("Kind"), t("May"), t("Last used"), t("State"), ""]}
            rows=${keys.map((key) => ({
              key: key.id,
              cells: [
                html`<strong>${key.name}</strong>`,
                html`<code>${key.prefix}…</code>`,
                html`<${Badge} state=${key.mode} />`,
                key.permission === "read" ? t("read") : t("read and write"),
                html`<${Time} at=${key.lastUsedAt} kind="relative" />`,
                html`<${Badge} state=${key.status} />`,
                key.status === "active" && html`
                  <${Button}
                    kind="danger"
                    aria-label=${t("Revoke {name}", { name: key.name })}
                    onClick=${() => setRevoking(key)}
                  >
                    ${t("Revoke")}
                  <//>
                `,
              ],
            }))}
            cut=${keys.cut}
          />
          ` : html`
          <${Empty} title=${t("No API keys yet")} icon="developers" action=${button}>
            ${t("A program sends a key with each call. A test key sees only the sandbox.")}
          <//>
        `
      }
    <//>
    ${making && html`
      <${MakeKey}
        onClose=${() => {
          setMaking(false);
          void loaded.reload();
        }}
      />
    `}
    ${revoking && html`
      <${RevokeKey}
        apiKey=${revoking}
        onClose=${() => {
          setRevoking(null);
          void loaded.reload();
        }}
      />
    `}
  `;
}

/** @param {{onClose: () => void}} props */
function MakeKey({ onClose }) {
  const [fields, setFields] = useState({ name: "", mode: "live", permission: "read_write" });
  const [created, setMade] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [busy, make] = useAction(async () => {
    setProblem(null);
    await post("/api-keys", fields).then(setMade, setProblem);
  });
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) =>
    setFields({ ...fields, [name]: value });
  if (created) {
    return html`
      <${Dialog}
        title=${t("Copy the key now")}
        onClose=${onClose}
        actions=${
          html`
            <${Copy} text=${created.key} label=${t("Copy the key")} />
            <${Button} kind="primary" onClick=${onClose}>
              ${t("Done")}
            <//>
          `
        }
      >
        <p>${t("It is shown only now; we keep nothing from which it could be read.")}</p>
        <pre tabindex="0">${created.key}</pre>
        <p class="soft">${t("Try it:")}</p>
        <pre tabindex="0">
          curl ${location.origin}/api/v1/auth/me -H 'Authorization: Bearer ${created.key}'
        </pre>
      <//>
    `;
  }
  return html`
    <${Dialog}
      title=${t("Make an API key")}
      onClose=${onClose}
      onSubmit=${make}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Make the key")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <${Field}
        label=${t("Name")}
        hint=${t("Where it is used, such as CMS")}
        value=${fields.name}
        maxlength="100"
        onInput=${set("name")}
        autofocus
      />
      <${Field}
        label=${t("Kind")}
        options=${[
          ["live", t("Live: publishes for real")],
          ["test", t("Test: only the sandbox")],
        ]}
        value=${fields.mode}
        onInput=${set("mode")}
      />
      <${Field}
        label=${t("May")}
        options=${[
          ["read_write", t("read and write")],
          ["read", t("read")],
        ]}
        value=${fields.permission}
        onInput=${set("permission")}
      />
    <//>
  `;
}

/** @param {{apiKey: any, onClose: () => void}} props */
function RevokeKey({ apiKey, onClose }) {
  const [busy, act] = useAction(async () => {
    await remove(`/api-keys/${apiKey.id}`);
    toast(t("The key no longer works."));
    onClose();
  });
  return html`
    <${Dialog}
      title=${t("Revoke {name}?", { name: apiKey.name })}
      onClose=${onClose}
      onSubmit=${act}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Keep it")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Revoke")}
          <//>
        `
      }
    >
      <p>
        ${t(
          "Programs that use it are refused from now on, and so are keys that it made. This cannot be undone.",
        )}
      </p>
    <//>
  `;
}

function Webhooks() {
  const loaded = useLoad(() => all("/webhooks"), []);
  const [making, setMaking] = useState(false);
  const button = may("webhooks:write") && html`
    <${Button} kind="primary" icon="plus" onClick=${() => setMaking(true)}>
      ${t("Add a webhook")}
    <//>
  `;
  return html`
    <${Loaded} loaded=${loaded}>
      ${(/** @type {typeof loaded.data} */ hooks) =>
        hooks.length ? html`
          <p>${button}</p>
          <${Table}
            label=${t("Webhooks")}
            columns=${[t("Webhook"), t("Events"), t("State"), t("Last success"), t("Last failure")]}
            rows=${hooks.map((hook) => ({
              key: hook.id,
              href: to(`developers/webhooks/${hook.id}`),
              cells: [
                hook.name ?? hook.url,
                hook.events.length
                  ? hook.events.slice(0, 3).join(", ") + (hook.events.length > 3 ? " …" : "")
                  : t("all events"),
                html`<${Badge} state=${hook.status} />`,
                html`<${Time} at=${hook.lastSuccessAt} kind="relative" />`,
                html`<${Time} at=${hook.lastFailureAt} kind="relative" />`,
              ],
            }))}
          />
          ` : html`
          <${Empty} title=${t("No webhooks yet")} icon="developers" action=${button}>
            ${t(
              "Your server hears of every result the moment it is known, signed and repeated until it answers.",
            )}
          <//>
        `
      }
    <//>
    ${making && html`
      <${AddWebhook}
        onClose=${() => {
          setMaking(false);
          void loaded.reload();
        }}
      />
    `}
  `;
}

/** @param {string} text */
const listed = (text) => text.split(/[\s,]+/).filter(Boolean);

/** @param {{onClose: () => void}} props */
function AddWebhook({ onClose }) {
  const [fields, setFields] = useState({ url: "", name: "", events: "", mode: "live" });
  const [created, setMade] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [busy, make] = useAction(async () => {
    setProblem(null);
    await post("/webhooks", {
      url: fields.url,
      name: fields.name || null,
      events: listed(fields.events),
      mode: fields.mode,
    }).then(setMade, setProblem);
  });
  const set = (/** @type {string} */ name) => (/** @type {string} */ value) =>
    setFields({ ...fields, [name]: value });
  const errorOf = (/** @type {string} */ name) =>
    problem?.issues?.find((/** @type {any} */ issue) => issue.path.startsWith(`/${name}`))?.message;
  if (created) return html`<${Secret} secret=${created.secret} onClose=${onClose} />`;
  return html`
    <${Dialog}
      title=${t("Add a webhook")}
      onClose=${onClose}
      onSubmit=${make}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Cancel")}<//>
          <${Button} kind="primary" type="submit" busy=${busy}>
            ${t("Add the webhook")}
          <//>
        `
      }
    >
      ${problem && html`<${ProblemBox} problem=${problem} />`}
      <${Field}
        label=${t("Address")}
        type="url"
        placeholder="https://example.com/hooks"
        value=${fields.url}
        error=${errorOf("url")}
        onInput=${set("url")}
        autofocus
      />
      <${Field} label=${t("Name")} value=${fields.name} maxlength="100" onInput=${set("name")} />
      <${Field}
        label=${t("Events")}
        placeholder="post.published, post.failed"
        hint=${
          html`
            ${t("Empty: all events.")}${" "}
            <a href=${`${ROOT}/docs/events`} target="_blank" rel="noopener">
              ${t("List of events")}
            </a>
          `
        }
        value=${fields.events}
        error=${errorOf("events")}
        onInput=${set("events")}
      />
      <${Field}
        label=${t("Kind")}
        options=${[
          ["live", t("Live")],
          ["test", t("Test")],
        ]}
        value=${fields.mode}
        onInput=${set("mode")}
      />
    <//>
  `;
}

/** @param {{secret: string, onClose: () => void}} props */
function Secret({ secret, onClose }) {
  return html`
    <${Dialog}
      title=${t("Copy the secret now")}
      onClose=${onClose}
      actions=${
        html`
          <${Copy} text=${secret} label=${t("Copy the secret")} />
          <${Button} kind="primary" onClick=${onClose}>
            ${t("Done")}
          <//>
        `
      }
    >
      <p>${t("Your server checks the signature of each delivery with it. It is shown only now.")}</p>
      <pre tabindex="0">${secret}</pre>
    <//>
  `;
}

/** @param {{id: string, query: Record<string, string>}} props */
function Webhook({ id, query }) {
  const { state = "", delivery = "" } = query;
  const hook = useLoad(() => get(`/webhooks/${id}`), [id]);
  const deliveries = useLoad(() => get(`/webhooks/${id}/deliveries`, { state, limit: 50 }), [id, state]);
  const [dialog, setDialog] = useState("");
  const [secret, setSecret] = useState("");
  // One after the other: what is read after a replay has ended shows all of it.
  const reload = async () => {
    await hook.reload();
    await deliveries.reload();
  };
  const [testing, test] = useAction(async () => {
    await post(`/webhooks/${id}/test`, {});
    await reload();
    toast(t("A test event is on its way."));
  });
  const [pausing, pause] = useAction(async () => {
    const resumes = hook.data.status !== "active";
    hook.setData(await patch(`/webhooks/${id}`, { active: resumes }));
    if (resumes && (await get(`/webhooks/${id}/deliveries`, { state: "skipped", limit: 1 })).data.length)
      setDialog("missed");
  });
  const data = hook.data;
  const isReplaying = data?.replay?.status === "running";
  const isWaiting = deliveries.data?.data.some((entry) => entry.state === "pending") ?? false;
  useLive(reload, { seconds: 2, active: isReplaying || isWaiting });
  const actions = data && may("webhooks:write") && html`
    <${Button} kind="primary" icon="send" busy=${testing} onClick=${test}>
      ${t("Send a test event")}
    <//>
    <${Button} busy=${pausing} icon="pause" onClick=${pause}>
      ${data.status === "active" ? t("Pause") : t("Resume")}
    <//>
    ${data.status === "active" && html`
      <${Button} icon="retry" onClick=${() => setDialog("replay")}>
        ${t("Replay")}
      <//>
    `}
    <${Button} onClick=${() => setDialog("rotate")}>${t("New secret")}<//>
    <${Button} kind="danger" icon="trash" onClick=${() => setDialog("delete")}>
      ${t("Delete")}
    <//>
  `;
  const states = [
    ["", t("All states")],
    ["pending", t("Waiting")],
    ["delivered", t("Delivered")],
    ["failed", t("Failed")],
    ["permanently_failed", t("Given up")],
    ["skipped", t("Skipped")],
  ];
  return html`
    <${Loaded} loaded=${hook}>
      ${() => html`
        <${Page}
          title=${data.name ?? data.url}
          subtitle=${
            html`
              <${Badge} state=${data.status} /> ${data.url}
            `
          }
          actions=${actions}
        >
          <${Notices}
            hook=${data}
            busy=${pausing}
            onResume=${pause}
            onChange=${(/** @type {any} */ changed) => hook.setData(changed)}
            onDone=${() => void deliveries.reload()}
          />
          <${Card}
            title=${t("Deliveries")}
            actions=${
              html`<select
                aria-label=${t("State")}
                onChange=${(/** @type {any} */ event) => filter({ state: event.currentTarget.value })}
              >
                ${states.map(([key, name]) => html`
                  <option value=${key} selected=${key === state}>
                    ${name}
                  </option>
                `)}
              </select>`
            }
          >
            <${Loaded} loaded=${deliveries}>
              ${(/** @type {typeof deliveries.data} */ page) =>
                page.data.length ? html`
                  <${Table}
                    label=${t("Deliveries")}
                    columns=${[t("Event"), t("State"), t("Answer"), t("Attempts"), t("Time"), ""]}
                    rows=${page.data.map((entry) => ({
                      key: entry.id,
                      cells: [
                        html`<code>${entry.type}</code>`,
                        html`<${Badge} state=${entry.state} />`,
                        entry.lastStatus ?? entry.lastError ?? "–",
                        entry.attempts,
                        html`<${Time} at=${entry.createdAt} />`,
                        html`<${Button}
                          aria-label=${t("Look at {event}", { event: entry.type })}
                          onClick=${() => filter({ delivery: entry.id })}
                        >
                          ${t("Look")}
                        <//>`,
                      ],
                    }))}
                  />
                ` : html`
                  <p class="soft">
                    ${t("Nothing was sent yet. Send a test event to try your server.")}
                  </p>
                `
              }
            <//>
          <//>
          ${delivery && html`
            <${Delivery}
              hookId=${id}
              id=${delivery}
              onClose=${() => {
                filter({ delivery: "" });
                void reload();
              }}
            />
          `}
          ${secret && html`<${Secret} secret=${secret} onClose=${() => setSecret("")} />`}
          ${(dialog === "missed" || dialog === "replay") && html`
            <${ReplayDialog}
              id=${id}
              missed=${dialog === "missed"}
              onClose=${() => {
                setDialog("");
                void reload();
              }}
            />
          `}
          ${dialog === "rotate" && html`
            <${RotateDialog}
              id=${id}
              onClose=${() => {
                setDialog("");
                void hook.reload();
              }}
              onSecret=${setSecret}
            />
          `}
          ${dialog === "delete" && html`<${DeleteWebhook} id=${id} onClose=${() => setDialog("")} />`}
        <//>
      `}
    <//>
  `;
}

/** @param {{hookId: string, id: string, onClose: () => void}} props */
function Delivery({ hookId, id, onClose }) {
  const loaded = useLoad(() => get(`/webhooks/${hookId}/deliveries/${id}`), [id]);
  const [busy, resend] = useAction(async () => {
    await post(`/webhooks/${hookId}/deliveries/${id}/resend`, {});
    toast(t("It is sent again."));
    await loaded.reload();
  });
  const data = loaded.data;
  useLive(loaded.reload, { seconds: 1, active: Boolean(data?.resendAt) || data?.state === "pending" });
  return html`
    <${Dialog}
      wide
      title=${data?.type ?? t("Delivery")}
      onClose=${onClose}
      actions=${
        html`
          ${data && html`<${Copy} text=${data.body} label=${t("Copy the body")} />`}
          ${may("webhooks:write") && html`
            <${Button} icon="retry" busy=${busy} onClick=${resend}>
              ${t("Send again")}
            <//>
          `}
          <${Button} kind="primary" onClick=${onClose}>
            ${t("Done")}
          <//>
        `
      }
    >
      <${Loaded} loaded=${loaded}>
        ${() => html`
          <dl class="facts">
            <dt>${t("State")}</dt>
            <dd>
              <${Badge} state=${data.state} />
            </dd>
            <dt>${t("Event")}</dt>
            <dd>
              <code>${data.eventId}</code>
            </dd>
            ${data.nextAttemptAt && html`
              <dt>${t("Next attempt")}</dt>
              <dd>
                <${Time} at=${data.nextAttemptAt} kind="relative" />
              </dd>
              `}
          </dl>
          <h3>${t("Attempts")}</h3>
          <${Table}
            label=${t("Attempts")}
            columns=${[t("Time"), t("Answer"), t("Duration")]}
            rows=${data.attemptLog.map((attempt, /** @type {number} */ index) => ({
              key: String(index),
              cells: [
                html`<${Time} at=${attempt.at} />`,
                html`
                  ${attempt.status ?? attempt.error ?? "–"}
                  <${Attempt} attempt=${attempt} />
                  `,
                `${attempt.durationMs} ms`,
              ],
            }))}
          />
          <h3>${t("Body")}</h3>
          <pre tabindex="0">${pretty(data.body)}</pre>
        `}
      <//>
    <//>
  `;
}

/** What was sent and answered, without the body. @param {{attempt: any}} props */
function Attempt({ attempt }) {
  if (!attempt.request && !attempt.response) return null;
  const { request } = attempt;
  const head =
    request &&
    [
      `POST ${request.url}`,
      ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
    ].join("\n");
  return html`
    <details>
      <summary>${t("Request and answer")}</summary>
      ${head && html`<pre tabindex="0">${head}</pre>`}
      ${attempt.response && html`<pre tabindex="0">${attempt.response}</pre>`}
    </details>
  `;
}

/** @param {string} body */
function pretty(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** @param {{id: string, onClose: () => void}} props */
function DeleteWebhook({ id, onClose }) {
  const [busy, act] = useAction(async () => {
    await remove(`/webhooks/${id}`);
    go("developers/webhooks");
  });
  return html`
    <${Dialog}
      title=${t("Delete this webhook?")}
      onClose=${onClose}
      onSubmit=${act}
      actions=${
        html`
          <${Button} onClick=${onClose}>${t("Keep it")}<//>
          <${Button} kind="danger" type="submit" busy=${busy}>
            ${t("Delete")}
          <//>
        `
      }
    >
      <p>${t("Nothing more is sent to it, and its deliveries are forgotten.")}</p>
    <//>
  `;
}
