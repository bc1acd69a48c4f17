import http from 'node:http'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { alternate, atMost, type Comparison } from '../comparison.ts'
import type { Server } from '../processes.ts'
import type { Tenant } from '../rows.ts'
import { median } from '../table.ts'
import { waitForAnswers } from './messages.ts'

export const rounds = 10
const ratio_max = 1.5
const piece_within_ms = 20_000

interface FirstPieceBench {
  pool: Pool
  server: Server
  proxy: Server
  /** Its conversations are those of an agent that asks the model server. */
  tenant: Tenant
}

/** Compares the time from a message to the first piece of its answer, with all conversations at once. */
export async function measureFirstPiece(
  stack: AsyncDisposableStack,
  { pool, server, proxy, tenant }: FirstPieceBench,
  signal: AbortSignal,
): Promise<Comparison> {
  const agent = new http.Agent({ keepAlive: true })
  stack.defer(() => agent.destroy())
  const streams = await Promise.all(tenant.ids.map((id) => openStream({ agent, port: server.port, tenant, id })))
  const ours = async () => {
    signal.throwIfAborted()
    const times_ms = await Promise.all(streams.map((stream) => stream.say()))
    await waitForAnswers(pool, tenant)
    return median(times_ms)
  }
  const beside = async () => {
    const times_ms = await Promise.all(streams.map(() => askProxy(agent, proxy.port)))
    return median(times_ms)
  }
  const [our_ms, proxy_ms] = await alternate(rounds, ours, beside)
  return atMost('first piece in ms, beside a bare proxy', our_ms, proxy_ms, ratio_max)
}

interface Stream {
  /** Sends a message, and returns the milliseconds until the first piece of the answer. */
  say: () => Promise<number>
}

interface StreamOptions {
  agent: http.Agent
  port: number
  tenant: Tenant
  id: string
}

async function openStream({ agent, port, tenant, id }: StreamOptions): Promise<Stream> {
  const authorization = `Bearer ${tenant.token}`
  const path = `/api/v1/conversations/${id}`
  const opened = Promise.withResolvers<void>()
  let onText = (_text: string) => {}
  let seq = 0
  request({ agent, port, method: 'GET', path: `${path}/stream`, headers: { authorization } }, undefined, {
    onText(text) {
      opened.resolve()
      onText(text)
    },
    onFailure: opened.reject,
  })
  await opened.promise
  const body = JSON.stringify({ text: 'When are you open?' })
  const headers = { authorization, ...json(body) }
  return {
    say: () =>
      firstPiece((onFirst, onFailure) => {
        // After the contact's turn. An answer that is complete before it is shown comes whole.
        seq += 2
        const [piece, whole] = [`turn.delta\ndata: {"seq":${seq},`, `turn.finished\ndata: {"turn":{"seq":${seq},`]
        let seen = ''
        onText = (text) => {
          seen += text
          if (seen.includes(piece) || seen.includes(whole)) onFirst()
        }
        request({ agent, port, method: 'POST', path: `${path}/messages`, headers }, body, { onFailure })
      }),
  }
}

const question = JSON.stringify({
  model: 'small',
  messages: [{ role: 'user', content: 'When are you open?' }],
  stream: true,
})

/** Resolves when the whole answer has arrived, with the milliseconds until its first piece. */
async function askProxy(agent: http.Agent, port: number): Promise<number> {
  const ended = Promise.withResolvers<void>()
  const headers = json(question)
  const time_ms = await firstPiece((onFirst, onFailure) =>
    request({ agent, port, method: 'POST', path: '/v1/chat/completions', headers }, question, {
      onText(text) {
        if (text.includes('"content":')) onFirst()
      },
      onEnd: ended.resolve,
      onFailure,
    }),
  )
  await ended.promise
  return time_ms
}

async function firstPiece(send: (onFirst: () => void, onFailure: (error: Error) => void) => void): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(reject, piece_within_ms, new Error(`no piece within ${piece_within_ms} ms`))
  const started_at = performance.now()
  send(resolve, reject)
  await promise.finally(() => clearTimeout(timer))
  return performance.now() - started_at
}

interface Callbacks {
  onText?: (text: string) => void
  onEnd?: () => void
  onFailure: (error: Error) => void
}

function request(
  options: http.RequestOptions,
  body: string | undefined,
  { onText = () => {}, onEnd = () => {}, onFailure }: Callbacks,
): void {
  const sent = http.request({ host: '127.0.0.1', ...options }, (response) => {
    const { statusCode = 0 } = response
    if (statusCode >= 300) onFailure(new Error(`${options.method} ${options.path}: ${statusCode}`))
    response.setEncoding('utf8').on('data', onText).on('end', onEnd)
    // The server or the client may close a stream at the end of the run.
    response.on('error', onFailure)
  })
  sent.on('error', onFailure).end(body)
}

const json = (body: string) => ({ 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
