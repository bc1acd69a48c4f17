import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPerson, type Person } from '../support/person.ts'
import { tone } from '../support/sounds.ts'
import { type Behaviour, reasonOf, ringOf, type Transferred, verdictOf } from './phone-behaviour.ts'
import { openReports } from './phone-reports.ts'
import { openStream, type PhoneStream, type StreamRecord } from './phone-stream.ts'
import { readTwiml, type Verb } from './phone-twiml.ts'
import { postWebhook, signUrl, type Webhook, type WebhookOptions } from './phone-webhook.ts'

/** A call between Twilio's part and a person at a telephone. */

export type CallStatus = FinalStatus | 'queued' | 'initiated' | 'ringing' | 'in-progress'
export type FinalStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled'

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
  /** The end is reported there. */
  reportTo: (status_callback: string) => void
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
const ring_max_by_default_s = 60
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
  let { status_callback } = options

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
    const { takes = 'answers' } = behaviour
    const ring_max_ms = 1_000 * Number(form?.get('Timeout') ?? ring_max_by_default_s)
    const rings_ms = ringOf(behaviour, ring_max_ms)
    if (behaviour.queued) await Promise.race([behaviour.queued, whenAborted(life.signal)])
    if (life.signal.aborted) return undefined
    setStatus('initiated')
    if (takes === 'fails') {
      await pause(rings_ms, life.signal)
      return { status: 'failed', ended_by: 'network' }
    }
    setStatus('ringing')
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
    const { greeting, has_beep = false, hangs_up_after_ms, acts } = behaviour
    if (hangs_up_after_ms !== undefined) void pause(hangs_up_after_ms, life.signal).then(person.hangUp)
    const verdict = verdictOf(behaviour, form?.get('MachineDetection'))
    const detect = async (is_after_greeting: boolean) => {
      if (verdict?.is_after_greeting !== is_after_greeting) return
      await pause(verdict.after_ms, life.signal)
      if (life.signal.aborted) return
      const more = {
        AnsweredBy: verdict.answered_by,
        MachineDetectionDuration: String(Math.round(connected.now())),
      }
      await request('machine', form?.get('AsyncAmdStatusCallback') ?? '', parameters(more))
    }
    void detect(false)
    if (greeting !== undefined) {
      await connected.say(greeting)
      if (has_beep) await connected.say(tone({ ...beep, sample_rate }))
      void detect(true)
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
    { to: other, action, timeout_ms, answered_url }: Extract<Verb, { type: 'dial' }>,
    signal: AbortSignal,
  ): Promise<Source | undefined> {
    const transferred = options.transferFor(other)
    const { takes = 'answers', talk_ms = talk_by_default_ms } = transferred
    const transfer: (typeof transfers)[number] = { to: other, status: undefined, at_ms: connected.now() }
    transfers.push(transfer)
    const rings_ms = ringOf(transferred, timeout_ms)
    await pause(rings_ms, signal)
    const is_answered = takes === 'answers' && rings_ms < timeout_ms && !signal.aborted
    const other_sid = `CA${randomBytes(16).toString('hex')}`
    if (is_answered && answered_url !== undefined) {
      const more = { CallSid: other_sid, ParentCallSid: sid, CallStatus: 'in-progress', To: other, Called: other }
      void request('status', answered_url, parameters(more))
    }
    if (is_answered) await pause(talk_ms, signal)
    const missed = takes === 'busy' ? 'busy' : takes === 'fails' ? 'failed' : 'no-answer'
    transfer.status = is_answered ? 'completed' : missed
    if (action === undefined || (signal.aborted && !is_answered)) return undefined
    const more = {
      DialCallStatus: transfer.status,
      DialCallSid: other_sid,
      DialBridged: String(is_answered),
      ...(is_answered && { DialCallDuration: String(Math.ceil(talk_ms / 1_000)) }),
    }
    // The call may be over: the service still learns how the transfer ended.
    if (life.signal.aborted) await request('twiml', action, parameters(more))
    return { url: action, more }
  }

  const request = (kind: Webhook['kind'], url: string, params: Record<string, string>) =>
    postWebhook({ kind, url, form: params }, options, webhooks)

  const reports = openReports(behaviour.reports ?? {}, {
    wanted: form?.getAll('StatusCallbackEvent') ?? [],
    send: async (params) => status_callback && request('status', status_callback, params),
  })

  function setStatus(next: CallStatus, more: Record<string, string> = {}): void {
    status = next
    reports.report(next, parameters(more))
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
    void reports.finish().then(() => reported.resolve())
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
    reportTo(url) {
      status_callback = url
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
