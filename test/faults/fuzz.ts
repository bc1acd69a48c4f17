import assert from 'node:assert/strict'
import { operations, scopes } from '../../server/api.ts'
import { answerFaults, errorFaults } from '../support/contract.ts'
import type { Answer, Server, Tenant } from '../support/harness.ts'
import { connectTo } from './connection.ts'
import { bases, described, describedAt, pathOf } from './document.ts'
import { memory } from './memory.ts'
import { pick, type Random, split } from './random.ts'
import { type Client, in_words, nearlyValidRequest, type Request, validRequest } from './requests.ts'
import type { How, Scenario } from './scenario.ts'
import { withServers } from './server.ts'
import { assertWhole, listed } from './whole.ts'
import { brokenBytes, wildRequest } from './wild.ts'

const requests = { long: 100_000, short: 2_000 }
const workers = 16
const findings_max = 5
const shown_max = 2_000
/** What goes on in the background gets its turn after so many requests. */
const work_every = 25
/** What is sent to names that nobody has, or to an inbox that hangs, must not hold up the rest. */
const attempt_ms = 50

/** What a request that is as the document says may be refused with: what is there decides, not its form. */
const by_state = [404, 409, 412, 422]
/** A client with this scope would soon revoke its own key. */
const withheld = 'api_keys:write'
/** Of an address that leads to no operation. */
const astray = [400, 404, 405, 413, 431]

interface Report {
  findings: Map<string, string>
  /** How many, by kind and status. */
  counts: Map<string, number>
  /** The operations that have succeeded. */
  succeeded: Set<string>
}

async function run(how: How): Promise<void> {
  const { is_long, random, say } = how
  const started_at = Date.now()
  const report: Report = { findings: new Map(), counts: new Map(), succeeded: new Set() }
  const each = (is_long ? requests.long : requests.short) / workers
  await withServers(1, { log_level: 'error' }, async (servers) => {
    const [server] = servers as [Server]
    const streams = Array.from({ length: workers }, () => split(random))
    const working = streams.map((stream, place) => {
      const name = `worker ${place}`
      return work(server, stream, each, report, name).catch((error: unknown) => {
        throw report.findings.size > 0 ? error : new Error(`${name}: ${Object(error).message}`, { cause: error })
      })
    })
    const failed = (await Promise.allSettled(working)).find(({ status }) => status === 'rejected')
    if (failed) throw Object(failed).reason
    assert.equal((await server.fetch('GET', '/health')).status, 200)
  })
  for (const line of summaryOf(report)) say(line)
  say(`${each * workers} requests in ${Math.round((Date.now() - started_at) / 1000)} s`)
  const possible = operations
    .filter((operation) => operation.kind !== 'raw' && operation.scope !== withheld)
    .map(({ id }) => id.replace('.', '_'))
  const missed = described
    .filter(({ id, ...operation }) => possible.includes(id) && !report.succeeded.has(nameOf(operation)))
    .map(nameOf)
  // Few requests needn't hit what is in just the state that an operation asks for.
  if (is_long) assert.deepEqual(missed, [], 'every operation has succeeded')
  else if (missed.length > 0) say(`never with success: ${missed.join(', ')}`)
}

/** One client with a workspace of its own, whose requests follow from its stream alone. */
async function work(server: Server, random: Random, count: number, report: Report, name: string): Promise<void> {
  const tenant = await server.workspace()
  const limited_key = await tenant.newKey({ scopes: ['contacts:read'] })
  const key = await tenant.newKey({ scopes: scopes.filter((scope) => scope !== withheld) })
  const client: Client = { random, memory: memory(), key, limited_key }
  const state = expectation()
  const connection = connectTo(server.url)
  for (let number = 1; number <= count && report.findings.size < findings_max; number += 1) {
    const request = pick(random, kinds)(client)
    const is_last = request.kind === 'bytes'
    const bytes = is_last ? brokenBytes(random, bytesOf(request)) : bytesOf(request)
    const answer = await (is_last ? connectTo(server.url) : connection).ask(bytes, is_last).catch(String)
    const faults = typeof answer === 'string' ? [answer] : faultsOf(request, answer)
    if (faults.length > 0) note(report, `${name}, request ${number}`, faults, bytes, answer)
    if (typeof answer === 'string') continue
    tally(report, request, answer)
    state.follow(bytes, answer)
    if (answer) learn(client, request, answer)
    if (number % work_every === 0) await tenant.work(undefined, attempt_ms)
  }
  connection.close()
  if (report.findings.size > 0) throw new Error([...report.findings.values()].join('\n\n'))
  await assertWhole(server.pool, tenant)
  await state.assertHolds(tenant)
}

const brokenRequest = (client: Client): Request => ({ ...validRequest(client), kind: 'bytes' })

const kinds: ((client: Client) => Request)[] = [
  ...Array(9).fill(validRequest),
  ...Array(7).fill(nearlyValidRequest),
  ...Array(3).fill(wildRequest),
  brokenRequest,
]

function bytesOf({ method, target, headers, body }: Request): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: parley.test',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  if (body) lines.push(`Content-Length: ${body.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)])
}

/** What in the answer is not as the document says. */
function faultsOf(request: Request, answer: Answer | undefined): string[] {
  if (!answer) return request.kind === 'bytes' ? [] : ['there is no answer']
  const { status } = answer
  if (status >= 500) return [`the status is ${status}`]
  if (request.kind === 'bytes') return status >= 400 && answer.text !== '' ? errorFaults(answer) : []
  const operation = describedAt(request.method, request.target)
  if (!operation) return astrayFaults(request, answer)
  const faults = answerFaults(operation, answer)
  // It tells what a GET would, and has no body to look at.
  if (request.method === 'HEAD') return faults.filter((fault) => fault.startsWith('the status'))
  if (request.is_refused && status < 400) faults.push(`${status} for what must be refused`)
  if (request.kind === 'valid' && !isAllowed(answer)) faults.push(`${status} for a valid request`)
  return faults
}

function isAllowed({ status, body }: Answer): boolean {
  if (status < 400 || by_state.includes(status)) return true
  if (status === 403) return body.error.details.required_scope === withheld
  const fields: { path: string }[] = body.error.details.fields ?? []
  return status === 400 && fields.length > 0 && fields.every(({ path }) => in_words.includes(path))
}

function astrayFaults({ method, target }: Request, answer: Answer): string[] {
  // Outside of the API every address is a page of the dashboard, to who takes pages.
  const is_page = ['GET', 'HEAD'].includes(method) && !bases.some((base) => pathOf(target)?.startsWith(`${base}/`))
  if (is_page && [200, 304].includes(answer.status)) return []
  if (!astray.includes(answer.status)) return [`the status ${answer.status} at an address that leads nowhere`]
  if (answer.status === 405 && !answer.headers.has('allow')) return ['405 without Allow']
  return method === 'HEAD' ? [] : errorFaults(answer)
}

function learn({ memory }: Client, { kind, method, target, in_path, said }: Request, answer: Answer): void {
  memory.read(answer, in_path.id)
  for (const { id, webhook_id } of [answer.body?.data ?? []].flat()) {
    if (!webhook_id) continue
    const path = '/webhooks/{id}/deliveries/{delivery_id}'
    for (const end of ['', '/resend']) memory.rememberPath(path + end, { id: webhook_id, delivery_id: id })
  }
  const operation = describedAt(method, target)
  if (answer.status >= 300 || kind !== 'valid' || !operation) return
  if (method !== 'DELETE') memory.rememberPath(operation.path, in_path)
  memory.remember('path', in_path)
  for (const [name, value] of Object.entries(said)) memory.remember(name, value)
}

function note(
  report: Report,
  place: string,
  faults: string[],
  bytes: Buffer,
  answer: Answer | string | undefined,
): void {
  const fault = faults.join('; ')
  if (report.findings.has(fault) || report.findings.size === findings_max) return
  const shown = (text: string) => (text.length > shown_max ? `${text.slice(0, shown_max)}... (${text.length})` : text)
  const said = typeof answer === 'object' ? `${answer.status} ${answer.text}` : String(answer)
  report.findings.set(
    fault,
    `${place}: ${fault}\n${shown(JSON.stringify(bytes.toString('latin1')))}\n-> ${shown(said)}`,
  )
}

const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

function tally({ counts, succeeded }: Report, { kind, method, target }: Request, answer: Answer | undefined): void {
  const name = `${kind} ${answer?.status ?? 'closed'}`
  counts.set(name, (counts.get(name) ?? 0) + 1)
  const operation = describedAt(method, target)
  if (operation && answer?.status === operation.success) succeeded.add(nameOf({ ...operation, method }))
}

function summaryOf({ counts }: Report): string[] {
  const by_kind = Map.groupBy([...counts].sort(), ([name]) => name.slice(0, name.lastIndexOf(' ')))
  return [...by_kind].map(([kind, group]) => {
    const total = group.reduce((sum, [, count]) => sum + count, 0)
    return `${kind}: ${total} (${group.map(([name, count]) => `${name.slice(kind.length + 1)}: ${count}`).join(', ')})`
  })
}

/** Which contacts should be there, by the answers alone. */
function expectation() {
  const alive = new Set<string>()
  /** Of these nobody knows: the connection was closed without an answer. */
  const in_doubt = new Set<string>()
  let more_max = 0

  return {
    follow(bytes: Buffer, answer: Answer | undefined): void {
      const [method = '', target = ''] = bytes.toString('latin1').trimStart().split(/ +/, 2)
      const id = pathOf(target)?.split('/').at(-1) ?? ''
      if (!answer && method === 'DELETE') in_doubt.add(id)
      if (!answer && method === 'POST') more_max += 1
      if (!answer || answer.status >= 300) return
      if (answer.body?.data?.deleted === true) alive.delete(id)
      const is_created = answer.status === 201 && !answer.headers.has('idempotent-replayed')
      if (is_created && 'phone_number' in answer.body.data) alive.add(answer.body.data.id)
    },
    async assertHolds(tenant: Tenant): Promise<void> {
      // What imports make comes later, and in numbers.
      const there = new Set(await listed(tenant, '&source=api'))
      assert.deepEqual([...alive.difference(there).difference(in_doubt)], [], 'none is lost')
      assert.ok(there.difference(alive).difference(in_doubt).size <= more_max, 'none is there that was not created')
    },
  }
}

export const scenario: Scenario = {
  name: 'fuzz',
  about: 'requests made from the OpenAPI document, valid, nearly valid and wild, get what it says',
  run,
}
