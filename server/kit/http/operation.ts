import { type Static, type TSchema, Type } from 'typebox'
import type { Actor, At, AtOutside } from '../at.ts'
import type { Page } from '../postgres/page.ts'
import type { Code, Problem } from '../problem.ts'
import type { PiecedContent, StoredContent } from './file-content.ts'
import type { RawAnswer, RawRequest } from './raw.ts'
import { type Version, versionOf, writeVersionOf } from './resource-version.ts'
import type { StoredFile, Upload } from './uploaded-file.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Caller {
  /** Requests with the same id share a rate limit. */
  id: string
  workspace: string
  scopes: Scopes
  authenticated_by: 'key' | 'command' | 'session' | 'token'
  /** The operation runs for this actor. */
  actor: Actor
  /** Whether the request goes by the workspace's test clock. Undefined if the workspace is yet to be looked up. */
  is_test: boolean | undefined
}

export interface Scopes {
  has: (scope: string) => boolean
  /** Whether scopes that later versions add are included. */
  is_open: boolean
}

/** One validated request. */
export interface ValidRequest<Params = unknown, Query = unknown, Body = unknown> {
  caller: Caller
  request_id: string
  client: Client
  params: Params
  query: Query
  /** A file upload has its options here. */
  body: Body
  /** The stored file of a multipart/form-data upload. */
  file: StoredFile | undefined
  /** The result of the operation's `before`. */
  prepared: unknown
  isCurrent: IsCurrent
}

/** The sender of a request. */
export interface Client {
  readonly ip: string
}

/** Evaluates If-Match and If-None-Match against the resource, given as a get returns it. Undefined if there is none. */
export type IsCurrent = (resource: object | undefined) => boolean

type RequestOf<P extends TSchema, Q extends TSchema, B extends TSchema = TSchema> = ValidRequest<
  Static<P>,
  Static<Q>,
  Static<B>
>

/** The client of a stream. */
export interface Subscriber {
  /** The last event that the client has, as Last-Event-ID says. */
  last_event_id: string | undefined
  /** Aborted when the client disconnects, may no longer read, or the service stops. */
  signal: AbortSignal
}

interface Described<P extends TSchema, Q extends TSchema> {
  /** Has the form `room.verb`. */
  id: string
  path: string
  summary: string
  description: string
  params: P
  query: Q
  /** Error codes beyond those that follow from the kind and the schemas. */
  errors: Code[]
}

interface Scoped<P extends TSchema, Q extends TSchema> extends Described<P, Q> {
  scope: string
  /** A second scope that is required, where an operation of one resource shows what is in another. */
  second_scope: string | undefined
  /** Set if assistants are offered the operation. */
  tool: OfferedTool | undefined
}

/** An operation under a name that assistants understand. Its scope, schemas and limits are those of the operation. */
export interface OfferedTool {
  name: string
  description: string
  /** Parameters of the query or fields of the body that assistants don't need. */
  without?: string[]
  /** Parameters of the query that are always the same. */
  fixed?: Record<string, string>
  /** Whether the tool reaches people. */
  is_open_world?: boolean
}

export interface Get<P extends TSchema = TSchema, Q extends TSchema = TSchema, R extends TSchema = TSchema>
  extends Scoped<P, Q> {
  kind: 'get'
  method: 'GET'
  response: R
  version: Version | undefined
  /** An expensive get waits in the queue of expensive lists. */
  is_expensive: boolean
  run?: (at: At, request: RequestOf<P, Q>) => Promise<Static<R>>
  /** Replaces `run` where another server answers. The signal is aborted with a Problem when the client disconnects. */
  runRemote?: (at: AtOutside, request: RequestOf<P, Q>, signal: AbortSignal) => Promise<Static<R>>
  /** Replaces `run` for a large resource, which is sent in the envelope or as a file. */
  runInPieces?: (at: AtOutside, request: RequestOf<P, Q>) => Promise<PiecedContent>
  /** The content types of the files that `runInPieces` returns. */
  file_types: string[]
}

export interface List<P extends TSchema = TSchema, Q extends TSchema = TSchema, R extends TSchema = TSchema>
  extends Scoped<P, Q> {
  kind: 'list'
  method: 'GET'
  items: R
  /** Whether the query is expensive: fewer of those run at once in a workspace. */
  isExpensive: (query: Static<Q>) => boolean
  /** Returns what to wait for before `run`, if anything. A request that waits holds no slot. */
  wait: ((at: AtOutside, request: RequestOf<P, Q>) => ((signal: AbortSignal) => Promise<void>) | undefined) | undefined
  run: (at: At, request: RequestOf<P, Q>) => Promise<Page<Static<R>>>
}

interface Writing<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> extends Scoped<P, Q> {
  method: Exclude<Method, 'GET'>
  body: B | undefined
  response: R
  status: 200 | 201 | 202
  /**
   * Set for a create that may return an existing resource, which is answered with 200. Called with what `run` returns.
   */
  isCreated: ((result: never) => boolean) | undefined
  /**
   * Set for a create whose work may go on in the background, which is answered with 202. Called with what `run`
   * returns.
   */
  isAccepted: ((result: never) => boolean) | undefined
  /** The path of the collection that a created resource belongs to, with members of the request or the resource. By default `path`, up to its first parameter. */
  collection: string | undefined
  /** The member of the response that is the created resource, if the response has more than that. */
  resource: string | undefined
  version: Version | undefined
  /** Erases something for good: people need the highest role for this. */
  erases: boolean
  /** Leaves an entry in the audit log. By default all writes do but those by `remote`. */
  is_audited: boolean
  /** The response contains a secret: what an idempotency key stores of it is encrypted. */
  is_secret: boolean
  /**
   * Does what takes long, such as a DNS lookup, before the transaction begins. Not called when the answer is a replay. The signal
   * is aborted with a Problem when the client disconnects.
   */
  before: ((at: AtOutside, request: RequestOf<P, Q, B>, signal: AbortSignal) => Promise<unknown>) | undefined
}

/** Changes one resource, in its own transaction. A returned Problem, unlike a thrown one, commits. */
export interface Write<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> extends Writing<P, Q, B, R> {
  kind: 'write'
  upload: Upload | undefined
  /** `before` does the work, by a request to another server. An idempotency key is reserved for good before it. */
  is_remote: boolean
  /** Returns the requests of other operations that a batch consists of, in order. `run` is not called. */
  batch: ((request: RequestOf<P, Q, B>) => Batch) | undefined
  run: (at: At, request: RequestOf<P, Q, B>) => Promise<Static<R> | Problem>
}

export interface Batch {
  parts: Part[]
  /**
   * Whether all parts run in one transaction, or none. Otherwise each part has a transaction and an outcome of its own.
   */
  is_atomic: boolean
  /**
   * Locks what the parts of an atomic batch change, and returns the order to run them in, as indexes: transactions that lock in the
   * same order don't deadlock. Parts that depend on each other stay in order.
   */
  arrange: (at: At, parts: ValidRequest[]) => Promise<number[]>
}

/** A request of another operation, as it was sent. */
export interface Part {
  operation: WriteMany
  params: Record<string, string>
  body: unknown
  /** Set if the part is no request at all. */
  problem?: Problem | undefined
}

/** Serves concurrent requests of one workspace in one transaction. Returns a Problem for each that is rejected. */
export interface WriteMany<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  R extends TSchema = TSchema,
> extends Writing<P, Q, B, R> {
  kind: 'write_many'
  run: (at: At, requests: RequestOf<P, Q, B>[]) => Promise<(Static<R> | Problem)[]>
}

/** Returns a file that is produced while it is sent, or that is stored. */
export interface File<P extends TSchema = TSchema, Q extends TSchema = TSchema> extends Scoped<P, Q> {
  kind: 'file'
  method: 'GET'
  /** A file without an example is no text. */
  file: { content_type: string; name: string; example?: string }
  isExpensive: (query: Static<Q>) => boolean
  /** Throws a Problem before the first chunk or never. */
  run?: (at: AtOutside, request: RequestOf<P, Q>) => AsyncIterable<string | Buffer>
  /** Opens a stored file, of which clients can request ranges. */
  open?: (at: AtOutside, request: RequestOf<P, Q>) => Promise<StoredContent>
}

/** Sends chunks as they happen, until the client disconnects. */
export interface Stream<P extends TSchema = TSchema, Q extends TSchema = TSchema> extends Scoped<P, Q> {
  kind: 'stream'
  method: 'GET'
  /** `events` has the schema of each event's data, by the event's name. */
  stream: { content_type: string; example: string; events: Record<string, TSchema> }
  /** Throws a Problem before the first chunk or never. */
  run: (at: AtOutside, request: RequestOf<P, Q>, subscriber: Subscriber) => AsyncIterable<string>
}

/** Takes any bytes from anyone, without a scope: a token in its path identifies the caller. Served at the root. */
export interface Raw<P extends TSchema = TSchema, Q extends TSchema = TSchema> extends Described<P, Q> {
  kind: 'raw'
  method: 'POST'
  /** The headers that `run` reads. Documented, but not validated. */
  headers: TSchema
  /** A JSON body, or undefined when any body will do. */
  body_example: unknown
  responses: Record<number, { description: string; schema: TSchema }>
  /** Samples of errors that say something else here than in other operations. */
  error_samples: Partial<Record<Code, Problem>>
  /**
   * Checks the signature. Runs without a slot, so that senders without a valid signature can't take the slots of
   * others.
   */
  before?: (at: AtOutside, request: RequestOf<P, Q>, raw: RawRequest) => Promise<unknown>
  run?: (at: At, request: RequestOf<P, Q>, raw: RawRequest) => Promise<RawAnswer | Problem>
  /** Serves concurrent requests of one workspace in one transaction. */
  runMany?: (at: At, requests: { request: RequestOf<P, Q>; raw: RawRequest }[]) => Promise<(RawAnswer | Problem)[]>
}

/** Describes one thing that clients can do. Routes, checks and documents are made from it. */
export type Operation = Get | List | Write | WriteMany | File | Stream | Raw

const nothing = Type.Object({})
type Nothing = typeof nothing

/** The members that a definition must have; the rest has defaults. */
type Definition<Op, Optional extends keyof Op> = Omit<Op, 'kind' | Optional> & Partial<Pick<Op, Optional>>
type Defaults = 'description' | 'params' | 'query' | 'errors'
type ScopedDefaults = Defaults | 'second_scope' | 'tool'
type ReadDefaults = ScopedDefaults | 'method'
type WriteDefaults =
  | ScopedDefaults
  | 'body'
  | 'status'
  | 'isCreated'
  | 'isAccepted'
  | 'collection'
  | 'resource'
  | 'is_secret'
  | 'erases'
  | 'is_audited'
  | 'before'
  | 'version'

const described = { description: '', params: nothing, query: nothing, errors: [] }
const scoped = { ...described, second_scope: undefined, tool: undefined }
const reading = { ...scoped, method: 'GET' }
const writing = {
  ...scoped,
  body: undefined,
  status: 200,
  isCreated: undefined,
  isAccepted: undefined,
  collection: undefined,
  resource: undefined,
  is_secret: false,
  erases: false,
  is_audited: true,
  before: undefined,
}

/** The requests that reach `run` are validated against the schemas that its types come from. */
const asOperation = (definition: object): Operation => definition as Operation

export const get = <R extends TSchema, P extends TSchema = Nothing, Q extends TSchema = Nothing>(
  definition: Definition<Get<P, Q, R>, ReadDefaults | 'version' | 'is_expensive' | 'file_types'>,
): Operation => {
  const defaults = { ...reading, is_expensive: false, file_types: [] }
  return asOperation({ kind: 'get', ...defaults, version: versionOf(definition.response), ...definition })
}

export const list = <R extends TSchema, P extends TSchema = Nothing, Q extends TSchema = Nothing>(
  definition: Definition<List<P, Q, R>, ReadDefaults | 'isExpensive' | 'wait'>,
): Operation => asOperation({ kind: 'list', ...reading, isExpensive: () => false, wait: undefined, ...definition })

export const write = <
  R extends TSchema,
  P extends TSchema = Nothing,
  Q extends TSchema = Nothing,
  B extends TSchema = Nothing,
>(
  definition: Definition<Write<P, Q, B, R>, WriteDefaults | 'upload' | 'is_remote' | 'batch'>,
): Operation => {
  const defaults = { ...writing, upload: undefined, is_remote: false, batch: undefined }
  return asOperation({ kind: 'write', ...defaults, version: writeVersionOf(definition), ...definition })
}

/** A POST that consists of requests of other operations. Its response is `BatchResults`. */
export const batch = <R extends TSchema, B extends TSchema>(
  definition: Omit<Definition<Write<Nothing, Nothing, B, R>, WriteDefaults>, 'method' | 'upload' | 'is_remote' | 'run'>,
): Operation =>
  write<R, Nothing, Nothing, B>({
    ...definition,
    method: 'POST',
    run: () => Promise.reject(new Error(`${definition.id} runs in parts`)),
  })

/**
 * A POST whose work is a request to another server, which must not run in a transaction. An idempotency key is reserved before
 * `run`, and stores the answer after it. `run` may throw a Problem, or an error of the database, only before it sends anything:
 * they release the key.
 */
export const remote = <
  R extends TSchema,
  P extends TSchema = Nothing,
  Q extends TSchema = Nothing,
  B extends TSchema = Nothing,
>({
  run,
  ...definition
}: Omit<Definition<Write<P, Q, B, R>, WriteDefaults>, 'method' | 'upload' | 'is_remote' | 'batch' | 'run'> & {
  run: (at: AtOutside, request: RequestOf<P, Q, B>, signal: AbortSignal) => Promise<Static<R>>
}): Operation =>
  write<R, P, Q, B>({
    ...definition,
    method: 'POST',
    // Nothing is audited, because the answer is stored in another transaction.
    is_audited: false,
    // A repeat with the key of a request that was interrupted gets INVALID_STATE.
    errors: [...new Set<Code>(['INVALID_STATE', ...(definition.errors ?? [])])],
    is_remote: true,
    before: run,
    // `before` has stored here what `run` of the definition returned.
    run: async (_at, request) => request.prepared as Static<R>,
  })

export const writeMany = <
  R extends TSchema,
  P extends TSchema = Nothing,
  Q extends TSchema = Nothing,
  B extends TSchema = Nothing,
>(
  definition: Definition<WriteMany<P, Q, B, R>, WriteDefaults>,
): WriteMany =>
  // The cast is true for the reason given at `asOperation`.
  asOperation({ kind: 'write_many', ...writing, version: writeVersionOf(definition), ...definition }) as WriteMany

/** Makes an operation that sends a file. The definition must have `run` or `open`. */
export const file = <P extends TSchema = Nothing, Q extends TSchema = Nothing>(
  definition: Definition<File<P, Q>, ReadDefaults | 'isExpensive' | 'run' | 'open'>,
): Operation => asOperation({ kind: 'file', ...reading, isExpensive: () => false, ...definition })

export const stream = <P extends TSchema = Nothing, Q extends TSchema = Nothing>(
  definition: Definition<Stream<P, Q>, ReadDefaults>,
): Operation => asOperation({ kind: 'stream', ...reading, ...definition })

/** Makes a raw operation. The definition must have `run` or `runMany`. */
export const raw = <P extends TSchema = Nothing, Q extends TSchema = Nothing>(
  definition: Definition<
    Raw<P, Q>,
    Defaults | 'method' | 'headers' | 'body_example' | 'error_samples' | 'before' | 'run' | 'runMany'
  >,
): Operation =>
  asOperation({ kind: 'raw', ...described, method: 'POST', headers: nothing, error_samples: {}, ...definition })

/** The scopes that a caller needs, all of them. */
export const scopesOf = (operation: Operation): string[] =>
  operation.kind === 'raw'
    ? []
    : operation.second_scope === undefined
      ? [operation.scope]
      : [operation.scope, operation.second_scope]

export const isWrite = (operation: Operation): operation is Write | WriteMany =>
  operation.kind === 'write' || operation.kind === 'write_many'

export const uploadOf = (operation: Operation): Upload | undefined =>
  operation.kind === 'write' ? operation.upload : undefined

export const bodyOf = (operation: Operation): TSchema | undefined => (isWrite(operation) ? operation.body : undefined)
