// What the operations of the API answer, for the types of the console. `scripts/check-console` writes the module
// `signalpost/openapi` from the OpenAPI document at each check, so that no type is older than the API.
import type { components, paths } from "signalpost/openapi";

export type Schemas = components["schemas"];

export type Options = {
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  key?: string;
  signal?: AbortSignal;
  quiet?: boolean;
  file?: boolean;
};

/** `/posts/{postId}` -> `/posts/${string}`, which is the type of the template that makes it. */
type Address<P extends string> = P extends `${infer Start}{${string}}${infer Rest}`
  ? `${Start}${string}${Address<Rest>}`
  : P;
type PathOf<T extends string> = {
  [P in keyof paths & string]: [T, Address<P>] extends [Address<P>, T] ? P : never;
}[keyof paths & string];

type Content<R> = R extends { content: { "application/json": infer Document } } ? Document : null;
type ResponseOf<O> = O extends { responses: infer R } ? Content<R[keyof R]> : never;

/** What a call answers; an address that no operation has answers nothing that could be used. */
export type Result<M extends string, T extends string> = T extends unknown
  ? [PathOf<T>] extends [never]
    ? unknown
    : ResponseOf<paths[PathOf<T>][M & keyof paths[PathOf<T>]]>
  : never;

export type Get = <T extends string>(
  path: T,
  query?: Record<string, unknown>,
  options?: Options,
) => Promise<Result<"get", T>>;
export type Post = <T extends string>(path: T, body?: unknown, options?: Options) => Promise<Result<"post", T>>;
export type Patch = <T extends string>(path: T, body: unknown, options?: Options) => Promise<Result<"patch", T>>;
export type Put = <T extends string>(path: T, body: unknown, options?: Options) => Promise<Result<"put", T>>;
export type Remove = <T extends string>(path: T, options?: Options) => Promise<Result<"delete", T>>;

type RowOf<D> = D extends { data: (infer Row)[] } ? Row : never;
/** The rows of a list; `cut` says that there are more. */
export type Rows<T extends string> = RowOf<Result<"get", T>>[] & { cut?: boolean };
