import type pg from 'pg'
import * as clock from '../../clock.ts'
import { isQueryTimeout } from '../errors.ts'

/** A node that takes longer to answer is down: its machine may hang, or the network may drop what is sent to it. */
const node_answer_ms = 1_500

/** A server of a database that Citus shards. */
export interface Node {
  name: string
  /** Whether the coordinator reaches the node. */
  is_up: boolean
  /** Whether the node does not answer at all. A node that refuses connections does answer. */
  is_silent: boolean
}

/** Runs statements on a new connection to the coordinator, and closes it. */
export type OnNewConnection = <T>(run: (client: pg.Client) => Promise<T>, timeout_ms?: number) => Promise<T>

/** Asks all nodes at the same time. */
export async function askNodes(onNewConnection: OnNewConnection): Promise<Node[]> {
  const { rows } = await onNewConnection((client) =>
    client.query<Address>(
      `select nodename as host, nodeport as port, isactive as is_active from pg_dist_node
      where noderole = 'primary' order by groupid`,
    ),
  )
  return Promise.all(rows.map((address) => askNode(onNewConnection, address)))
}

interface Address {
  host: string
  port: number
  is_active: boolean
}

async function askNode(onNewConnection: OnNewConnection, { host, port, is_active }: Address): Promise<Node> {
  const name = `${host}:${port}`
  if (!is_active) return { name, is_up: false, is_silent: false }
  const ask = async (client: pg.Client): Promise<Node> => {
    await client.query(`set citus.node_connection_timeout = ${node_answer_ms}`)
    const began_ticks = clock.ticks()
    const { rows } = await client
      .query<{ is_up: boolean | null }>('select citus_check_connection_to_node($1, $2) as is_up', [host, port])
      .catch((error: unknown) => {
        if (!isQueryTimeout(error)) throw error
        return { rows: [] }
      })
    const is_up = rows[0]?.is_up === true
    return { name, is_up, is_silent: !is_up && clock.ticks() - began_ticks >= node_answer_ms }
  }
  return onNewConnection(ask, node_answer_ms + 100)
}
