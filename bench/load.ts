import { converse } from './connection.ts'
import { type Ask, bytesOf, type Row, rows, type Tenant } from './rows.ts'

/** The process that asks. Its parent says the tenants once, then one job after the other, and hears the results. */
export interface Job {
  row: string
  port: number
  warm_up_ms: number
  measured_ms: number
  /** Whether each request has an answer of its own, or all the same. */
  is_real: boolean
}

export type Result = { per_second: number; statuses: Record<string, number> } | { failure: string }

const connections = 64
const requests_max = 40_000
const looked_into_every = 8
const late_ms = 15_000

const repeatable = new Map<Row, Request[]>()
let tenants: Tenant[] = []
let number = 0

interface Request extends Pick<Ask, 'answer_holds'> {
  bytes: Buffer
}

/** Made before the time begins, and again only when none may be sent twice. */
function prepare(row: Row): Request[] {
  const prepared = repeatable.get(row)
  if (prepared) return prepared
  const requests = Array.from({ length: requests_max }, () => {
    number += 1
    const ask = row.ask(tenants, number)
    return { bytes: bytesOf(ask), answer_holds: ask.answer_holds }
  })
  if (row.is_repeatable) repeatable.set(row, requests)
  return requests
}

async function measure({ row: name, port, warm_up_ms, measured_ms, is_real }: Job): Promise<Result> {
  const row = rows.find((known) => known.name === name)
  if (!row) throw new Error(`there is no row "${name}"`)
  const requests = prepare(row)
  const statuses = new Map<number, number>()
  let asked = 0
  let answers = 0
  let start: { answers: number; at_ms: number } | undefined
  let per_second: number | undefined

  const finish = () => {
    if (start) per_second ??= (answers - start.answers) / ((performance.now() - start.at_ms) / 1000)
  }
  const talk = () => {
    let request: Request | undefined
    return converse(port, {
      next() {
        const is_used_up = asked >= requests.length && is_real && !row.is_repeatable
        if (is_used_up) finish()
        if (is_used_up || per_second !== undefined) return undefined
        request = requests[asked % requests.length]
        asked += 1
        return request?.bytes
      },
      answered(status, answer) {
        answers += 1
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status !== row.status) throw new Error(`${status} in the place of ${row.status}: ${answer}`)
        const holds = is_real ? request?.answer_holds : '"success":true'
        if (answers % looked_into_every === 0 && !answer.includes(holds ?? ''))
          throw new Error(`an answer that does not hold ${holds}: ${answer}`)
      },
    })
  }

  const late = Promise.withResolvers<never>()
  const timers = [
    setTimeout(() => {
      start = { answers, at_ms: performance.now() }
    }, warm_up_ms),
    setTimeout(finish, warm_up_ms + measured_ms),
    setTimeout(late.reject, warm_up_ms + measured_ms + late_ms, new Error('answers are missing')),
  ]
  const talks = Array.from({ length: connections }, talk)
  await Promise.race([Promise.all(talks), late.promise]).finally(() => timers.forEach(clearTimeout))
  if (per_second === undefined) throw new Error(`${requests_max} requests were used up before the time began`)
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
