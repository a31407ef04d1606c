// Posts: their fields in n8n, and what they become in a request.
import { NodeOperationError } from "n8n-workflow";
import type { IDataObject, IExecuteFunctions, INodeProperties } from "n8n-workflow";

import { call, idempotencyKey, rows, segment } from "../../shared/api";
import { POST_STATUSES } from "../../shared/values";
import { limits, shown } from "./fields";

const WRITES = ["create", "draft", "schedule", "validate"];
const ONE = ["delete", "get", "retry"];

export const postProperties: INodeProperties[] = [
  {
    displayName: "Operation",
    name: "operation",
    type: "options",
    noDataExpression: true,
    displayOptions: { show: { resource: ["post"] } },
    options: [
      { name: "Create", value: "create", description: "Publish now", action: "Create a post" },
      { name: "Delete", value: "delete", description: "Move to the trash, off the queue", action: "Delete a post" },
      { name: "Draft", value: "draft", description: "Save for people to look at", action: "Draft a post" },
      { name: "Get", value: "get", description: "Read with the state at each account", action: "Get a post" },
      { name: "Get Many", value: "getAll", description: "List with filters", action: "Get many posts" },
      { name: "Retry", value: "retry", description: "Try the failed accounts again", action: "Retry a post" },
      { name: "Schedule", value: "schedule", description: "Publish at a time", action: "Schedule a post" },
      {
        name: "Validate",
        value: "validate",
        description: "Check against the rules of the networks, and save nothing",
        action: "Validate a post",
      },
    ],
    default: "create",
  },
  {
    displayName: "Client Name or ID",
    name: "profileId",
    type: "options",
    typeOptions: { loadOptionsMethod: "getProfiles" },
    displayOptions: shown("post", WRITES),
    description:
      'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    default: "",
    required: true,
  },
  {
    displayName: "Publish To",
    name: "publishTo",
    type: "options",
    displayOptions: shown("post", WRITES),
    options: [
      { name: "Accounts", value: "accounts", description: "Single accounts of the client" },
      { name: "Networks", value: "networks", description: "Every account that the client has at these networks" },
    ],
    default: "networks",
  },
  {
    displayName: "Network Names or IDs",
    name: "platforms",
    type: "multiOptions",
    typeOptions: { loadOptionsMethod: "getNetworks", loadOptionsDependsOn: ["profileId"] },
    displayOptions: { show: { resource: ["post"], operation: WRITES, publishTo: ["networks"] } },
    description:
      'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    default: [],
  },
  {
    displayName: "Account Names or IDs",
    name: "accountIds",
    type: "multiOptions",
    typeOptions: { loadOptionsMethod: "getAccounts", loadOptionsDependsOn: ["profileId"] },
    displayOptions: { show: { resource: ["post"], operation: WRITES, publishTo: ["accounts"] } },
    description:
      'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
    default: [],
  },
  {
    displayName: "Text",
    name: "text",
    type: "string",
    typeOptions: { rows: 4 },
    displayOptions: shown("post", WRITES),
    description: "What to publish; what is special at one network is set in Signalpost",
    default: "",
  },
  {
    displayName: "Time",
    name: "scheduledAt",
    type: "dateTime",
    displayOptions: shown("post", ["schedule"]),
    description: "When to publish; a time without an offset is one of the time zone of the workflow",
    default: "",
    required: true,
  },
  {
    displayName: "Media",
    name: "media",
    type: "string",
    typeOptions: { multipleValues: true, multipleValueButtonText: "Add File" },
    displayOptions: shown("post", WRITES),
    description: "The ID that the operation Upload of a file returned, or an https address that the service fetches",
    default: [],
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    displayOptions: shown("post", WRITES),
    default: {},
    options: [
      {
        displayName: "Allow Duplicate",
        name: "allowDuplicate",
        type: "boolean",
        description: "Whether to publish even if the same went to the same account within 24 hours",
        default: false,
      },
      {
        displayName: "Campaign",
        name: "campaign",
        type: "string",
        description: "The name of a campaign, which is not published",
        default: "",
      },
      {
        displayName: "External ID",
        name: "externalId",
        type: "string",
        description: "An ID of your own: a second post with it is refused, in whatever execution",
        default: "",
      },
      {
        displayName: "First Comment",
        name: "firstComment",
        type: "string",
        description: "A comment to publish below the post",
        default: "",
      },
      { displayName: "Link", name: "link", type: "string", description: "What the post is about", default: "" },
      {
        displayName: "Notes",
        name: "notes",
        type: "string",
        description: "Notes for your team, which are not published",
        default: "",
      },
      {
        displayName: "Options",
        name: "options",
        type: "json",
        description: "Options of networks as JSON, such as {\"mastodon\": {\"visibility\": \"unlisted\"}}",
        default: "{}",
      },
      {
        displayName: "Tags",
        name: "tags",
        type: "string",
        description: "Labels to filter by, with commas between them, which are not published",
        default: "",
      },
      {
        displayName: "Title",
        name: "title",
        type: "string",
        description: "The title, for networks that have one",
        default: "",
      },
    ],
  },
  {
    displayName: "Post ID",
    name: "postId",
    type: "string",
    displayOptions: shown("post", ONE),
    placeholder: "pst_…",
    default: "",
    required: true,
  },
  {
    displayName: "Delete Permanently",
    name: "permanent",
    type: "boolean",
    displayOptions: shown("post", ["delete"]),
    description: "Whether to delete it so that it cannot be restored from the trash",
    default: false,
  },
  {
    displayName: "Include Unknown",
    name: "includeUnknown",
    type: "boolean",
    displayOptions: shown("post", ["retry"]),
    description: "Whether to post again also where it is not known whether the post is there: it may appear twice",
    default: false,
  },
  ...limits("post"),
  {
    displayName: "Filters",
    name: "filters",
    type: "collection",
    placeholder: "Add Filter",
    displayOptions: shown("post", ["getAll"]),
    default: {},
    options: [
      {
        displayName: "Client Name or ID",
        name: "profileId",
        type: "options",
        typeOptions: { loadOptionsMethod: "getProfiles" },
        description:
          'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
        default: "",
      },
      { displayName: "External ID", name: "externalId", type: "string", default: "" },
      { displayName: "From", name: "from", type: "dateTime", default: "" },
      { displayName: "Search", name: "q", type: "string", description: "Words of the text or the title", default: "" },
      {
        displayName: "Status",
        name: "status",
        type: "options",
        options: POST_STATUSES,
        default: "published",
      },
      { displayName: "Tag", name: "tag", type: "string", default: "" },
      { displayName: "To", name: "to", type: "dateTime", default: "" },
    ],
  },
];

const PUBLISH_MODES: Record<string, string> = { create: "now", validate: "now", draft: "draft", schedule: "schedule" };

/** A time as n8n has it: what its picker wrote, or a date of an expression. */
function time(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** The time zone for a time without an offset. */
function zoned(value: unknown, context: IExecuteFunctions): IDataObject {
  const at = time(value);
  const hasOffset = /(Z|[+-]\d\d:?\d\d)$/i.test(at);
  return { scheduledAt: at, ...(hasOffset ? {} : { timezone: context.getTimezone() }) };
}

function options(context: IExecuteFunctions, value: unknown, item: number): IDataObject {
  if (typeof value !== "string") return value as IDataObject;
  try {
    return JSON.parse(value) as IDataObject;
  } catch (error) {
    throw new NodeOperationError(context.getNode(), "The options are not JSON", {
      description: (error as Error).message,
      itemIndex: item,
    });
  }
}

function contents(context: IExecuteFunctions, operation: string, item: number): IDataObject {
  const read = (name: string, fallback?: unknown) => context.getNodeParameter(name, item, fallback as object);
  const body: IDataObject = { profileId: read("profileId") as string, publishMode: PUBLISH_MODES[operation] as string };
  if ((read("publishTo") as unknown) === "accounts") {
    body["targets"] = (read("accountIds") as unknown as string[]).map((accountId) => ({ accountId }));
  } else {
    body["platforms"] = read("platforms") as unknown as string[];
  }
  if (operation === "schedule") Object.assign(body, zoned(read("scheduledAt"), context));
  const text = read("text") as unknown as string;
  if (text !== "") body["text"] = text;
  const files = (read("media", []) as unknown as string[]).filter((file) => file !== "");
  if (files.length > 0) body["media"] = files.map((file) => (file.startsWith("med_") ? { mediaId: file } : { mediaUrl: file }));
  for (const [name, value] of Object.entries(read("additionalFields", {}) as IDataObject)) {
    if (value === "") continue;
    if (name === "tags") body["tags"] = String(value).split(",").map((tag) => tag.trim()).filter(Boolean);
    else body[name] = name === "options" ? options(context, value, item) : value;
  }
  return body;
}

async function list(context: IExecuteFunctions, item: number): Promise<IDataObject[]> {
  const limit = context.getNodeParameter("returnAll", item) ? Infinity : (context.getNodeParameter("limit", item) as number);
  const query: IDataObject = {};
  for (const [name, value] of Object.entries(context.getNodeParameter("filters", item, {}) as IDataObject)) {
    if (value === "") continue;
    const isLocal = ["from", "to"].includes(name) && !/(Z|[+-]\d\d:?\d\d)$/i.test(time(value));
    query[name] = isLocal ? atZone(time(value), context) : ["from", "to"].includes(name) ? time(value) : value;
  }
  return rows(context, { method: "GET", path: "/posts", query, item }, limit);
}

/** A wall time in the time zone of the workflow, as an instant. */
function atZone(local: string, context: IExecuteFunctions): string {
  const { DateTime } = context.getWorkflowDataProxy(0) as unknown as {
    DateTime: { fromISO(text: string, of: { zone: string }): { toUTC(): { toISO(): string } } };
  };
  return DateTime.fromISO(local, { zone: context.getTimezone() }).toUTC().toISO();
}

/** Run one operation of posts for one item. */
export async function post(context: IExecuteFunctions, operation: string, item: number): Promise<IDataObject[]> {
  if (operation === "getAll") return list(context, item);
  if (WRITES.includes(operation)) {
    const body = contents(context, operation, item);
    if (operation === "validate") return [await call(context, { method: "POST", path: "/posts/validate", body, item })];
    const headers = { "Idempotency-Key": idempotencyKey(context, item, operation, body) };
    return [await call(context, { method: "POST", path: "/posts", body, headers, item })];
  }
  const id = segment(context, "post ID", context.getNodeParameter("postId", item), item);
  if (operation === "get") return [await call(context, { method: "GET", path: `/posts/${id}`, item })];
  if (operation === "delete") {
    const query = context.getNodeParameter("permanent", item) ? { permanent: true } : {};
    return [await call(context, { method: "DELETE", path: `/posts/${id}`, query, item })];
  }
  const body = { includeUnknown: context.getNodeParameter("includeUnknown", item) as boolean };
  const headers = { "Idempotency-Key": idempotencyKey(context, item, operation, { id, ...body }) };
  return [await call(context, { method: "POST", path: `/posts/${id}/retry`, body, headers, item })];
}
