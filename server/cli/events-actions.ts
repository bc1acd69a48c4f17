import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventsStreamEvent, EventsStreamQuery } from '../../sdk/src/index.ts'
import { isSigningSecret, newSigningSecret } from '../kit/crypto/signing.ts'
import { signedHeaders } from '../kit/crypto/signing-secrets.ts'
import { isObject } from '../kit/json.ts'
import { errorCode, errorMessage, Problem } from '../kit/problem.ts'
import { product } from '../product.ts'
import { asEntry, consoleOf, type Shell } from '../start/shell.ts'
import { ApiError } from './api-client.ts'
import type { Target } from './ask.ts'
import { UsageError } from './command.ts'
import { configurationFolder, readConfiguration, removeConfiguration, writeConfiguration } from './logins.ts'
import { askSecret } from './prompt.ts'
import type { Answer } from './run.ts'
import { stopSignal } from './stop-signal.ts'

const request_timeout_ms = 20_000
/** The waits before each attempt. */
const attempt_after_ms = [0, 1_000, 5_000]
const reconnect_after_ms = 5_000
/** `trigger` finds the application of `listen` by this file. */
const listening_file = 'listen.json'

export interface EventOptions {
  workspace?: string
  type?: string
  after?: string
}

export async function tailEvents(target: Target, options: EventOptions): Promise<undefined> {
  const { shell, is_json } = target
  await follow(target, options, stopSignal(shell), async (event) => {
    const { id, type, created_at, resource_id, actor, subject } = event
    const about = subject?.name ? `${resource_id} "${subject.name}"` : resource_id
    const by = actor ? `  by ${actor.name ? `${actor.type} "${actor.name}"` : actor.type}` : ''
    shell.stdout.write(
      is_json ? `${JSON.stringify(event)}\n` : asEntry(`${created_at}  ${type}  ${about}${by}  (${id})`),
    )
  })
}

export async function listen(
  target: Target,
  { forward, secret = newSigningSecret(), ...options }: EventOptions & { forward: string; secret?: string },
): Promise<undefined> {
  const { shell, is_json, workspace } = target
  const { log } = consoleOf(shell)
  if (!/^https?:$/.test(URL.parse(forward)?.protocol ?? ''))
    throw new UsageError(`--forward: "${forward}" is not a URL such as http://localhost:3000`)
  if (!isSigningSecret(secret)) throw new UsageError('--secret must be whsec_ and 24 to 64 bytes in base64')
  const signal = stopSignal(shell)
  if (configurationFolder(shell.env)) writeConfiguration(shell.env, listening_file, { forward, secret })
  log(
    is_json
      ? JSON.stringify({ type: 'listening', forward, secret, workspace_id: workspace.id })
      : `The secret that signs is ${secret}\nSending events of "${workspace.name}" to ${forward}. Ctrl-C ends it.`,
  )
  try {
    await follow(target, options, signal, async ({ id, type, created_at, actor, subject, data, previous }) => {
      const body = {
        id,
        type,
        timestamp: created_at,
        workspace_id: workspace.id,
        ...(actor && { actor: { type: actor.type, id: actor.id } }),
        ...(subject && { subject: { type: subject.type, id: subject.id } }),
        data,
        ...(previous && { previous }),
      }
      const { status, error, attempts } = await sendRepeatedly(forward, secret, body, signal)
      if (is_json) return log(JSON.stringify({ type: 'forwarded', id, event_type: type, status, error, attempts }))
      const outcome = error === null ? `${status}` : `failed after ${attempts} attempts: ${error}`
      log(`${created_at}  ${type}  (${id})  ${outcome}`)
    })
  } finally {
    // Another `listen` may have begun meanwhile.
    if (readListening(shell)?.secret === secret) removeConfiguration(shell.env, listening_file)
  }
}

/** Reads events until the signal is aborted. When the service can't be reached, it goes on after the last one later. */
export async function follow(
  { api, shell }: Target,
  { type, after }: EventOptions,
  signal: AbortSignal,
  take: (event: EventsStreamEvent['data']) => Promise<void>,
): Promise<void> {
  // Events are read from an id on. Without one, events that happen while the connection is lost would be left out.
  let last_id = after ?? (await api.events.list({ limit: 1 })).data[0]?.id
  while (!signal.aborted) {
    try {
      // The service checks the type.
      const query = { ...(type !== undefined && { type }) } as EventsStreamQuery
      const from = { ...query, ...(last_id !== undefined && { lastEventId: last_id }) }
      for await (const { id, data } of api.events.stream(from, { signal })) {
        await take(data)
        last_id = id ?? last_id
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof ApiError) || ![0, 429, 503].includes(error.status)) throw error
      consoleOf(shell).error(`The connection was lost (${error.message}). Trying again.`)
      await sleep(reconnect_after_ms, undefined, { signal }).catch(() => {})
    }
  }
}

interface SentEvent {
  status: number | null
  /** Why the receiver has not taken the event. It is null if it has. */
  error: string | null
  attempts: number
}

async function sendRepeatedly(
  url: string,
  secret: string,
  event: { id: string; type: string },
  signal: AbortSignal,
): Promise<SentEvent> {
  let sent: SentEvent = { status: null, error: 'the command was stopped', attempts: 0 }
  for (const [index, wait_ms] of attempt_after_ms.entries()) {
    await sleep(wait_ms, undefined, { signal }).catch(() => {})
    if (signal.aborted) return sent
    sent = { ...(await sendSigned(url, secret, event, signal)), attempts: index + 1 }
    if (sent.error === null) return sent
  }
  return sent
}

/** Sends one request, as a webhook does. */
async function sendSigned(
  url: string,
  secret: string,
  event: { id: string; type: string },
  signal: AbortSignal,
): Promise<Omit<SentEvent, 'attempts'>> {
  const body = JSON.stringify(event)
  const headers = {
    ...signedHeaders([secret], event.id, body),
    'content-type': 'application/json',
    'user-agent': product.name,
  }
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(request_timeout_ms)])
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: within })
    await response.body?.cancel()
    return { status: response.status, error: response.ok ? null : `status ${response.status}` }
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    return { status: null, error: errorCode(cause) ?? errorMessage(cause) }
  }
}

/** Sends an example of the documentation. */
export async function trigger(target: Target, type: string, webhook_id: string | undefined): Promise<Answer> {
  const { shell, workspace } = target
  const event = { ...exampleOf(type), workspace_id: workspace.id }
  const { forward, secret } = await receiverOf(target, webhook_id)
  const sent = await sendSigned(forward, secret, event, stopSignal(shell))
  const has_failed = sent.error !== null
  const text = has_failed ? `${forward} has not taken the example of ${type}: ${sent.error}.` : `Sent to ${forward}.`
  return { data: { ...sent, url: forward, event }, text, has_failed }
}

async function receiverOf(
  { api, address, shell }: Target,
  webhook_id: string | undefined,
): Promise<{ forward: string; secret: string }> {
  if (webhook_id !== undefined) {
    const { url } = await api.webhooks.get(webhook_id)
    const secret = (await askSecret(shell, 'Secret of the webhook (whsec_...): ')).trim()
    if (!isSigningSecret(secret)) throw new UsageError('the secret must be the one of the webhook, whsec_...')
    // The URL of an inbox is a path.
    return { forward: new URL(url, address).href, secret }
  }
  const listening = readListening(shell)
  if (listening) return listening
  throw new Problem(
    'NOT_FOUND',
    'nobody listens: run parley listen --forward URL in another terminal, or use --webhook',
  )
}

function readListening({ env }: Shell): { forward: string; secret: string } | undefined {
  const found = readConfiguration(env, listening_file)
  const is_found = isObject(found) && typeof found.forward === 'string' && typeof found.secret === 'string'
  return is_found ? { forward: String(found.forward), secret: String(found.secret) } : undefined
}

interface Example {
  id: string
  type: string
}

function exampleOf(type: string): Example {
  const file = path.resolve(import.meta.dirname, '../../openapi.json')
  const { webhooks } = JSON.parse(fs.readFileSync(file, 'utf8'))
  const found = Object.hasOwn(webhooks, type) ? webhooks[type] : undefined
  if (!found) throw new UsageError(`there is no event "${type}", only ${Object.keys(webhooks).join(', ')}`)
  return found.post.requestBody.content['application/json'].example
}
