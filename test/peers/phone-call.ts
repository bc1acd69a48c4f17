import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPerson, type Person } from '../support/person.ts'
import { type Sentence, tone } from '../support/sounds.ts'
import { openStream, type PhoneStream, type StreamRecord } from './phone-stream.ts'
import { readTwiml, type Verb } from './phone-twiml.ts'
import { postWebhook, signUrl, type Webhook, type WebhookOptions } from './phone-webhook.ts'

/** A call between Twilio's part and a person at a telephone. */

export type CallStatus = FinalStatus | 'queued' | 'initiated' | 'ringing' | 'in-progress'
export type FinalStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'

/** How somebody takes a call. */
export interface Behaviour {
  /** Answers by default. `no_answer`: it rings until the test answers, or until the service's time to ring is over. */
  takes?: 'answers' | 'busy' | 'no_answer' | 'rejects' | 'fails'
  /** How long it rings before that, 50 by default; for `no_answer` as long as the service lets it ring. */
  after_ms?: number
  /** What the last callback says of a call that fails: 404 by default. */
  failure?: { sip_response_code?: number; error_code?: number }
  /** A machine answers: it says this, and then perhaps there is a beep. */
  greeting?: Int16Array | string
  has_beep?: boolean
  /** What machine detection says, and when after the answer; null: nothing. By default it is right. */
  verdict?: { answered_by: string; after_ms: number } | null
  reports?: Reports
  noise_db?: number
  voice?: Sentence['voice']
  /** After the answer. */
  hangs_up_after_ms?: number
  /** What the person does after the answer, and after a greeting. */
  acts?: (person: PhonePerson, call: PhoneCall) => Promise<void>
}

/** How status callbacks are sent. */
export interface Reports {
  /** Of each: 0 if they are lost, 2 if they are doubled. */
  copies?: number
  /** Reversed: all of them after the call, the last one first. */
  order?: 'in_order' | 'reversed'
}

/** Somebody that the service transfers a call to. */
export interface Transferred {
  takes?: 'answers' | 'busy' | 'no_answer' | 'fails'
  after_ms?: number
  /** How long they talk then. */
  talk_ms?: number
}

export interface PhonePerson extends Person {
  /** While it rings. */
  answer: () => void
  decline: () => void
  press: (digits: string) => void
  /** Resolves when the call has ended. */
  hangUp: () => Promise<CallEnd>
  /** What was played so far, at 8 kHz. */
  readonly heard: Int16Array
}

export interface CallEnd {
  status: FinalStatus
  /** `problem`: Twilio would say that the application has failed. `peer`: it is closed, and nobody is told. */
  ended_by: 'person' | 'service' | 'api' | 'network' | 'problem' | 'peer'
}

export interface PhoneCall {
  readonly sid: string
  readonly from: string
  readonly to: string
  readonly direction: 'inbound' | 'outbound-api'
  readonly status: CallStatus
  readonly person: PhonePerson
  /** All requests to the service, in the order in which they were sent. */
  readonly webhooks: readonly Webhook[]
  readonly streams: readonly StreamRecord[]
  /** What the service has pressed. */
  readonly pressed: readonly { digits: string; at_ms: number }[]
  readonly transfers: readonly { to: string; status: string | undefined; at_ms: number }[]
  /** What a Say has said. */
  readonly said: readonly string[]
  readonly ended: Promise<CallEnd>
  /** Resolves when the call has ended and all callbacks were sent. */
  readonly reported: Promise<void>
  readonly created_at: number
  readonly answered_at: number | undefined
  readonly ended_at: number | undefined
  /** Waits until a stream is open that was not the first `after` ones. Rejects when the call ends before. */
  untilStreaming: (after?: number) => Promise<StreamRecord>
  /** Breaks the socket of the stream, as a network that is lost. */
  cutStream: () => void
  /** What the API's update does. */
  replace: (source: Source) => void
  end: (end: CallEnd) => void
}

export type Source = { url: string; more?: Record<string, string> } | { twiml: string }

export interface CallOptions extends WebhookOptions {
  account_sid: string
  from: string
  to: string
  direction: PhoneCall['direction']
  /** Of an outbound call: Twilio's parameters. */
  form?: URLSearchParams | undefined
  first: Source
  status_callback: string | undefined
  behaviour: Behaviour
  transferFor: (to: string) => Transferred
  onProblem: (problem: string) => void
}

const sample_rate = 8_000
const ring_by_default_ms = 50
const ring_max_by_default_s = 60
const verdict_after_ms = 1_500
/** Of Twilio's tones: a digit, w and W. */
const key_ms = { digit: 200, w: 500, W: 1_000 }
const say_ms_per_letter = 60
const talk_by_default_ms = 300
/** A service that sends a call round in circles ends here. */
const webhooks_max = 500
const beep = { hz: 1_000, ms: 400 }

export function openCall(options: CallOptions): PhoneCall {
  const { account_sid, auth_token, from, to, direction, form, behaviour, onProblem, route } = options
  const sid = `CA${randomBytes(16).toString('hex')}`
  const created_at = Date.now()
  const webhooks: Webhook[] = []
  const streams: StreamRecord[] = []
  const pressed: { digits: string; at_ms: number }[] = []
  const transfers: { to: string; status: string | undefined; at_ms: number }[] = []
  const said: string[] = []
  const ended = Promise.withResolvers<CallEnd>()
  const reported = Promise.withResolvers<void>()
  /** Aborted when the call is over. */
  const life = new AbortController()
  let status: CallStatus = direction === 'inbound' ? 'ringing' : 'queued'
  let answered_at: number | undefined
  let ended_at: number | undefined
  let stream: PhoneStream | undefined
  /** Somebody takes the receiver. */
  const taking = Promise.withResolvers<void>()
  let is_taken = false
  /** What the call does now is aborted when the API replaces it. */
  let doing = new AbortController()
  let replacement: Source | undefined

  const connected = openPerson({
    sample_rate,
    noise_db: behaviour.noise_db,
    voice: behaviour.voice,
    sendFrame: (frame) => stream?.sendFrame(frame) ?? false,
    onFrame: () => stream?.returnMarks(),
    name: () => sid,
    describe: () => `${status}, ${JSON.stringify(streams.at(-1)?.arrivals.slice(-3) ?? 'no stream')}`,
  })

  const problem = (text: string) => onProblem(`${sid} (${from} to ${to}): ${text}`)

  /** The parameters of every request. */
  const parameters = (more: Record<string, string> = {}): Record<string, string> => ({
    AccountSid: account_sid,
    ApiVersion: '2010-04-01',
    CallSid: sid,
    CallStatus: status,
    Called: to,
    CalledCity: '',
    CalledCountry: 'US',
    Caller: from,
    CallerCity: '',
    CallerCountry: 'US',
    Direction: direction,
    From: from,
    FromCity: '',
    FromCountry: 'US',
    To: to,
    ToCity: '',
    ToCountry: 'US',
    ...more,
  })

  async function run(): Promise<void> {
    if (direction === 'outbound-api') {
      const final = await ring()
      if (final) return end(final)
      answer()
    }
    await follow(options.first)
    end({ status: 'completed', ended_by: 'service' })
  }

  /** Undefined if somebody answers. */
  async function ring(): Promise<CallEnd | undefined> {
    const { takes = 'answers', after_ms } = behaviour
    setStatus('initiated')
    if (takes === 'fails') {
      await pause(after_ms ?? ring_by_default_ms, life.signal)
      return { status: 'failed', ended_by: 'network' }
    }
    setStatus('ringing')
    const ring_max_ms = 1_000 * Number(form?.get('Timeout') ?? ring_max_by_default_s)
    const rings_ms = Math.min(after_ms ?? (takes === 'no_answer' ? ring_max_ms : ring_by_default_ms), ring_max_ms)
    await Promise.race([pause(rings_ms, life.signal), taking.promise])
    if (is_taken || (takes === 'answers' && rings_ms < ring_max_ms)) return undefined
    if (takes === 'busy') return { status: 'busy', ended_by: 'network' }
    if (takes === 'rejects') return { status: 'busy', ended_by: 'person' }
    return { status: 'no-answer', ended_by: 'network' }
  }

  function answer(): void {
    if (life.signal.aborted || answered_at !== undefined) return
    answered_at = Date.now()
    setStatus('in-progress')
    connected.begin()
    void behave().catch((error: unknown) => {
      // A person who is in the middle of something when the call ends has nothing more to do.
      if (!life.signal.aborted) problem(`the person: ${error instanceof Error ? error.message : error}`)
    })
  }

  async function behave(): Promise<void> {
    const { greeting, has_beep = false, verdict, hangs_up_after_ms, acts } = behaviour
    if (hangs_up_after_ms !== undefined) void pause(hangs_up_after_ms, life.signal).then(person.hangUp)
    const mode = form?.get('MachineDetection')
    const detect = async (answered_by: string, after_ms: number) => {
      const since = connected.now()
      await pause(after_ms, life.signal)
      if (life.signal.aborted) return
      const more = { AnsweredBy: answered_by, MachineDetectionDuration: String(Math.round(connected.now() - since)) }
      await request('machine', form?.get('AsyncAmdStatusCallback') ?? '', parameters(more))
    }
    const is_detecting = mode && verdict !== null
    if (is_detecting && verdict) void detect(verdict.answered_by, verdict.after_ms)
    else if (is_detecting && greeting === undefined) void detect('human', verdict_after_ms)
    else if (is_detecting && mode === 'Enable') void detect('machine_start', verdict_after_ms)
    if (greeting !== undefined) {
      await connected.say(greeting)
      if (has_beep) await connected.say(tone({ ...beep, sample_rate }))
      if (is_detecting && !verdict && mode === 'DetectMessageEnd')
        void detect(has_beep ? 'machine_end_beep' : 'machine_end_silence', has_beep ? 0 : verdict_after_ms)
    }
    await acts?.(person, call)
  }

  /** Does what the service says until nothing is left to do. */
  async function follow(first: Source): Promise<void> {
    let source: Source | undefined = first
    while (source && !life.signal.aborted) {
      doing = new AbortController()
      const next = await perform(source, AbortSignal.any([doing.signal, life.signal]))
      source = replacement ?? next
      replacement = undefined
    }
  }

  async function perform(source: Source, signal: AbortSignal): Promise<Source | undefined> {
    const verbs = await read(source, signal)
    if (signal.aborted || !verbs) return undefined
    const [first] = verbs
    if (answered_at === undefined && first?.type === 'reject') {
      end({ status: first.reason === 'busy' ? 'busy' : 'no-answer', ended_by: 'service' })
      return undefined
    }
    answer()
    for (const verb of verbs) {
      const next = await doVerb(verb, signal)
      if (signal.aborted || next === 'end') return undefined
      if (next) return next
    }
    return undefined
  }

  /** Undefined if the call is over for want of it, or does something else. */
  async function read(source: Source, signal: AbortSignal): Promise<Verb[] | undefined> {
    try {
      if ('twiml' in source) return readTwiml(source.twiml, undefined)
      if (webhooks.length >= webhooks_max) throw new Error(`more than ${webhooks_max} requests`)
      const got = await Promise.race([request('twiml', source.url, parameters(source.more)), whenAborted(signal)])
      if (signal.aborted) return undefined
      if (!got) {
        endByProblem()
        return undefined
      }
      if (!/^(text|application)\/xml\b/.test(got.content_type)) throw new Error(`the type ${got.content_type}`)
      return readTwiml(got.body, source.url)
    } catch (error) {
      problem(`the TwiML: ${error instanceof Error ? error.message : error}`)
      endByProblem()
      return undefined
    }
  }

  const endByProblem = () => end({ status: answered_at === undefined ? 'failed' : 'completed', ended_by: 'problem' })

  async function doVerb(verb: Verb, signal: AbortSignal): Promise<Source | 'end' | undefined> {
    switch (verb.type) {
      case 'stream':
        await streamUntilClosed(verb, signal)
        return undefined
      case 'redirect':
        return { url: verb.url }
      case 'hang_up':
        return 'end'
      case 'reject':
        problem('Reject after the answer')
        return 'end'
      case 'press':
        for (const digit of verb.digits)
          await pause(digit === 'w' || digit === 'W' ? key_ms[digit] : key_ms.digit, signal)
        if (!signal.aborted) pressed.push({ digits: verb.digits, at_ms: connected.now() })
        return undefined
      case 'pause':
        await pause(verb.ms, signal)
        return undefined
      case 'say':
        said.push(verb.text)
        await pause(verb.text.length * say_ms_per_letter, signal)
        return undefined
      case 'dial':
        return dial(verb, signal)
    }
  }

  async function streamUntilClosed(
    { url, parameters: custom }: Extract<Verb, { type: 'stream' }>,
    signal: AbortSignal,
  ): Promise<void> {
    // Twilio drops them.
    const bare = new URL(url)
    bare.search = ''
    const opened = openStream({
      url,
      connect_url: route?.(bare.href) ?? bare.href,
      signature: signUrl(auth_token, bare.href),
      parameters: custom,
      account_sid,
      call_sid: sid,
      person: connected,
      onProblem: problem,
    })
    stream = opened
    streams.push(opened.record)
    signal.addEventListener('abort', opened.stop, { once: true })
    if (signal.aborted) opened.stop()
    await opened.closed
    signal.removeEventListener('abort', opened.stop)
    stream = undefined
  }

  async function dial(
    { to: other, action, timeout_ms }: Extract<Verb, { type: 'dial' }>,
    signal: AbortSignal,
  ): Promise<Source | undefined> {
    const { takes = 'answers', after_ms, talk_ms = talk_by_default_ms } = options.transferFor(other)
    const transfer: (typeof transfers)[number] = { to: other, status: undefined, at_ms: connected.now() }
    transfers.push(transfer)
    const rings_ms = Math.min(timeout_ms, after_ms ?? (takes === 'no_answer' ? timeout_ms : ring_by_default_ms))
    await pause(rings_ms, signal)
    const is_answered = takes === 'answers' && rings_ms < timeout_ms && !signal.aborted
    if (is_answered) await pause(talk_ms, signal)
    const missed = takes === 'busy' ? 'busy' : takes === 'fails' ? 'failed' : 'no-answer'
    transfer.status = is_answered ? 'completed' : missed
    if (action === undefined || (signal.aborted && !is_answered)) return undefined
    const more = {
      DialCallStatus: transfer.status,
      DialCallSid: `CA${randomBytes(16).toString('hex')}`,
      DialBridged: String(is_answered),
      ...(is_answered && { DialCallDuration: String(Math.ceil(talk_ms / 1_000)) }),
    }
    // The call may be over: the service still learns how the transfer ended.
    if (life.signal.aborted) await request('twiml', action, parameters(more))
    return { url: action, more }
  }

  const request = (kind: Webhook['kind'], url: string, params: Record<string, string>) =>
    postWebhook({ kind, url, form: params }, options, webhooks)

  /** Callbacks that are sent after the call, and what sends the others one after the other. */
  const held: (() => Promise<unknown>)[] = []
  let sending: Promise<unknown> = Promise.resolve()
  let reports = 0

  function setStatus(next: CallStatus, more: Record<string, string> = {}): void {
    status = next
    const events: Partial<Record<CallStatus, string>> = {
      initiated: 'initiated',
      ringing: 'ringing',
      'in-progress': 'answered',
    }
    // Numbers that are called report the end only.
    const wanted = form?.getAll('StatusCallbackEvent') ?? []
    const event = events[next] ?? 'completed'
    const is_wanted = wanted.length > 0 ? wanted.includes(event) : event === 'completed'
    if (options.status_callback === undefined || !is_wanted) return
    const { copies = 1, order = 'in_order' } = behaviour.reports ?? {}
    const params = parameters({
      CallbackSource: 'call-progress-events',
      SequenceNumber: String(reports),
      Timestamp: new Date().toUTCString(),
      ...more,
    })
    reports += 1
    const { status_callback } = options
    for (let copy = 0; copy < copies; copy += 1) {
      const send = () => request('status', status_callback, params)
      if (order === 'reversed') held.unshift(send)
      else sending = sending.then(send)
    }
  }

  function end(final: CallEnd): void {
    if (life.signal.aborted) return
    ended_at = Date.now()
    life.abort()
    connected.end(`${final.status} by the ${final.ended_by}`)
    const duration_s = answered_at === undefined ? 0 : Math.round((ended_at - answered_at) / 1_000)
    if (final.ended_by === 'peer') status = final.status
    else
      setStatus(final.status, {
        CallDuration: String(duration_s),
        Duration: String(Math.ceil(duration_s / 60)),
        ...reasonOf(final, behaviour),
      })
    ended.resolve(final)
    for (const send of held.splice(0)) sending = sending.then(send)
    void sending.then(() => reported.resolve())
  }

  const { spoken, played, stretches, clears, now, say, listen, findGaps, until, untilHeard, isQuiet, untilQuiet } =
    connected
  const person: PhonePerson = {
    sample_rate,
    spoken,
    played,
    stretches,
    clears,
    now,
    say,
    listen,
    findGaps,
    until,
    untilHeard,
    isQuiet,
    untilQuiet,
    get is_over() {
      return connected.is_over
    },
    get heard() {
      return played.slice()
    },
    answer: () => {
      is_taken = true
      taking.resolve()
    },
    decline: () => {
      if (answered_at === undefined) end({ status: 'busy', ended_by: 'person' })
    },
    press(digits) {
      for (const digit of digits) stream?.press(digit)
    },
    hangUp() {
      end({ status: answered_at === undefined ? 'no-answer' : 'completed', ended_by: 'person' })
      return ended.promise
    },
  }

  const call: PhoneCall = {
    get status() {
      return status
    },
    get answered_at() {
      return answered_at
    },
    get ended_at() {
      return ended_at
    },
    sid,
    from,
    to,
    direction,
    person,
    webhooks,
    streams,
    pressed,
    transfers,
    said,
    created_at,
    ended: ended.promise,
    reported: reported.promise,
    async untilStreaming(after = 0) {
      const find = () => streams.slice(after).find(({ opened_ms }) => opened_ms !== undefined)
      await connected.until('a stream is open', () => find() !== undefined)
      const found = find()
      if (!found) throw new Error('a stream has opened')
      return found
    },
    cutStream: () => stream?.cut(),
    replace(source) {
      replacement = source
      doing.abort()
    },
    end,
  }
  void run().catch((error: unknown) => {
    problem(`the peer: ${error instanceof Error ? error.stack : error}`)
    end({ status: 'failed', ended_by: 'problem' })
  })
  return call
}

/** Resolves at its time, or when it is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

const whenAborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })

/** What the last callback says of the reason. */
function reasonOf({ status, ended_by }: CallEnd, { takes, failure }: Behaviour): Record<string, string> {
  const codes = { completed: 200, busy: 486, 'no-answer': 487, failed: 404, canceled: 487 }
  const is_declined = takes === 'rejects' || (status === 'busy' && ended_by === 'person')
  const { sip_response_code = is_declined ? 603 : codes[status], error_code } = failure ?? {}
  return {
    SipResponseCode: String(sip_response_code),
    ...(error_code !== undefined && { ErrorCode: String(error_code), ErrorMessage: 'No' }),
  }
}
