import { sendRequests } from './connection.ts'
import { type BenchRequest, type Row, rows, type Tenant, toBytes } from './rows.ts'

/** A job for the load process. The parent process sends the tenants once, then one job at a time, and gets the results. */
export interface Job {
  row: string
  port: number
  /** Requests go to this many workspaces in turn. Without it, the row chooses. */
  workspaces?: number
  warm_up_ms: number
  measured_ms: number
  /** False for the bare framework, which returns the same response to every request. */
  has_own_responses: boolean
}

export type Result = { per_second: number; statuses: Record<string, number> } | { failure: string }

const connections = 64
const requests_max = 40_000
const checked_every = 8
const overdue_ms = 15_000

/** By the name of the row and the number of workspaces. */
const repeatable = new Map<string, PreparedRequest[]>()
let tenants: Tenant[] = []
let number = 0

interface PreparedRequest extends Pick<BenchRequest, 'response_contains'> {
  bytes: Buffer
}

/** Generates the requests before the measurement. Repeatable requests are generated only once. */
function prepare(row: Row, workspaces: number | undefined): PreparedRequest[] {
  const name = `${row.name} ${workspaces}`
  const prepared = repeatable.get(name)
  if (prepared) return prepared
  const requests = Array.from({ length: requests_max }, () => {
    number += 1
    const first = workspaces ? number % workspaces : 0
    const request = row.request(tenants.slice(first), number)
    return { bytes: toBytes(request), response_contains: request.response_contains }
  })
  if (row.is_repeatable) repeatable.set(name, requests)
  return requests
}

async function measure(job: Job): Promise<Result> {
  const { row: name, port, workspaces, warm_up_ms, measured_ms, has_own_responses } = job
  const row = rows.find((known) => known.name === name)
  if (!row) throw new Error(`unknown row "${name}"`)
  const requests = prepare(row, workspaces)
  const statuses = new Map<number, number>()
  let sent = 0
  let responses = 0
  let start: { responses: number; at_ms: number } | undefined
  let per_second: number | undefined

  const finish = () => {
    if (start) per_second ??= (responses - start.responses) / ((performance.now() - start.at_ms) / 1000)
  }
  const runConnection = () => {
    let request: PreparedRequest | undefined
    return sendRequests(port, {
      next() {
        const is_used_up = sent >= requests.length && has_own_responses && !row.is_repeatable
        if (is_used_up) finish()
        if (is_used_up || per_second !== undefined) return undefined
        request = requests[sent % requests.length]
        sent += 1
        return request?.bytes
      },
      onResponse(status, response) {
        responses += 1
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status !== row.status) throw new Error(`${status} instead of ${row.status}: ${response}`)
        const expected = has_own_responses ? request?.response_contains : '"success":true'
        if (responses % checked_every === 0 && !response.includes(expected ?? ''))
          throw new Error(`a response without ${expected}: ${response}`)
      },
    })
  }

  const overdue = Promise.withResolvers<never>()
  const timers = [
    setTimeout(() => {
      start = { responses, at_ms: performance.now() }
    }, warm_up_ms),
    setTimeout(finish, warm_up_ms + measured_ms),
    setTimeout(overdue.reject, warm_up_ms + measured_ms + overdue_ms, new Error('responses are missing')),
  ]
  const running = Array.from({ length: connections }, runConnection)
  await Promise.race([Promise.all(running), overdue.promise]).finally(() => timers.forEach(clearTimeout))
  if (per_second === undefined) throw new Error(`${requests_max} requests were used up before the measurement began`)
  return { per_second, statuses: Object.fromEntries(statuses) }
}

process.on('message', (message: { tenants: Tenant[] } | { job: Job }) => {
  if ('tenants' in message) {
    tenants = message.tenants
    return
  }
  void measure(message.job)
    .catch((error: unknown) => ({ failure: error instanceof Error ? error.message : String(error) }))
    .then((result) => process.send?.(result))
})
process.on('disconnect', () => process.exit())
