import type pg from 'pg'
import * as clock from '../../clock.ts'
import type { Sql } from '../sql.ts'
import { askNodes, type OnNewConnection } from './ask-nodes.ts'
import { NodeSilentError } from './faults.ts'

/** When a statement takes longer, the nodes are asked whether they answer. */
const slow_ms = 750
const check_every_ms = 250
const ask_every_ms = 1_000

/** A connection that is in use. */
interface Use {
  /** When the last statement was sent on the connection. */
  since_ticks: number
  /** The last statement that has values. */
  statement: Statement
  /**
   * Whether a statement since the connection was taken from the pool was a write to all nodes: its commit needs all of
   * them too.
   */
  is_everywhere: boolean
}

interface Statement {
  text: string
  /** The tenant is one of the values. */
  values: readonly unknown[]
}

interface SilentNodesOptions {
  pool: pg.Pool
  isSharded: () => boolean
  /** Selects the `workspace_id` of all tenants. */
  tenants: Sql
  /** Tables that each node has a copy of: a write to one goes to all nodes. */
  reference_tables: readonly string[]
  onNewConnection: OnNewConnection
}

/**
 * Finds nodes of a sharded database that don't answer, because their machine hangs, for example. Citus would wait for
 * them, and each statement would hold a connection of the pool: soon no tenant would get one. Statements for tenants of
 * such a node, and writes to tables that it has a copy of, are refused. Statements under way lose their connections
 * within three seconds, before callers that wait for a connection give up.
 */
export class SilentNodes {
  readonly #options: SilentNodesOptions
  readonly #uses = new Map<pg.PoolClient, Use>()
  readonly #timer: NodeJS.Timeout
  readonly #writes_everywhere: RegExp
  #names = ''
  /** The tenants whose node is silent. */
  #tenants: ReadonlySet<string> = new Set()
  #asked_ticks = Number.NEGATIVE_INFINITY
  #is_asking = false

  constructor(options: SilentNodesOptions) {
    this.#options = options
    this.#writes_everywhere = new RegExp(
      `^\\s*(insert into|update|delete from) (${options.reference_tables.join('|')})\\b`,
    )
    options.pool.on('release', (_error, client) => this.#uses.delete(client))
    this.#timer = setInterval(() => this.#check(), check_every_ms).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Call it before the statement waits for a connection. */
  assertAnswers(statement: Statement): void {
    if (this.#needsSilent(statement)) throw new NodeSilentError('a node of the database does not answer')
  }

  /** Runs a statement on a connection of the pool. */
  async run<T>(client: pg.PoolClient, statement: Statement, send: () => Promise<T>): Promise<T> {
    this.assertAnswers(statement)
    const is_everywhere = this.#uses.get(client)?.is_everywhere === true || this.#writes_everywhere.test(statement.text)
    // A savepoint or a commit has no values: it is about the tenant of the statement before.
    const about = statement.values.length > 0 ? statement : (this.#uses.get(client)?.statement ?? statement)
    this.#uses.set(client, { since_ticks: clock.ticks(), statement: about, is_everywhere })
    try {
      return await send()
    } catch (error) {
      if (!this.#needsSilent(statement)) throw error
      throw new NodeSilentError('a node of the database does not answer', { cause: error })
    }
  }

  #needsSilent({ text, values }: Statement): boolean {
    if (this.#names === '') return false
    const isSilent = (value: unknown) => typeof value === 'string' && this.#tenants.has(value)
    return values.some(isSilent) || this.#writes_everywhere.test(text)
  }

  #check(): void {
    const now = clock.ticks()
    if (this.#is_asking || now - this.#asked_ticks < ask_every_ms || !this.#options.isSharded()) return
    const is_any_slow = this.#uses.values().some(({ since_ticks }) => now - since_ticks >= slow_ms)
    if (!is_any_slow && this.#names === '') return
    this.#is_asking = true
    this.#ask()
      // An error means that the coordinator itself fails, as the statements then do.
      .catch(() => {})
      .finally(() => {
        this.#is_asking = false
        this.#asked_ticks = clock.ticks()
      })
  }

  async #ask(): Promise<void> {
    const nodes = await askNodes(this.#options.onNewConnection)
    const silent = nodes.flatMap(({ name, is_silent }) => (is_silent ? name : []))
    const names = silent.join(' ')
    if (names !== this.#names) this.#tenants = await this.#tenantsOn(silent)
    this.#names = names
    // The coordinator would not end a transaction on such a connection either.
    for (const [client, { statement, is_everywhere }] of this.#uses)
      if (this.#needsSilent(statement) || (is_everywhere && names !== '')) client.connection.stream.destroy()
  }

  #tenantsOn(nodes: string[]): Promise<ReadonlySet<string>> {
    if (nodes.length === 0) return Promise.resolve(new Set())
    const { tenants, onNewConnection } = this.#options
    return onNewConnection(async (client) => {
      const placed = await client.query<{ shard: string }>(
        `select shardid::text as shard from pg_dist_placement join pg_dist_node using (groupid)
        where nodename || ':' || nodeport = any($1)`,
        [nodes],
      )
      const shards = new Set(placed.rows.map(({ shard }) => shard))
      const all = await client.query<{ workspace_id: string; shard: string }>(
        `select workspace_id, get_shard_id_for_distribution_column('tenants', workspace_id)::text as shard
        from (${tenants.text}) as every_tenant`,
      )
      return new Set(all.rows.flatMap(({ workspace_id, shard }) => (shards.has(shard) ? workspace_id : [])))
    })
  }
}
