import { NodeApiError, NodeConnectionTypes, NodeOperationError } from "n8n-workflow";
import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from "n8n-workflow";

import { call, rows, segment } from "../../shared/api";
import { getProfiles } from "../../shared/options";
import { forgery } from "../../shared/signature";
import { EVENTS } from "../../shared/values";

const DELIVERIES_REMEMBERED = 500;

/** What n8n keeps for the node between its runs. */
interface Registration {
  webhookId?: string;
  secret?: string;
  /** The ids of the latest deliveries, to start the workflow once for each. */
  deliveries?: string[];
}

export class SignalpostTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Signalpost Trigger",
    name: "signalpostTrigger",
    icon: { light: "file:../../icons/signalpost.svg", dark: "file:../../icons/signalpost.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: "Starts the workflow when Signalpost reports an event, such as a published post",
    defaults: { name: "Signalpost Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "signalpostApi", required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" }],
    properties: [
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        options: EVENTS,
        default: ["post.published", "post.partial", "post.failed"],
        required: true,
      },
      {
        displayName: "Start For",
        name: "scope",
        type: "options",
        options: [
          { name: "Each Account of a Post", value: "target", description: "When the post has ended at an account" },
          { name: "Each Post", value: "post", description: "Once, when it has ended at all its accounts" },
          { name: "Both", value: "both" },
        ],
        description: "Signalpost reports the end of a post for each account, and once for all of them",
        default: "post",
      },
      {
        displayName: "Client Names or IDs",
        name: "profileIds",
        type: "multiOptions",
        typeOptions: { loadOptionsMethod: "getProfiles" },
        description:
          'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
        hint: "Only events of these clients; without any, of all",
        default: [],
      },
    ],
  };

  methods = { loadOptions: { getProfiles } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const stored = this.getWorkflowStaticData("node") as Registration;
        const registered = await ours(this);
        return registered.some((row) => row["id"] === stored.webhookId && row["status"] === "active" && isCurrent(this, row));
      },

      async create(this: IHookFunctions): Promise<boolean> {
        // What is left of an activation whose end n8n could not report: nobody here has its secret any more.
        for (const row of await ours(this)) await remove(this, String(row["id"]));
        const profiles = this.getNodeParameter("profileIds", []) as string[];
        const body: IDataObject = {
          url: this.getNodeWebhookUrl("default") as string,
          name: `n8n: ${this.getWorkflow().name ?? "workflow"}`.slice(0, 100),
          events: this.getNodeParameter("events") as string[],
          profileIds: profiles.length > 0 ? profiles : null,
        };
        const created = await call(this, { method: "POST", path: "/webhooks", body });
        const stored = this.getWorkflowStaticData("node") as Registration;
        stored.webhookId = String(created["id"]);
        stored.secret = String(created["secret"]);
        stored.deliveries = [];
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const stored = this.getWorkflowStaticData("node") as Registration;
        if (stored.webhookId !== undefined) await remove(this, stored.webhookId);
        delete stored.webhookId;
        delete stored.secret;
        delete stored.deliveries;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const stored = this.getWorkflowStaticData("node") as Registration;
    const headers = this.getHeaderData();
    const id = String(headers["webhook-id"] ?? "");
    const { rawBody } = this.getRequestObject() as { rawBody?: Buffer };
    const delivery = {
      id,
      timestamp: String(headers["webhook-timestamp"] ?? ""),
      signatures: String(headers["webhook-signature"] ?? ""),
      body: rawBody ?? Buffer.alloc(0),
    };
    const reason = forgery(delivery, stored.secret ?? "", Date.now() / 1000);
    if (reason !== undefined) {
      this.getResponseObject().status(401).json({ message: reason });
      return { noWebhookResponse: true };
    }
    const seen = stored.deliveries ?? [];
    if (seen.includes(id)) return { webhookResponse: "repeated" };
    const event = JSON.parse(delivery.body.toString("utf8")) as IDataObject;
    stored.deliveries = [...seen, id].slice(-DELIVERIES_REMEMBERED);
    if (!isChosen(this, event)) return { webhookResponse: "not chosen" };
    return { workflowData: [this.helpers.returnJsonArray([event])] };
  }
}

/** The webhooks of the workspace that lead to this node. */
async function ours(context: IHookFunctions): Promise<IDataObject[]> {
  const url = context.getNodeWebhookUrl("default");
  const registered = await rows(context, { method: "GET", path: "/webhooks" });
  return registered.filter((row) => row["url"] === url);
}

function isCurrent(context: IHookFunctions, row: IDataObject): boolean {
  const sorted = (values: unknown) => JSON.stringify([...((values ?? []) as string[])].sort());
  return (
    sorted(row["events"]) === sorted(context.getNodeParameter("events")) &&
    sorted(row["profileIds"]) === sorted(context.getNodeParameter("profileIds", []))
  );
}

/** Delete a webhook; one that is gone already is what was wanted. */
async function remove(context: IHookFunctions, id: string): Promise<void> {
  try {
    await call(context, { method: "DELETE", path: `/webhooks/${segment(context, "webhook ID", id)}` });
  } catch (error) {
    if (error instanceof NodeApiError && error.httpCode === "404") return;
    throw error instanceof NodeApiError ? error : new NodeOperationError(context.getNode(), error as Error);
  }
}

/** Whether the workflow is to start: for the chosen events, and for posts or their accounts as chosen. */
function isChosen(context: IWebhookFunctions, event: IDataObject): boolean {
  if (!(context.getNodeParameter("events") as string[]).includes(String(event["type"]))) return false;
  const scope = (event["data"] as IDataObject | undefined)?.["scope"];
  const chosen = context.getNodeParameter("scope") as string;
  return scope === undefined || chosen === "both" || scope === chosen;
}
