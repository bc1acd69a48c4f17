import { type Static, type TSchema, Type } from 'typebox'
import type { Seal } from '../crypto/seal.ts'
import type { Outbound } from '../outbound.ts'
import type { Page } from '../postgres/page.ts'
import type { Db } from '../postgres/pool.ts'
import type { Code, Problem } from '../problem.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Who asks, and through which door: what a contact made by this caller has as its `source`. */
export interface Caller {
  /** Whose requests are counted together: a key, a person. */
  id: string
  workspace: string
  scopes: Scopes
  source: 'api' | 'manual' | 'webhook'
}

export interface Scopes {
  has: (scope: string) => boolean
  /** Whether those of later versions are among them. */
  is_open: boolean
}

/** One request, checked. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  caller: Caller
  request_id: string
  params: Params
  query: Query
  body: Body
  /** What came as multipart/form-data, where the operation takes it; `body` then is its options. */
  file: KeptFile | undefined
  /** As it came, where the operation `is_raw`. */
  raw: Raw | undefined
  /** From If-Match: whether the caller knows this state of the resource, which is as a get shows it. */
  is_current: (resource: object) => boolean
  listener: Listener
}

/** Who takes an answer that is sent as it is made. */
export interface Listener {
  /** From Last-Event-ID: how far the listener was before. */
  last_event_id: string | undefined
  /** The listener has gone, or must go. */
  signal: AbortSignal
}

/** A request that was let in and is not looked at any further. */
export interface Raw {
  /** The header's values, one for each time it was sent. */
  sent: (header: string) => string[]
  bytes: Buffer
}

/** A file that has arrived, and is kept under this id until the operation takes it over. */
export interface KeptFile {
  id: string
  name: string | null
}

/** A file may come as multipart/form-data in place of the JSON body, with the rest in a part `options`. */
export interface Upload {
  /** Of the file, for the documents: what arrives is not checked by it. */
  content_type: string
  options: TSchema
  /** What such a file may hold. */
  example: string
  bytes_max: number
  /** Keeps what arrives, outside of the write's transaction, and gives its id. */
  keep: (at: At, bytes: AsyncIterable<Buffer>) => Promise<string>
  /** Lets go of it unless the write has taken it over. */
  letGo: (at: At, id: string) => Promise<void>
}

/** What the process lends to those who need it. */
export interface Tools {
  /** For what must not be kept in the clear. */
  seal: Seal
  /** Where clients reach the service, without a slash at the end. */
  address: () => string
  /** The only way out to addresses that clients have named. */
  outbound: Outbound
}

/** Where and when it is carried out. Writes get the transaction that also holds their idempotency key. */
export interface At {
  db: Db
  workspace: string
  now: number
  tools: Tools
}

interface Description<P extends TSchema, Q extends TSchema, B extends TSchema> {
  /** room.verb */
  id: string
  method: Method
  path: string
  scope: `${string}:${'read' | 'write'}`
  summary: string
  description?: string
  params?: P
  query?: Q
  body?: B
  upload?: Upload
  /** Takes any bytes, and says itself what it reads of them: the call has them as `raw`. */
  is_raw?: boolean
  /** Errors beyond those that follow from the method and the schemas. */
  refusals?: Code[]
  /** Refuses what takes time to find out, before the transaction of the write begins. */
  before?: (at: At, call: CallOf<P, Q, B>) => Promise<void>
  /** The answer shows a secret: what an idempotency key keeps of it is sealed. */
  is_secret?: boolean
  /**
   * Names the state of the resource for ETag and If-Match: another one whenever a get would show something else. By default
   * `updated_at`.
   */
  state?: (resource: never) => string
}

type CallOf<P extends TSchema, Q extends TSchema, B extends TSchema> = Call<Static<P>, Static<Q>, Static<B>>

/** Answers with one resource. */
interface One<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema> extends Description<P, Q, B> {
  response: R
  status?: 200 | 201
  /** A Problem that it gives, unlike one that it throws, leaves what was written. */
  run: (at: At, call: CallOf<P, Q, B>) => Promise<Static<R> | Problem>
}

/** Answers many requests of one workspace in one transaction; a Problem in the place of each that is refused. */
interface Many<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema>
  extends Description<P, Q, B> {
  response: R
  status?: 200 | 201
  runAll: (at: At, calls: CallOf<P, Q, B>[]) => Promise<(Static<R> | Problem)[]>
}

/** Answers with a page of resources. */
interface List<P extends TSchema, Q extends TSchema, B extends TSchema, R extends TSchema>
  extends Description<P, Q, B> {
  items: R
  /** Whether answering such a query can take long: then fewer of a workspace run at once. */
  isDear?: (query: Static<Q>) => boolean
  run: (at: At, call: CallOf<P, Q, B>) => Promise<Page<Static<R>>>
}

/** Answers with a file that is sent as it is made, or goes on as long as someone listens. */
interface Streamed<P extends TSchema, Q extends TSchema, B extends TSchema> extends Description<P, Q, B> {
  method: 'GET'
  file: FileType
  /** As for a list. */
  isDear?: (query: Static<Q>) => boolean
  /** Refuses before it gives the first piece, or not at all. */
  run: (at: At, call: CallOf<P, Q, B>) => AsyncIterable<string>
}

export interface FileType {
  content_type: string
  /** To save it by. What has none has no end either: it is read as it comes. */
  name?: string
  example: string
}

/** A value that says all about one thing that clients can do: routes, checks and documents are made from it. */
export interface Operation {
  id: string
  method: Method
  path: string
  scope: string
  summary: string
  description: string
  params: TSchema
  query: TSchema
  body: TSchema | undefined
  upload: Upload | undefined
  is_raw: boolean
  refusals: Code[]
  is_secret: boolean
  /** Undefined when the resource has no `updated_at` either: a get is then named by its body. */
  state: ((resource: unknown) => string) | undefined
  before: ((at: At, call: Call) => Promise<void>) | undefined
  response: TSchema
  /** The answer is such a file, and not in the envelope. */
  file: FileType | undefined
  is_list: boolean
  isDear: (query: unknown) => boolean
  status: 200 | 201
  run: ((at: At, call: Call) => Promise<unknown>) | undefined
  stream: ((at: At, call: Call) => AsyncIterable<string>) | undefined
  runAll: ((at: At, calls: Call[]) => Promise<unknown[]>) | undefined
}

export const isEndless = ({ file }: Pick<Operation, 'file'>): boolean => file !== undefined && file.name === undefined

const nothing = Type.Object({})

/** What a DELETE answers with tells nothing of the resource, which has an `updated_at` unless `state` says otherwise. */
const defaultState = ({ method, response }: { method: Method; response: TSchema }): Operation['state'] =>
  method === 'DELETE' || 'updated_at' in Object(Object(response).properties)
    ? (resource) => String(Object(resource).updated_at)
    : undefined

export function operation<
  R extends TSchema,
  P extends TSchema = typeof nothing,
  Q extends TSchema = typeof nothing,
  B extends TSchema = typeof nothing,
>(said: One<P, Q, B, R> | Many<P, Q, B, R> | List<P, Q, B, R> | Streamed<P, Q, B>): Operation {
  const is_list = 'items' in said
  const file = 'file' in said ? said.file : undefined
  return {
    id: said.id,
    method: said.method,
    path: said.path,
    scope: said.scope,
    summary: said.summary,
    description: said.description ?? '',
    params: said.params ?? nothing,
    query: said.query ?? nothing,
    body: said.body,
    upload: said.upload,
    is_raw: said.is_raw ?? false,
    refusals: said.refusals ?? [],
    is_secret: said.is_secret ?? false,
    // It gets what the operation answers with, or what a verb says is the resource.
    state: (said.state as Operation['state']) ?? ('response' in said ? defaultState(said) : undefined),
    before: said.before as Operation['before'],
    response: is_list ? said.items : 'response' in said ? said.response : Type.String(),
    file,
    is_list,
    isDear: ('isDear' in said && (said.isDear as Operation['isDear'] | undefined)) || (() => false),
    status: ('status' in said && said.status) || 200,
    // The calls that reach these were checked against the schemas that their types come from.
    run: 'run' in said && !file ? (said.run as Operation['run']) : undefined,
    stream: 'run' in said && file ? (said.run as Operation['stream']) : undefined,
    runAll: 'runAll' in said ? (said.runAll as Operation['runAll']) : undefined,
  }
}
