// Calls of the API: addresses, retries, keys that make a repetition harmless, lists, and problems as n8n shows them.
import { createHash } from "node:crypto";

import { NodeApiError, NodeOperationError, sleep } from "n8n-workflow";
import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  JsonObject,
} from "n8n-workflow";

export type Context = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

export interface Call {
  method: IHttpRequestMethods;
  /** Below `/api/v1`; what the user gave is put into it by `segment`. */
  path: string;
  query?: IDataObject;
  /** JSON, or bytes that go as they are. */
  body?: IDataObject | Buffer;
  headers?: IDataObject;
  /** The item that the call is for, to name it in an error. */
  item?: number;
}

interface Page {
  data: IDataObject[];
  hasMore: boolean;
  nextCursor: string | null;
}

const CREDENTIAL = "signalpostApi";
const ATTEMPTS_MAX = 4;
const WAIT_SECONDS_MAX = 60;
const TIMEOUT_MS = 120_000;

/** What a user gave, as one part of a path: nothing that leads elsewhere. */
export function segment(context: Context, name: string, value: unknown, item?: number): string {
  const text = String(value ?? "").trim();
  if (["", ".", ".."].includes(text)) {
    throw new NodeOperationError(context.getNode(), `The ${name} is missing`, {
      description: `Give the ${name} as an earlier node returned it.`,
      ...(item === undefined ? {} : { itemIndex: item }),
    });
  }
  return encodeURIComponent(text);
}

/**
 * The key by which the service recognises a repetition. It is the same when n8n runs the item of this execution again, as
 * it does with Retry On Fail, whatever expressions have become by then. A tool of an agent has no items to tell its calls
 * apart, so there the contents are part of it.
 */
export function idempotencyKey(context: IExecuteFunctions, item: number, step: string, contents: IDataObject): string {
  const node = context.getNode();
  const { $runIndex: run } = context.getWorkflowDataProxy(item) as unknown as { $runIndex: number };
  const call = node.type.endsWith("Tool") ? JSON.stringify(contents) : `${run} ${item}`;
  const parts = [context.getInstanceId(), context.getWorkflow().id, context.getExecutionId(), node.id, step, call];
  return `n8n-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
}

/** Send a request, and return what the service answers; 429 and 503 are repeated as it says. */
export async function callWhole(context: Context, call: Call): Promise<IN8nHttpFullResponse> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>(CREDENTIAL);
  const base = String(baseUrl).trim().replace(/\/+$/, "").replace(/(\/api)?\/v1$/, "");
  if (!/^https?:\/\/[^/]/.test(base)) {
    throw new NodeOperationError(context.getNode(), `"${baseUrl}" is not a whole address`, {
      description: "Set the Server Address of the credential, such as https://post.example.com.",
    });
  }
  const isJson = call.body !== undefined && !Buffer.isBuffer(call.body);
  const options: IHttpRequestOptions = {
    method: call.method,
    url: `${base}/api/v1${call.path}`,
    qs: call.query,
    headers: { Accept: "application/json", ...(isJson ? { "Content-Type": "application/json" } : {}), ...call.headers },
    // Bytes, so that nothing in between writes the JSON in another way than it is.
    body: isJson ? Buffer.from(JSON.stringify(call.body)) : call.body,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    encoding: "text",
    timeout: TIMEOUT_MS,
  };
  for (let attempt = 1; ; attempt++) {
    const response = await sent(context, options, call.item);
    if (response.statusCode < 300) return response;
    const seconds = Number(response.headers["retry-after"]);
    const passes = [429, 503].includes(response.statusCode) && seconds >= 0 && seconds <= WAIT_SECONDS_MAX;
    if (!passes || attempt >= ATTEMPTS_MAX) throw refusal(context, response, call.item);
    await sleep(Math.max(seconds, 0.25) * 1000);
  }
}

async function sent(context: Context, options: IHttpRequestOptions, item?: number): Promise<IN8nHttpFullResponse> {
  try {
    return (await context.helpers.httpRequestWithAuthentication.call(
      context,
      CREDENTIAL,
      options,
    )) as IN8nHttpFullResponse;
  } catch (error) {
    throw new NodeApiError(context.getNode(), error as JsonObject, {
      message: `Signalpost cannot be reached at ${new URL(options.url).origin}`,
      description:
        "Look at the Server Address of the credential and whether the service runs. " +
        `Nothing is published twice if this item runs again. (${(error as Error).message})`,
      ...(item === undefined ? {} : { itemIndex: item }),
    });
  }
}

/** The JSON object of a response, or nothing if it is something else. */
function json(response: IN8nHttpFullResponse): IDataObject | undefined {
  const type = String(response.headers["content-type"] ?? "");
  if (!/^application\/(problem\+)?json\b/.test(type)) return undefined;
  const body = response.body as unknown;
  return (typeof body === "string" ? JSON.parse(body) : body) as IDataObject;
}

/** What n8n shows of a problem (RFC 9457): its title, what to do, and each issue with the place where it is. */
function refusal(context: Context, response: IN8nHttpFullResponse, item?: number): NodeApiError {
  const at = item === undefined ? {} : { itemIndex: item };
  const problem = json(response);
  if (problem?.["code"] === undefined) {
    const type = String(response.headers["content-type"] ?? "nothing").split(";")[0];
    const document = { statusCode: response.statusCode, contentType: type ?? "" };
    return new NodeApiError(context.getNode(), document, {
      message: `What answers is not Signalpost: ${response.statusCode} with ${type}`,
      description: "Look at the Server Address of the credential; a proxy or another program answers there.",
      httpCode: String(response.statusCode),
      ...at,
    });
  }
  const issues = ((problem["errors"] ?? []) as Array<{ path: string; message: string }>)
    .map(({ path, message }) => `${path}: ${message}`);
  const description = [problem["remediation"], ...issues, `Code ${problem["code"]}, request ${problem["requestId"]}.`];
  return new NodeApiError(context.getNode(), problem as JsonObject, {
    message: String(problem["detail"] ?? problem["title"]),
    description: description.filter(Boolean).join("\n"),
    httpCode: String(response.statusCode),
    ...at,
  });
}

/** Send a request, and return the JSON object that the service answers. */
export async function call(context: Context, request: Call): Promise<IDataObject> {
  const response = await callWhole(context, request);
  const document = json(response);
  if (document === undefined) throw refusal(context, response, request.item);
  return document;
}

/** The rows of a list, page after page, until there are `limit` of them or all. */
export async function rows(context: Context, request: Call, limit = Infinity): Promise<IDataObject[]> {
  const all: IDataObject[] = [];
  const seen = new Set<string>();
  for (let cursor: string | null = null; ; ) {
    const query: IDataObject = { ...request.query, limit: Math.min(limit - all.length, 100) };
    if (cursor !== null) query["cursor"] = cursor;
    const page = (await call(context, { ...request, query })) as unknown as Page;
    all.push(...page.data);
    cursor = page.hasMore ? page.nextCursor : null;
    if (cursor === null || all.length >= limit) return all.slice(0, limit);
    if (seen.has(cursor)) {
      throw new NodeOperationError(context.getNode(), "The list leads back to a page that was there already", {
        description: "What answers is not Signalpost as it is. Look at the Server Address of the credential.",
      });
    }
    seen.add(cursor);
  }
}
