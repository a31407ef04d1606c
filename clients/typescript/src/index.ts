// A client of Signalpost on fetch, without dependencies. Bodies and answers are the JSON of the API, with the types of
// its OpenAPI document; what a newer service adds is there as well.
import type { components, paths } from "./schema.d.ts";

export type Schemas = components["schemas"];
export type { components, paths };

type Method = "get" | "post" | "patch" | "put" | "delete";
type Operation<P extends keyof paths, M extends Method> = paths[P][M];
type Parameters<O, In extends string> = O extends { parameters: { [K in In]?: infer V } } ? NonNullable<V> : never;
type Json<O> = O extends { requestBody?: { content: { "application/json": infer B } } } ? B : never;
type Success<O> = O extends { responses: infer R }
  ? { [S in keyof R]: R[S] extends { content: { "application/json": infer B } } ? B : never }[keyof R]
  : never;
/** What an operation answers; nothing for those without a body. */
export type Answer<O> = [Success<O>] extends [never] ? undefined : Success<O>;
type Items<O> = Answer<O> extends { data: (infer T)[]; nextCursor: string | null } ? T : never;
type PathsOf<M extends Method> = { [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never }[keyof paths];

export interface Options<O = unknown> {
  path?: Parameters<O, "path">;
  query?: Partial<Parameters<O, "query">>;
  body?: Json<O>;
  /** The version that was read: nothing happens if someone changed it since. */
  ifMatch?: string | number;
  /** Of your own: a second run of your program has no second effect. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

export interface Settings {
  apiKey: string;
  baseUrl?: string;
  /** How often a call is repeated that got no answer, or one that passes. */
  retries?: number;
  fetch?: typeof fetch;
}

export interface Issue {
  path: string;
  code: string;
  message: string;
  params?: Record<string, unknown>;
}

export class SignalpostError extends Error {}

/** There was no answer. Whether the call had an effect is not known; with the same key it may be repeated. */
export class Unreachable extends SignalpostError {
  constructor(
    message: string,
    readonly idempotencyKey?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What answered is not Signalpost: a proxy, another program. */
export class UnexpectedResponse extends SignalpostError {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

/** The service refused the call, or failed (RFC 9457). Act on `code`. */
export class Problem extends SignalpostError {
  readonly code: string;
  readonly remediation: string;
  readonly requestId: string;
  readonly retryable: boolean;
  readonly issues: Issue[];
  /** The place of the first issue. */
  readonly pointer: string | undefined;

  constructor(
    readonly document: Record<string, unknown>,
    readonly status: number,
    readonly retryAfterSeconds?: number,
  ) {
    super([document["detail"] ?? document["title"], document["remediation"]].filter(Boolean).join(" "));
    this.code = String(document["code"]);
    this.remediation = String(document["remediation"] ?? "");
    this.requestId = String(document["requestId"] ?? "");
    this.retryable = document["retryable"] === true;
    this.issues = (document["errors"] ?? []) as Issue[];
    this.pointer = this.issues[0]?.path;
  }
}

/** The post failed at one network or more, or is a draft. */
export class NotPublished extends SignalpostError {
  constructor(
    message: string,
    readonly status: Schemas["PostProgress"],
  ) {
    super(message);
  }
}

export class WaitTimeout extends NotPublished {}

/** A resumable upload broke off: upload again with `resume`, within 24 hours. */
export class UploadInterrupted extends SignalpostError {
  constructor(
    message: string,
    readonly uploadId: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface UploadOptions {
  fileName?: string;
  contentType?: string;
  altText?: string;
  profileId?: string;
  /** `form` for small files, `resumable` for more than 8 MB; `presigned` sends the bytes without the key. */
  method?: "form" | "presigned" | "resumable";
  /** The id of an upload that broke off. */
  resume?: string;
  onStarted?: (uploadId: string) => void;
  onProgress?: (sent: number, total: number) => void;
}

interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: () => BodyInit | undefined;
  once?: boolean;
  signal?: AbortSignal | undefined;
}

const WAITS = [0.5, 1, 2, 4, 8];
const WAIT_MAX = 60;
const PASSING = [408, 429, 502, 503, 504];
const PIECE = 4 * 1024 * 1024;
const FORM_MAX = 8_000_000;

const sleep = (seconds: number) => new Promise<void>((done) => setTimeout(done, seconds * 1000));

function retryAfter(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

export class Signalpost {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #retries: number;
  readonly #fetch: typeof fetch;
  /** Waits; tests of yours may replace it. */
  sleep = sleep;

  constructor({ apiKey, baseUrl = "http://127.0.0.1:8000", retries = 4, fetch: given = fetch }: Settings) {
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new SignalpostError("An API key is needed: pass apiKey.");
    if (!/^https?:\/\/[^/]/.test(baseUrl)) throw new SignalpostError(`${baseUrl} is not a whole address.`);
    this.#url = baseUrl.replace(/\/+$/, "").replace(/(\/api)?\/v1$/, "") + "/api/v1";
    this.#headers = { Authorization: `Bearer ${apiKey}` };
    this.#retries = retries;
    this.#fetch = (...of) => given(...of);
  }

  get<P extends PathsOf<"get">>(path: P, options?: Options<Operation<P, "get">>): Promise<Answer<Operation<P, "get">>> {
    return this.request("GET", path, options);
  }

  post<P extends PathsOf<"post">>(path: P, options?: Options<Operation<P, "post">>): Promise<Answer<Operation<P, "post">>> {
    return this.request("POST", path, options);
  }

  patch<P extends PathsOf<"patch">>(path: P, options?: Options<Operation<P, "patch">>): Promise<Answer<Operation<P, "patch">>> {
    return this.request("PATCH", path, options);
  }

  delete<P extends PathsOf<"delete">>(path: P, options?: Options<Operation<P, "delete">>): Promise<Answer<Operation<P, "delete">>> {
    return this.request("DELETE", path, options);
  }

  /** All items of a list; a page is requested when it is needed. */
  async *list<P extends PathsOf<"get">>(path: P, options: Options<Operation<P, "get">> = {}): AsyncGenerator<Items<Operation<P, "get">>> {
    const seen = new Set<string>();
    for (let cursor: string | null = null; ; ) {
      const query: Record<string, unknown> = { ...options.query, ...(cursor ? { cursor } : {}) };
      const page: any = await this.request("GET", path, { ...options, query } as Options);
      yield* page.data;
      cursor = page.hasMore ? page.nextCursor : null;
      if (!cursor) return;
      if (seen.has(cursor)) throw new UnexpectedResponse("The list leads back to a page that was there already.", 200);
      seen.add(cursor);
    }
  }

  /** Any operation, with the same retries; every call that changes something carries an idempotency key. */
  async request(method: string, path: string, options: Options<any> = {}): Promise<any> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = String((options.path as Record<string, unknown> | undefined)?.[name] ?? "");
      if (["", ".", ".."].includes(value)) throw new SignalpostError(`${name} is not an id: ${JSON.stringify(value)}.`);
      return encodeURIComponent(value);
    });
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(options.query ?? {})) if (value != null) query.set(name, String(value));
    const headers: Record<string, string> = {};
    if (options.body !== undefined) headers["Content-Type"] = "application/json";
    if (options.ifMatch !== undefined) headers["If-Match"] = `"${String(options.ifMatch).replace(/"/g, "")}"`;
    if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const url = `${this.#url}${filled}${query.size ? `?${query}` : ""}`;
    const response = await this.#send({ method, url, headers, body: () => body, signal: options.signal });
    return this.#json(response);
  }

  async waitUntilPublished(postId: string, { timeoutSeconds = 300 } = {}): Promise<Schemas["PostProgress"]> {
    const end = Date.now() + timeoutSeconds * 1000;
    for (let seconds = 0.25; ; seconds = Math.min(seconds * 1.5, 5)) {
      const status = (await this.get("/posts/{id}/status", { path: { id: postId } })) as Schemas["PostProgress"];
      if (status.status === "published") return status;
      if (["failed", "partial", "draft"].includes(status.status)) {
        const reasons = status.targets.flatMap(({ platform, error }) => (error ? [`${platform}: ${error.userMessage}`] : []));
        throw new NotPublished([`${postId} is ${status.status}.`, ...reasons].join(" "), status);
      }
      if (Date.now() >= end) {
        const reason = status.heldMessage ?? `it is ${status.status}`;
        throw new WaitTimeout(`${postId} was not published within ${timeoutSeconds} seconds: ${reason}.`, status);
      }
      await this.sleep(seconds);
    }
  }

  /** Upload a file, and return it when it can be used in posts. */
  async upload(file: Blob | Uint8Array<ArrayBuffer>, options: UploadOptions = {}): Promise<Schemas["Media"]> {
    const named = file instanceof Blob ? (file as File) : undefined;
    const type = options.contentType ?? (named?.type || "application/octet-stream");
    const blob = new Blob([file], { type });
    const name = options.fileName ?? named?.name ?? "file";
    const { altText, profileId } = options;
    const fields = Object.entries({ altText, profileId }).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const method = options.resume ? "resumable" : (options.method ?? (blob.size > FORM_MAX ? "resumable" : "form"));
    let media: Schemas["Media"];
    if (method === "form") {
      const body = () => {
        const form = new FormData();
        for (const [field, value] of fields) form.set(field, value);
        form.set("file", blob, name);
        return form;
      };
      media = await this.#json(await this.#send({ method: "POST", url: `${this.#url}/media/upload`, headers: {}, body }));
      options.onProgress?.(blob.size, blob.size);
    } else {
      const id = await (method === "presigned" ? this.#presigned(blob, name, fields, options) : this.#resumable(blob, name, fields, options));
      media = await this.request("GET", "/media/{id}", { path: { id } });
    }
    for (let polls = 0; ["pending", "uploaded", "processing"].includes(media.status) && polls < 240; polls++) {
      await this.sleep(Math.min(0.1 * 1.5 ** polls, 2));
      media = await this.request("GET", "/media/{id}", { path: { id: media.id } });
    }
    if (media.status !== "ready") throw new SignalpostError(`${name} cannot be used: ${media.error?.message ?? media.status}.`);
    return media;
  }

  async #presigned(blob: Blob, name: string, fields: [string, string][], options: UploadOptions): Promise<string> {
    const digest = await crypto.subtle.digest("SHA-256", await blob.arrayBuffer());
    const checksumSha256 = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const body = { ...Object.fromEntries(fields), fileName: name, contentType: blob.type, size: blob.size, checksumSha256 };
    const upload: Schemas["PresignedUpload"] = await this.request("POST", "/media/presign-upload", { body });
    let unanswered = false;
    try {
      await this.#attempts({ method: upload.method, url: upload.uploadUrl, headers: upload.headers, body: () => blob }, () => (unanswered = true));
    } catch (error) {
      if (!(unanswered && error instanceof Problem && error.code === "invalid_state")) throw error;
    }
    options.onProgress?.(blob.size, blob.size);
    return upload.mediaId;
  }

  /** tus 1.0.0: after each failure the service says what has arrived, and only the rest is sent. */
  async #resumable(blob: Blob, name: string, fields: [string, string][], options: UploadOptions): Promise<string> {
    const tus = { "Tus-Resumable": "1.0.0" };
    let upload: Schemas["ResumableUpload"];
    if (options.resume) {
      upload = await this.request("GET", "/media/uploads/{id}", { path: { id: options.resume } });
      if (upload.length !== blob.size) throw new SignalpostError(`${options.resume} has ${upload.length} bytes, the file ${blob.size}.`);
    } else {
      const known: [string, string][] = [["filename", name], ["filetype", blob.type], ...fields];
      const metadata = known.map(([field, value]) => `${field} ${base64(value)}`).join(",");
      const headers = { ...tus, "Upload-Length": String(blob.size), "Upload-Metadata": metadata };
      upload = await this.#json(await this.#send({ method: "POST", url: `${this.#url}/media/uploads`, headers }));
    }
    const id = upload.mediaId;
    options.onStarted?.(id);
    for (let failures = 0; upload.status === "pending" && upload.offset < blob.size; ) {
      const before = upload.offset;
      const headers = { ...tus, "Upload-Offset": String(before), "Content-Type": "application/offset+octet-stream" };
      const body = () => blob.slice(before, before + PIECE);
      try {
        const response = await this.#send({ method: "PATCH", url: `${this.#url}/media/uploads/${id}`, headers, body, once: true });
        upload = { ...upload, offset: Number(response.headers.get("upload-offset")) };
      } catch (cause) {
        if (cause instanceof Problem && !cause.retryable) throw cause;
        const message = `The upload ${id} broke off: ${(cause as Error).message} What arrived is kept for 24 hours.`;
        if (++failures >= 6) throw new UploadInterrupted(message, id, { cause });
        await this.sleep(Math.min((cause as Problem).retryAfterSeconds ?? 0.25 * 2 ** failures, 30));
        try {
          upload = await this.request("GET", "/media/uploads/{id}", { path: { id } });
        } catch (away) {
          if (away instanceof Problem) throw away;
          throw new UploadInterrupted(message, id, { cause: away });
        }
      }
      if (upload.offset > before) {
        failures = 0;
        options.onProgress?.(upload.offset, blob.size);
      }
    }
    return id;
  }

  #send(sent: Sent): Promise<Response> {
    const headers: Record<string, string> = { ...this.#headers, ...sent.headers };
    if (sent.method !== "GET") headers["Idempotency-Key"] ??= `sdk-${crypto.randomUUID()}`;
    return this.#attempts({ ...sent, headers }, () => undefined);
  }

  async #attempts(sent: Sent, lost: () => void): Promise<Response> {
    const key = sent.headers["Idempotency-Key"];
    const most = sent.once ? 0 : this.#retries;
    for (let attempt = 1; ; attempt++) {
      let wait: number | undefined;
      try {
        const body = sent.body?.();
        const response = await this.#fetch(sent.url, {
          method: sent.method, headers: sent.headers, redirect: "manual", ...(body !== undefined && { body }), ...(sent.signal && { signal: sent.signal }),
        });
        if (response.ok) return response;
        const error = await this.#error(response);
        const problem = error instanceof Problem ? error : undefined;
        const passes = problem
          ? problem.retryable && (response.status >= 500 || PASSING.includes(response.status) || problem.code === "idempotency_in_progress")
          : PASSING.includes(response.status);
        wait = retryAfter(response);
        if (!passes || attempt > most || (wait ?? 0) > WAIT_MAX) throw error;
        if (response.status >= 500) lost();
      } catch (cause) {
        if (cause instanceof SignalpostError || sent.signal?.aborted) throw cause;
        lost();
        if (attempt > most) {
          const reason = (cause as { cause?: Error }).cause?.message ?? (cause as Error).message;
          const safe = key ? ` Whether the call arrived is not known: with the idempotency key ${key} it may be repeated.` : "";
          throw new Unreachable(`${this.#url} cannot be reached: ${reason}. Check the address and that the service runs.${safe}`, key, { cause });
        }
      }
      const usual = (WAITS[Math.min(attempt, WAITS.length) - 1] as number) * (0.5 + Math.random() / 2);
      await this.sleep(wait === undefined ? usual : wait + Math.random() * Math.min(1, 0.1 + wait / 4));
    }
  }

  async #error(response: Response): Promise<SignalpostError> {
    const text = await response.text();
    try {
      const document = JSON.parse(text);
      if (document?.code) return new Problem(document, response.status, retryAfter(response));
    } catch {
      // Not JSON: what that means is said below.
    }
    return this.#unexpected(response);
  }

  #unexpected(response: Response): UnexpectedResponse {
    const type = response.headers.get("content-type")?.split(";")[0] ?? "nothing";
    const message = `${this.#url} answers ${response.status} with ${type} instead of JSON: a proxy, or not Signalpost.`;
    return new UnexpectedResponse(`${message} Check the address, and what stands before the service.`, response.status);
  }

  async #json(response: Response): Promise<any> {
    const bytes = await response.arrayBuffer();
    if (!bytes.byteLength) return undefined;
    const type = response.headers.get("content-type") ?? "";
    if (!/json/.test(type) && !/html/.test(type)) return bytes;
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      throw this.#unexpected(response);
    }
  }
}
