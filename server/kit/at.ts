import type { Blobs } from './blobs/blobs.ts'
import * as clock from './clock.ts'
import type { Seal } from './crypto/seal.ts'
import type { RateLimit } from './limits/rate.ts'
import type { Metrics } from './metrics.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { Db, Pool } from './postgres/pool.ts'
import type { TxOptions } from './postgres/transaction.ts'
import type { Traces } from './traces/traces.ts'

/** Where and when a verb runs. It is the first argument of every verb. */
export interface At {
  /** The pool, or the transaction that the verb is part of. */
  db: Db
  workspace: string
  /** The workspace's time. */
  now: number
  /** Whether the workspace is a test workspace, and `now` the time of its clock. Ask `timeStands` or `simulatesPeople` instead. */
  is_test: boolean
  /** The verb runs for this actor. */
  actor: Actor
  /** The only request that the verb runs for, where verbs need it. */
  request?: { id: string; ip: string }
  tools: Tools
  hooks: Hooks
}

/** Who or what causes a change. */
export interface Actor {
  type: string
  /** Null if the type says it all. */
  id: string | null
}

/** The service itself, such as in background work. */
export const system: Actor = { type: 'system', id: null }

/** Outside of any transaction. No rows are locked, so other servers and stored files can be reached. */
export interface AtOutside extends At {
  tools: Tools & Outside
}

/** The part of an `at` that verbs need which don't depend on the time. */
export type InWorkspace = Pick<At, 'db' | 'workspace'>

/** The part of an `at` that verbs need which belong to no workspace, such as those of people and sessions. */
export type Unscoped = Pick<At, 'db' | 'now'>

/** What the process shares with all verbs. The tools of rooms are values of their own, made by `newTool`. */
export interface Tools {
  /** Encrypts secrets before they are stored. */
  seal: Seal
  /** The URL at which clients reach the service, without a slash at the end. */
  address: () => string
  /** Returns the time of a test workspace's clock, or undefined for a live workspace. */
  readTestTime: (workspace: string) => Promise<number | undefined>
  /** Counts the requests to other servers that a workspace asks for to test its settings. */
  tests: RateLimit
  /** What operators see of this process. In a transaction, count after the commit (`db.afterCommit`). */
  metrics: Metrics
  /** Undefined if traces are off. Code that is part of a trace calls `currentSpan()` instead. */
  traces: Traces | undefined
  /** The tools of rooms that this service has opened. */
  opened: Map<unknown, unknown>
}

/** Tools that may take long, and so are out of reach while rows are locked. */
interface Outside {
  /** Sends HTTP requests to client-supplied URLs. */
  outbound: Outbound
  /** Recordings. */
  blobs: Blobs
}

/** What a room keeps between calls, such as a queue. The value is only the key: each service has its own. */
export class Tool<T, Reach extends Tools = Tools> {
  readonly #open: () => T

  constructor(open: () => T) {
    this.#open = open
  }

  /** Returns the value of the service in which the verb runs. The first call opens it. */
  of({ tools: { opened } }: { tools: Reach }): T {
    if (!opened.has(this)) opened.set(this, this.#open())
    // Only `set` and the line above store a value under this key, so it is a T.
    return opened.get(this) as T
  }

  set({ tools: { opened } }: { tools: Tools }, value: T): void {
    opened.set(this, value)
  }
}

const mustBeSet = (): never => {
  throw new Error('openService must set this tool')
}

/** Makes a tool. Without `open`, `openService` sets it, because it needs the pool or the configuration. */
export const newTool = <T>(open: () => T = mustBeSet): Tool<T> => new Tool(open)

/** Makes a tool that reaches other servers, and so is out of reach while rows are locked. */
export const newToolOutside = <T>(open: () => T = mustBeSet): Tool<T, Tools & Outside> => new Tool(open)

/** What a process needs to run verbs. */
export interface Service {
  pool: Pool
  tools: Tools & Outside
  hooks: Hooks
  /** Verbs that no caller has asked for run for this actor: by default the service itself. */
  actor?: Actor
}

/** Makes an `at` that goes by wall time, in live and in test workspaces. */
export const atWall = (
  { pool, tools, hooks, actor = system }: Service,
  workspace: string,
  now = clock.wall(),
): AtOutside => ({
  db: pool,
  workspace,
  now,
  is_test: false,
  actor,
  tools,
  hooks,
})

/** Makes an `at` that goes by the time of the workspace: wall time, or that of its test clock. */
export async function atWorkspace(service: Service, workspace: string): Promise<AtOutside> {
  const test_now = await service.tools.readTestTime(workspace)
  return test_now === undefined
    ? atWall(service, workspace)
    : { ...atWall(service, workspace, test_now), is_test: true }
}

/** Makes an `at` for the caller of a request. It needs no query when the caller's workspace is known to be live. */
export const atCaller = async (
  service: Service,
  { workspace, is_test, actor }: { workspace: string; is_test: boolean | undefined; actor: Actor },
): Promise<AtOutside> => {
  const for_caller = { ...service, actor }
  return is_test === false ? atWall(for_caller, workspace) : atWorkspace(for_caller, workspace)
}

/** Whether time stands still: that of a test clock moves only when it is advanced. */
export const timeStands = ({ is_test }: Pick<At, 'is_test'>): boolean => is_test

/** Whether all people there are simulated, so that nobody is called or written to. */
export const simulatesPeople = ({ is_test }: Pick<At, 'is_test'>): boolean => is_test

/** Moves `at` to the current time, for work that takes a while. Time that stands still is not moved. */
export const atLater = <A extends At>(at: A): A => (timeStands(at) ? at : { ...at, now: clock.wall() })

/** Runs the work in one transaction; all verbs called with its `at` are part of it. */
export const inTransaction = <A extends Pick<At, 'db'>, T>(
  at: A,
  work: (at: Inside<A>) => Promise<T>,
  options?: TxOptions,
  // The cast is true: `Inside` only hides what an `AtOutside` has beside the members of `At`.
): Promise<T> => at.db.tx((db) => work({ ...at, db } as Inside<A>), options)

type Inside<A> = A extends At ? At : A

/** Something that happens in one room, and that other rooms react to in the same transaction. */
export interface Hook<Input, Output = void> {
  readonly name: string
  /** This member is never set. It ties the hook to the type of its input. */
  readonly input?: Input
  /** This member is never set. It ties the hook to the type of what each reaction returns. */
  readonly output?: Output
}

export interface Reaction {
  hook: Hook<never, unknown>
  run: (at: At, input: never) => Promise<unknown>
}

export interface Hooks {
  /** Returns what each reaction has returned. */
  run: <Input, Output>(at: At, hook: Hook<Input, Output>, input: Input) => Promise<Output[]>
}

export const newHook = <Input, Output = void>(name: string): Hook<Input, Output> => ({ name })

/** The type of `on` ties `run` to the input and output of its hook, so that a list can hold reactions to all hooks. */
export const on = <Input, Output>(
  hook: Hook<Input, Output>,
  run: (at: At, input: Input) => Promise<NoInfer<Output>>,
): Reaction => ({
  hook: hook as Hook<never, Output>,
  run: run as Reaction['run'],
})

export function openHooks(reactions: Reaction[]): Hooks {
  const by_hook = Map.groupBy(reactions, ({ hook }) => hook)
  return {
    run: async (at, hook, input) => {
      // `on` has tied each reaction to the types of its hook's input and output.
      const reacting = by_hook.get(hook as Hook<never, unknown>) ?? []
      return Promise.all(reacting.map(({ run }) => run(at, input as never) as Promise<never>))
    },
  }
}
