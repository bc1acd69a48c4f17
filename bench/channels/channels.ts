import { randomBytes } from 'node:crypto'
import * as channels from '../../server/channels/store.ts'
import { readConfig } from '../../server/config.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { connections } from '../agents/messages.ts'
import { type Comparison, formatRow, headerLine } from '../comparison.ts'
import { openDatabase } from '../database.ts'
import { addTenant, serviceOn } from '../fill.ts'
import { startServer } from '../processes.ts'
import type { Tenant } from '../rows.ts'
import { openClient } from '../scale/client.ts'
import * as chats from './chats.ts'
import { plain_events, type Settings } from './plain.ts'
import * as sms from './sms.ts'

export interface Received {
  table: Comparison[]
  chat_kilobytes: number
}

const method = `On this machine, from one run. Parley is one process with the API and the worker.
  text messages  ${sms.messages.toLocaleString('en')} signed requests of a carrier over ${connections} connections, half of them from numbers that have written before, each
                 after the response to the last one on its connection. Measures how many are received a second, with contact,
                 conversation, turn, message and events. The agent answers later, which is not measured. The plain handler (Fastify and
                 pg) writes the same rows in one transaction per message, and checks nothing. Median of ${sms.rounds} rounds after a warm-up;
                 the two servers take turns.
  contacts       The first page of contacts while ${chats.chats.toLocaleString('en')} web chats are open, beside none, one request at a time. Median of the means
                 of ${chats.seconds} seconds; without chats as many seconds before and after.
PostgreSQL's durability settings are on. The target follows each figure.
`

/** Measures how fast messages are received, and what open chats cost. */
export async function receiving(stack: AsyncDisposableStack, signal: AbortSignal): Promise<Received> {
  console.log(method)
  const { url, pool } = await openDatabase(stack)
  const SECRETS_KEY = randomBytes(32).toString('base64')
  const carrier = await startServer(stack, 'bench/channels/carrier.ts', [], {})
  const server = await startServer(stack, 'bin/parley.mjs', ['serve'], {
    DATABASE_URL: url,
    PORT: '0',
    SECRETS_KEY,
    RATE_LIMIT_PER_SECOND: '0',
    TRUST_PROXY: '127.0.0.1',
  })
  const addSide = async (name: string) => {
    const tenant = await addTenant(pool, name)
    const { data } = await openClient(stack, server.port, tenant.token).send('POST', '/api/v1/agents', {
      name: 'Reception',
      script,
    })
    const add = (fields: object) => addChannel(pool, { tenant, SECRETS_KEY, fields: { agent_id: data.id, ...fields } })
    const sms_channel = {
      name: 'SMS',
      kind: 'sms',
      provider: 'twilio',
      address: sms.own_number,
      auth_token: sms.auth_token,
      account_sid: `AC${'0'.repeat(32)}`,
      api_url: `http://127.0.0.1:${carrier.port}`,
      is_api_url_trusted: true,
      messages_per_minute_max: 1_000_000,
      messages_per_day_max: 1_000_000,
    }
    const channel_id = await add(sms_channel)
    return { tenant, agent_id: data.id as string, channel_id, add }
  }
  const [ours, beside] = [await addSide('Messages'), await addSide('Plain')]
  await pool.script(plain_events)
  const { channel_id, agent_id } = beside
  const settings: Settings = { database_url: url, workspace_id: beside.tenant.workspace_id, channel_id, agent_id }
  const plain = await startServer(stack, 'bench/channels/plain.ts', [], {}, settings)
  console.log(headerLine())
  const sides = { ours: { ...ours, server }, plain: { ...beside, server: plain } }
  const received = await sms.measureReceived(pool, sides, signal)
  console.log(formatRow(received))
  const web_chat_id = await ours.add({ name: 'Site', kind: 'web_chat', provider: 'web' })
  const { tenant } = ours
  const open = await chats.measureChats(stack, { pool, server, tenant, channel_id: web_chat_id }, signal)
  console.log(formatRow(open.contacts))
  const verdict = open.kilobytes_each < chats.chat_kilobytes_max ? 'met' : 'missed'
  console.log(
    `\nResident memory for each open chat: ${open.kilobytes_each.toFixed(1)} kB (target: below ` +
      `${chats.chat_kilobytes_max} kB, ${verdict}).`,
  )
  return { table: [received, open.contacts], chat_kilobytes: open.kilobytes_each }
}

const script = {
  start: 'greet',
  nodes: { greet: { say: 'Hello, how can I help?', else: { say: 'We are open from nine to six.', go: 'greet' } } },
}

interface Adding {
  tenant: Tenant
  SECRETS_KEY: string
  fields: object
}

/** The public API can't add channels. */
async function addChannel(pool: Pool, { tenant, SECRETS_KEY, fields }: Adding): Promise<string> {
  const service = serviceOn(pool, readConfig({ SECRETS_KEY }))
  const { id } = await inTransaction(atWall(service, tenant.workspace_id), (at) =>
    channels.create(at, fields as Parameters<typeof channels.create>[1]),
  )
  return id
}
