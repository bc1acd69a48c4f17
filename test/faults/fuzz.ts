import assert from 'node:assert/strict'
import { operations, scopes } from '../../server/api.ts'
import { answerFaults, errorFaults } from '../support/contract.ts'
import type { Answer, Server, Tenant } from '../support/harness.ts'
import { openConnection } from './connection.ts'
import { assertConsistent, listIds } from './consistency.ts'
import { base_paths, documented_operations, findOperation, pathOf } from './document.ts'
import { openMemory } from './memory.ts'
import { pick, type Random, split } from './random.ts'
import { corruptBytes, randomRequest } from './random-requests.ts'
import { type FuzzClient, type FuzzRequest, nearlyValidRequest, validRequest } from './requests.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { withServers } from './server.ts'
import { described_in_words } from './values.ts'

const requests = { long: 100_000, short: 1_200 }
const workers = 16
const findings_max = 5
const shown_max = 2_000
/** Background work runs after this many requests. */
const work_every = 25
/** Short, because deliveries to unknown hosts or to an inbox that hangs would delay the rest. */
const delivery_timeout_ms = 50

/** A valid request may get these, depending on the state of the resources. */
const state_dependent_statuses = [404, 409, 412, 422]
/** A client with this scope would soon revoke its own key. */
const withheld_scope = 'api_keys:write'
/** Statuses of requests that match no operation. */
const no_operation_statuses = [400, 404, 405, 413, 431]

interface Report {
  findings: Map<string, string>
  /** The number of responses, by kind of request and status. */
  counts: Map<string, number>
  /** The operations that succeeded at least once. */
  succeeded: Set<string>
}

async function run(options: RunOptions): Promise<void> {
  const { is_long, random, print } = options
  const started_at = Date.now()
  const report: Report = { findings: new Map(), counts: new Map(), succeeded: new Set() }
  const each = (is_long ? requests.long : requests.short) / workers
  await withServers(1, { log_level: 'error' }, async (servers) => {
    const [server] = servers as [Server]
    const streams = Array.from({ length: workers }, () => split(random))
    const runs = streams.map((stream, index) => {
      const name = `worker ${index}`
      return runWorker(server, stream, each, report, name).catch((error: unknown) => {
        throw report.findings.size > 0 ? error : new Error(`${name}: ${Object(error).message}`, { cause: error })
      })
    })
    const failed = (await Promise.allSettled(runs)).find(({ status }) => status === 'rejected')
    if (failed) throw Object(failed).reason
    assert.equal((await server.fetch('GET', '/health')).status, 200)
  })
  for (const line of summaryOf(report)) print(line)
  print(`${each * workers} requests in ${Math.round((Date.now() - started_at) / 1000)} s`)
  const possible = operations
    .filter((operation) => operation.kind !== 'raw' && operation.scope !== withheld_scope)
    .map(({ id }) => id.replace('.', '_'))
  const missed = documented_operations
    .filter(({ id, ...operation }) => possible.includes(id) && !report.succeeded.has(nameOf(operation)))
    .map(nameOf)
  // A short run may not reach the state that some operations need.
  if (is_long) assert.deepEqual(missed, [], 'every operation succeeded')
  else if (missed.length > 0) print(`never succeeded: ${missed.join(', ')}`)
}

/** One client with its own workspace. Its requests depend only on its random stream. */
async function runWorker(server: Server, random: Random, count: number, report: Report, name: string): Promise<void> {
  const tenant = await server.workspace()
  const limited_key = await tenant.newKey({ scopes: ['contacts:read'] })
  const key = await tenant.newKey({ scopes: scopes.filter((scope) => scope !== withheld_scope) })
  const client: FuzzClient = { random, memory: openMemory(), key, limited_key }
  const state = trackContacts()
  const connection = openConnection(server.url)
  for (let number = 1; number <= count && report.findings.size < findings_max; number += 1) {
    const request = pick(random, kinds)(client)
    const is_last = request.kind === 'bytes'
    const bytes = is_last ? corruptBytes(random, bytesOf(request)) : bytesOf(request)
    const answer = await (is_last ? openConnection(server.url) : connection).send(bytes, is_last).catch(String)
    const faults = typeof answer === 'string' ? [answer] : faultsOf(request, answer)
    if (faults.length > 0) addFinding(report, `${name}, request ${number}`, faults, bytes, answer)
    if (typeof answer === 'string') continue
    tally(report, request, answer)
    state.follow(bytes, answer)
    if (answer) remember(client, request, answer)
    if (number % work_every === 0) await tenant.work(undefined, delivery_timeout_ms)
  }
  connection.close()
  if (report.findings.size > 0) throw new Error([...report.findings.values()].join('\n\n'))
  await assertConsistent(server.pool, tenant)
  await state.assertMatches(tenant)
}

const brokenRequest = (client: FuzzClient): FuzzRequest => ({ ...validRequest(client), kind: 'bytes' })

const kinds: ((client: FuzzClient) => FuzzRequest)[] = [
  ...Array(9).fill(validRequest),
  ...Array(7).fill(nearlyValidRequest),
  ...Array(3).fill(randomRequest),
  brokenRequest,
]

function bytesOf({ method, target, headers, body }: FuzzRequest): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: parley.test',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  if (body) lines.push(`Content-Length: ${body.length}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body ?? Buffer.alloc(0)])
}

/** Lists what differs from the document. */
function faultsOf(request: FuzzRequest, answer: Answer | undefined): string[] {
  if (!answer) return request.kind === 'bytes' ? [] : ['there is no response']
  const { status } = answer
  if (status >= 500) return [`the status is ${status}`]
  if (request.kind === 'bytes') return status >= 400 && answer.text !== '' ? errorFaults(answer) : []
  const operation = findOperation(request.method, request.target)
  if (!operation) return noOperationFaults(request, answer)
  const faults = answerFaults(operation, answer)
  // A HEAD has the status of a GET and no body.
  if (request.method === 'HEAD') return faults.filter((fault) => fault.startsWith('the status'))
  if (request.must_be_rejected && status < 400) faults.push(`${status} for a request that must be rejected`)
  if (request.kind === 'valid' && !isAllowed(answer)) faults.push(`${status} for a valid request`)
  return faults
}

function isAllowed({ status, body }: Answer): boolean {
  if (status < 400 || state_dependent_statuses.includes(status)) return true
  // A workspace can test one provider or tool per second.
  if (status === 429) return body.error.details.limit_per_second === 1
  if (status === 403) return body.error.details.required_scope === withheld_scope
  const fields: { path: string }[] = body.error.details.fields ?? []
  const isInWords = (path: string) => path.split('.').some((name) => described_in_words.includes(name))
  return status === 400 && fields.length > 0 && fields.every(({ path }) => isInWords(path))
}

function noOperationFaults({ method, target }: FuzzRequest, answer: Answer): string[] {
  // Outside the API every path is a page of the dashboard, for clients that accept HTML.
  const is_page = ['GET', 'HEAD'].includes(method) && !base_paths.some((base) => pathOf(target)?.startsWith(`${base}/`))
  if (is_page && [200, 304].includes(answer.status)) return []
  if (!no_operation_statuses.includes(answer.status))
    return [`the status ${answer.status} for a path without an operation`]
  if (answer.status === 405 && !answer.headers.has('allow')) return ['405 without Allow']
  return method === 'HEAD' ? [] : errorFaults(answer)
}

function remember(
  { memory }: FuzzClient,
  { kind, method, target, in_path, sent_values }: FuzzRequest,
  answer: Answer,
): void {
  memory.learn(answer, in_path.id)
  for (const { id, webhook_id } of [answer.body?.data ?? []].flat()) {
    if (!webhook_id) continue
    const path = '/webhooks/{id}/deliveries/{delivery_id}'
    for (const end of ['', '/resend']) memory.rememberPath(path + end, { id: webhook_id, delivery_id: id })
  }
  for (const { id, deployed_version } of [answer.body?.data ?? []].flat()) {
    if (!deployed_version) continue
    const path = '/agents/{id}/versions/{version_id}'
    for (const end of ['', '/diff']) memory.rememberPath(path + end, { id, version_id: deployed_version.id })
    memory.remember('version_id', deployed_version.id)
    memory.remember('agent_id', id)
  }
  const operation = findOperation(method, target)
  if (answer.status >= 300 || kind !== 'valid' || !operation) return
  if (method !== 'DELETE') memory.rememberPath(operation.path, in_path)
  memory.remember('path', in_path)
  for (const [name, value] of Object.entries(sent_values)) memory.remember(name, value)
}

function addFinding(
  report: Report,
  location: string,
  faults: string[],
  bytes: Buffer,
  answer: Answer | string | undefined,
): void {
  const fault = faults.join('; ')
  if (report.findings.has(fault) || report.findings.size === findings_max) return
  const preview = (text: string) => (text.length > shown_max ? `${text.slice(0, shown_max)}... (${text.length})` : text)
  const response = typeof answer === 'object' ? `${answer.status} ${answer.text}` : String(answer)
  report.findings.set(
    fault,
    `${location}: ${fault}\n${preview(JSON.stringify(bytes.toString('latin1')))}\n-> ${preview(response)}`,
  )
}

const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

function tally({ counts, succeeded }: Report, { kind, method, target }: FuzzRequest, answer: Answer | undefined): void {
  const name = `${kind} ${answer?.status ?? 'closed'}`
  counts.set(name, (counts.get(name) ?? 0) + 1)
  const operation = findOperation(method, target)
  if (operation && answer?.status === operation.success) succeeded.add(nameOf({ ...operation, method }))
}

function summaryOf({ counts }: Report): string[] {
  const by_kind = Map.groupBy([...counts].sort(), ([name]) => name.slice(0, name.lastIndexOf(' ')))
  return [...by_kind].map(([kind, group]) => {
    const total = group.reduce((sum, [, count]) => sum + count, 0)
    return `${kind}: ${total} (${group.map(([name, count]) => `${name.slice(kind.length + 1)}: ${count}`).join(', ')})`
  })
}

/** Tracks which contacts must exist according to the responses. */
function trackContacts() {
  const created = new Set<string>()
  /** The connection was closed without a response, so their state is unknown. */
  const unknown = new Set<string>()
  let unknown_creates = 0

  return {
    follow(bytes: Buffer, answer: Answer | undefined): void {
      const [method = '', target = ''] = bytes.toString('latin1').trimStart().split(/ +/, 2)
      const id = pathOf(target)?.split('/').at(-1) ?? ''
      if (!answer && method === 'DELETE') unknown.add(id)
      if (!answer && method === 'POST') unknown_creates += 1
      if (!answer || answer.status >= 300) return
      if (answer.body?.data?.deleted === true) created.delete(id)
      const is_created = answer.status === 201 && !answer.headers.has('idempotent-replayed')
      if (is_created && 'first_name' in answer.body.data) created.add(answer.body.data.id)
    },
    async assertMatches(tenant: Tenant): Promise<void> {
      // Imports create contacts later.
      const existing = new Set(await listIds(tenant, '&source=api'))
      assert.deepEqual([...created.difference(existing).difference(unknown)], [], 'no contact is lost')
      assert.ok(
        existing.difference(created).difference(unknown).size <= unknown_creates,
        'no contact exists that was not created',
      )
    },
  }
}

export const scenario: Scenario = {
  name: 'fuzz',
  about: 'requests generated from the OpenAPI document, valid, nearly valid and random, get documented responses',
  run,
}
