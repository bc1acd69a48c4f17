import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { json, text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { between, chance, pick, seeded } from '../faults/random.ts'
import { account_sid, auth_token, type Trouble } from './carrier.ts'
import type { Behaviour, Transferred } from './phone-behaviour.ts'
import { openCall, type PhoneCall } from './phone-call.ts'
import type { WebhookOptions } from './phone-webhook.ts'

/**
 * Twilio's part in calls, in real time: its API, its requests to the service and its streams, and the people at their telephones. What
 * Twilio would not understand is a problem of the test: `close` rejects if there was one.
 */
export interface PhoneNetwork {
  /** Of the API. */
  url: string
  options: PhoneOptions
  /** All calls, in both directions, the oldest first. */
  calls: PhoneCall[]
  /** The next call that the service has dialled and no test has taken. */
  nextCall: () => Promise<PhoneCall>
  /** Somebody calls the service. */
  call: (inbound: InboundCall) => PhoneCall
  problems: string[]
  /** The problems so far, which `close` forgets: the test has expected them. */
  takeProblems: () => string[]
  /** Ends all calls without a word. */
  close: () => Promise<void>
}

export interface InboundCall extends Behaviour {
  from: string
  to: string
  webhook_url: string
  /** Of the number. */
  status_callback?: string
}

export type RequestKind = 'dial' | 'update' | 'get' | 'list' | 'numbers'

export interface PhoneOptions extends Omit<WebhookOptions, 'auth_token'> {
  port?: number
  auth_token?: string
  /** Each dial, end of a call and problem is appended as a line of JSON. */
  log?: string
  troubleFor?: (kind: RequestKind, form: URLSearchParams) => Trouble | undefined
  /** Milliseconds until the API answers. At once without it. */
  answerAfter?: () => number
  /** Who is at the telephone that the service dials. */
  personFor?: (form: URLSearchParams) => Behaviour
  transferFor?: (to: string) => Transferred
  /** How numbers are configured, as the API shows it. */
  numbers?: (Record<string, unknown> & { phone_number: string })[]
}

/** A line of the log. */
export type LoggedCall = { at: number } & (
  | { type: 'dialed'; sid: string; to: string; from: string; url: string }
  | { type: 'ended'; sid: string; status: string; ended_by: string; streams: number }
  | { type: 'problem'; problem: string }
)

/** Not Twilio's: another process posts an `InboundCall` here, and somebody calls. */
const inbound_path = '/inbound'
const path = `/2010-04-01/Accounts/${account_sid}`
const phone_number = /^\+[1-9]\d{6,14}$/
const next_call_within_ms = 30_000
const status_events = ['initiated', 'ringing', 'answered', 'completed']
/** What the peer understands of Twilio's parameters of a call. */
const dial_parameters = [
  'To',
  'From',
  'Url',
  'Method',
  'Twiml',
  'Timeout',
  'StatusCallback',
  'StatusCallbackMethod',
  'StatusCallbackEvent',
  'MachineDetection',
  'MachineDetectionTimeout',
  'MachineDetectionSpeechThreshold',
  'MachineDetectionSpeechEndThreshold',
  'MachineDetectionSilenceTimeout',
  'AsyncAmd',
  'AsyncAmdStatusCallback',
  'AsyncAmdStatusCallbackMethod',
]
const update_parameters = ['Url', 'Method', 'Twiml', 'Status', 'StatusCallback', 'StatusCallbackMethod']

export async function openPhoneNetwork(options: PhoneOptions = {}): Promise<PhoneNetwork> {
  const calls: PhoneCall[] = []
  const problems: string[] = []
  const dialed: PhoneCall[] = []
  const takers: ((call: PhoneCall) => void)[] = []
  const token = options.auth_token ?? auth_token
  const authorization = `Basic ${Buffer.from(`${account_sid}:${token}`).toString('base64')}`
  const server = http.createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  const log = (line: LoggedCall) => {
    if (options.log) fs.appendFileSync(options.log, `${JSON.stringify(line)}\n`)
  }

  const complain = (problem: string) => {
    problems.push(problem)
    log({ type: 'problem', problem, at: Date.now() })
  }

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://phone')
    if (url.pathname === inbound_path) {
      const { sid } = callIn((await json(request)) as InboundCall)
      return void response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid }))
    }
    const form = new URLSearchParams(request.method === 'POST' ? await text(request) : url.searchParams)
    const send = async (status: number, body: object) => {
      if (options.answerAfter) await sleep(options.answerAfter())
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const refuse = (status: number, code: number, message: string) => send(status, { code, message, status })
    if (request.headers.authorization !== authorization) return refuse(401, 20003, 'Authenticate')
    const kind = kindOf(request.method, url.pathname)
    if (!kind) return refuse(404, 20404, 'Not found')
    const trouble = options.troubleFor?.(kind, form)
    if (trouble === 'reset') return void request.socket.destroy()
    if (typeof trouble === 'object') return refuse(trouble.status, trouble.code ?? 0, trouble.message ?? 'No')
    const done = carryOut(kind, url.pathname, form)
    if (trouble === 'accepted_without_answer') return void request.socket.destroy()
    return 'error' in done ? refuse(400, done.error, 'No') : send(kind === 'dial' ? 201 : 200, done.body)
  }

  const kindOf = (method = 'GET', pathname: string): RequestKind | undefined => {
    const is_post = method === 'POST'
    if (pathname === `${path}/Calls.json`) return is_post ? 'dial' : 'list'
    if (pathname === `${path}/IncomingPhoneNumbers.json` && !is_post) return 'numbers'
    if (!calls.some(({ sid }) => pathname === `${path}/Calls/${sid}.json`)) return undefined
    return is_post ? 'update' : 'get'
  }

  function carryOut(kind: RequestKind, pathname: string, form: URLSearchParams): { body: object } | { error: number } {
    if (kind === 'dial') return dial(form)
    if (kind === 'list') return { body: { ...page, calls: listCalls(form).map((call) => resource(call)) } }
    if (kind === 'numbers') {
      const wanted = (options.numbers ?? []).filter(
        (number) => (form.get('PhoneNumber') ?? number.phone_number) === number.phone_number,
      )
      return { body: { ...page, incoming_phone_numbers: wanted } }
    }
    const call = calls.find(({ sid }) => pathname === `${path}/Calls/${sid}.json`)
    if (!call) return { error: 20404 }
    if (kind === 'update' && !update(call, form)) return { error: 21220 }
    return { body: resource(call) }
  }

  function dial(form: URLSearchParams): { body: object } | { error: number } {
    checkParameters('a dial', form, dial_parameters)
    const [to, from, url, twiml] = ['To', 'From', 'Url', 'Twiml'].map((name) => form.get(name))
    if (!to || !phone_number.test(to)) return { error: 21211 }
    if (!from || !phone_number.test(from)) return { error: 21212 }
    if (!twiml && !(url && URL.canParse(url))) return { error: 21205 }
    checkDial(form)
    const call = open({
      from,
      to,
      direction: 'outbound-api',
      form,
      first: twiml ? { twiml } : { url: url ?? '' },
      status_callback: form.get('StatusCallback') ?? undefined,
      behaviour: options.personFor?.(form) ?? {},
    })
    const take = takers.shift()
    if (take) take(call)
    else dialed.push(call)
    log({ type: 'dialed', sid: call.sid, to, from, url: url ?? '', at: call.created_at })
    return { body: resource(call, 'queued') }
  }

  function checkDial(form: URLSearchParams): void {
    for (const event of form.getAll('StatusCallbackEvent'))
      if (!status_events.includes(event)) complain(`StatusCallbackEvent is "${event}"`)
    const detection = form.get('MachineDetection')
    if (detection === null) return
    if (!['Enable', 'DetectMessageEnd'].includes(detection)) complain(`MachineDetection is ${detection}`)
    if (form.get('AsyncAmd') !== 'true' || !form.get('AsyncAmdStatusCallback'))
      complain('machine detection holds the call up unless it is asynchronous')
  }

  /** Returns false if the call is not one that can be changed. */
  function update(call: PhoneCall, form: URLSearchParams): boolean {
    checkParameters('an update', form, update_parameters)
    const [status, twiml, url] = ['Status', 'Twiml', 'Url'].map((name) => form.get(name))
    const is_over = call.ended_at !== undefined
    if (status === 'completed' || status === 'canceled') {
      if (is_over) return false
      const is_answered = call.answered_at !== undefined
      if (status === 'completed' || !is_answered)
        call.end({ status: is_answered ? 'completed' : 'canceled', ended_by: 'api' })
      return true
    }
    if (is_over || call.answered_at === undefined) return false
    const status_callback = form.get('StatusCallback')
    if (status_callback !== null) call.reportTo(status_callback)
    if (twiml) call.replace({ twiml })
    else if (url) call.replace({ url })
    else complain(`an update without Twiml, Url or a known Status: ${form}`)
    return true
  }

  function checkParameters(what: string, form: URLSearchParams, known: string[]): void {
    const unknown = [...form.keys()].filter((name) => !known.includes(name))
    if (unknown.length > 0) complain(`${what} has parameters that are not known here: ${unknown.join(', ')}`)
    for (const [name, value] of form)
      if (name.endsWith('Method') && value !== 'POST') complain(`${what} has ${name}=${value}, not POST`)
  }

  function listCalls(query: URLSearchParams): PhoneCall[] {
    const since = Date.parse(query.get('StartTime>') ?? '1970-01-01')
    return calls.filter(
      ({ to, from, status, created_at }) =>
        (query.get('To') ?? to) === to &&
        (query.get('From') ?? from) === from &&
        (query.get('Status') ?? status) === status &&
        created_at >= since,
    )
  }

  const callIn = ({ from, to, webhook_url, status_callback, ...behaviour }: InboundCall): PhoneCall =>
    open({ from, to, direction: 'inbound', first: { url: webhook_url }, status_callback, behaviour })

  type Opened = Pick<
    Parameters<typeof openCall>[0],
    'from' | 'to' | 'direction' | 'form' | 'first' | 'status_callback' | 'behaviour'
  >

  function open(given: Opened): PhoneCall {
    const call = openCall({
      ...given,
      account_sid,
      auth_token: token,
      route: options.route,
      isTriedAgain: options.isTriedAgain,
      transferFor: (to) => options.transferFor?.(to) ?? {},
      onProblem: complain,
    })
    calls.push(call)
    void call.ended.then(({ status, ended_by }) =>
      log({ type: 'ended', sid: call.sid, status, ended_by, streams: call.streams.length, at: Date.now() }),
    )
    return call
  }

  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    options,
    calls,
    problems,
    nextCall() {
      const waiting = dialed.shift()
      if (waiting) return Promise.resolve(waiting)
      const { promise, resolve, reject } = Promise.withResolvers<PhoneCall>()
      const timer = setTimeout(() => {
        takers.splice(takers.indexOf(take), 1)
        reject(new Error(`nothing was dialled within ${next_call_within_ms} ms`))
      }, next_call_within_ms)
      const take = (call: PhoneCall) => {
        clearTimeout(timer)
        resolve(call)
      }
      takers.push(take)
      return promise
    },
    call: callIn,
    takeProblems: () => problems.splice(0),
    close: async () => {
      for (const call of calls) call.end({ status: 'failed', ended_by: 'peer' })
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      if (problems.length > 0) throw new Error(`Twilio would not understand:\n${problems.join('\n')}`)
    },
  }
}

const page = { next_page_uri: null, page: 0, page_size: 1_000 }

const toDate = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toUTCString())

const resource = (call: PhoneCall, status = call.status) => ({
  sid: call.sid,
  account_sid,
  api_version: '2010-04-01',
  to: call.to,
  from: call.from,
  direction: call.direction,
  status,
  answered_by: null,
  duration:
    call.ended_at === undefined
      ? null
      : String(Math.round((call.ended_at - (call.answered_at ?? call.ended_at)) / 1_000)),
  date_created: toDate(call.created_at),
  date_updated: toDate(Date.now()),
  start_time: toDate(call.answered_at ?? call.ended_at),
  end_time: toDate(call.ended_at),
  price: null,
  price_unit: 'USD',
  uri: `${path}/Calls/${call.sid}.json`,
})

const slow_max_ms = 150
const greeting = 'Hello. We are not at home. Please leave a message after the tone.'
const voicemail: Behaviour = { greeting, has_beep: true, hangs_up_after_ms: 20_000 }

/** Most people answer and hang up after a while. */
function anybody(random: () => number): Behaviour {
  const person: Behaviour = pick(random, [
    ...Array.from({ length: 6 }, () => ({ hangs_up_after_ms: between(random, 1_000, 8_000) })),
    { takes: 'busy' },
    { takes: 'rejects' },
    { takes: 'no_answer', after_ms: 1_000 },
    { takes: 'fails' },
    voicemail,
  ])
  const after_ms = person.after_ms ?? between(random, 20, 500)
  const order = chance(random, 0.1) ? 'reversed' : 'in_order'
  return { ...person, after_ms, reports: { copies: chance(random, 0.1) ? 2 : 1, order } }
}

/**
 * `node test/peers/phone.ts --port 9000 --log FILE --seed 1 --troubles 0.05` prints its URL. It answers late. `troubles` is the share of dials that get no
 * answer; a third of those does not ring.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      log: { type: 'string' },
      seed: { type: 'string', default: '1' },
      troubles: { type: 'string', default: '0' },
    },
  })
  const random = seeded(Number(values.seed))
  const share = Number(values.troubles)
  const network = await openPhoneNetwork({
    port: Number(values.port),
    ...(values.log !== undefined && { log: values.log }),
    answerAfter: () => between(random, 0, slow_max_ms),
    troubleFor(kind) {
      const draw = random()
      if (kind !== 'dial' || draw >= share) return undefined
      return draw < share / 3 ? 'reset' : 'accepted_without_answer'
    },
    personFor: () => anybody(random),
  })
  console.log(network.url)
}

if (import.meta.main) {
  // It ends with the process that started it.
  process.on('disconnect', () => process.exit())
  await main()
}
