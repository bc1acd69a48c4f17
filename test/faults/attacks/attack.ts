import type { Tenant } from '../service.ts'

/** Something that one client does, and that must not delay the requests of others. */
export interface Attack {
  name: string
  /** Resolves when everything that it began has ended. Fails if a response is not what it should be. */
  run: (world: AttackWorld) => Promise<void>
}

export interface AttackWorld {
  /** Ends what the attack has opened. */
  stack: AsyncDisposableStack
  /** Of the service, without a path. It may reach 127.0.0.1. */
  url: string
  /** `withEmbeddedPool(data_dir, ...)` opens its database. */
  data_dir: string
  /** In a live workspace, with all scopes. */
  attacker: Tenant
  /** The short form sends a share of what the long form does. */
  is_long: boolean
  print: (line: string) => void
  /** After what the attack has prepared in the database itself: how long others wait is measured from now. */
  beginMeasuring: () => Promise<void>
  /** The longest piece of work, in milliseconds, since the last call, or since the attack has begun. */
  takeLongestPiece: () => number
}
