import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sendAll, waitForAnswers } from '../agents/messages.ts'
import { atMost, type Comparison } from '../comparison.ts'
import { residentKilobytes } from '../memory.ts'
import type { Server } from '../processes.ts'
import { type Tenant, toBytes } from '../rows.ts'
import { openClient } from '../scale/client.ts'
import { median } from '../table.ts'

export const chats = 2_000
export const seconds = 15
export const chat_kilobytes_max = 60
const ratio_max = 1.2
const connections = 8
const opened_at_once = 50
/** A network may begin ten chats in a minute. */
const chats_per_network = 8
/** Until what opening the chats has left behind is collected. */
const settle_ms = 5_000

export interface Chats {
  pool: Pool
  server: Server
  tenant: Tenant
  channel_id: string
}

export interface OpenChats {
  contacts: Comparison
  kilobytes_each: number
}

/** Measures what open chats cost: memory of the server, and the time of a request that has nothing to do with them. */
export async function measureChats(
  stack: AsyncDisposableStack,
  { pool, server, tenant, channel_id }: Chats,
  signal: AbortSignal,
): Promise<OpenChats> {
  const tokens = await beginChats(server, channel_id)
  await waitForAnswers(pool, tenant)
  const client = openClient(stack, server.port, tenant.token)
  /** The mean of each second, because the server reads about the chats once a second. */
  const readContacts = async () => {
    const means: number[] = []
    while (means.length < seconds) {
      signal.throwIfAborted()
      const started_at = performance.now()
      let requests = 0
      for (; performance.now() - started_at < 1_000; requests += 1) await client.get('/api/v1/contacts')
      means.push((performance.now() - started_at) / requests)
    }
    return means
  }
  await readContacts()
  await sleep(settle_ms)
  const before = { kilobytes: residentKilobytes(server.pid), times_ms: await readContacts() }
  const sockets: net.Socket[] = []
  stack.defer(() => closeAll(sockets))
  for (let index = 0; index < chats; index += opened_at_once) {
    const some = tokens.slice(index, index + opened_at_once)
    const open = (token: string, nth: number) => openStream(server, { channel_id, token, index: index + nth })
    sockets.push(...(await Promise.all(some.map(open))))
  }
  await sleep(settle_ms)
  const kilobytes = residentKilobytes(server.pid)
  const times_ms = await readContacts()
  if (sockets.some(({ destroyed }) => destroyed)) throw new Error('the server has closed a chat')
  closeAll(sockets)
  await sleep(settle_ms)
  // Before and after, because the machine may have become faster or slower.
  const without_ms = [...before.times_ms, ...(await readContacts())]
  return {
    contacts: atMost('contacts in ms, beside no open chats', median(times_ms), median(without_ms), ratio_max),
    kilobytes_each: (kilobytes - before.kilobytes) / chats,
  }
}

const networkOf = (index: number): string =>
  `10.1.${(index / chats_per_network) >> 8}.${(index / chats_per_network) & 255}`

/** Returns the visitors' tokens. */
async function beginChats({ port }: Server, channel_id: string): Promise<string[]> {
  const tokens: string[] = []
  const requests = Array.from({ length: chats }, (_, index) =>
    toBytes({
      method: 'POST',
      path: `/chat/${channel_id}/sessions`,
      token: '',
      response_contains: '',
      headers: { 'x-forwarded-for': networkOf(index) },
      body: {},
    }),
  )
  await sendAll(port, requests, connections, (response) => {
    tokens.push(JSON.parse(response.slice(response.indexOf('\r\n\r\n'))).data.token)
  })
  return tokens
}

interface ChatStream {
  channel_id: string
  token: string
  index: number
}

/** Resolves when the first event has arrived. */
async function openStream({ port }: Server, { channel_id, token, index }: ChatStream): Promise<net.Socket> {
  const headers = { 'x-forwarded-for': networkOf(index), accept: 'text/event-stream' }
  const request = { method: 'GET' as const, path: `/chat/${channel_id}/stream`, token, headers, response_contains: '' }
  const socket = net.connect({ port, host: '127.0.0.1' })
  await once(socket, 'connect')
  socket.write(toBytes(request))
  for (let received = ''; !received.includes('conversation.updated'); ) {
    const [bytes] = await once(socket, 'data')
    received += bytes
    if (!received.startsWith('HTTP/1.1 200')) throw new Error(received)
  }
  // What follows is only read.
  socket.on('data', () => {}).on('error', () => {})
  return socket
}

function closeAll(sockets: net.Socket[]): void {
  for (const socket of sockets) socket.destroy()
}
