import { type Static, Type } from 'typebox'
import { verdictFact, verdicts } from '../../calls/facts.ts'
import {
  type Admission,
  admitCall,
  continueCall,
  type InboundCall,
  type Next,
  receiveCall,
  reportEnd,
  takeReport,
} from '../../calls/phone.ts'
import { isPhoneNumber } from '../../contacts/phone.ts'
import type { At, AtOutside } from '../../kit/at.ts'
import { id, oneOf } from '../../kit/field.ts'
import * as operation from '../../kit/http/operation.ts'
import type { RawAnswer, RawRequest } from '../../kit/http/raw.ts'
import { Problem } from '../../kit/problem.ts'
import { factOf, timeOf } from './dialer.ts'
import { isCarrierId } from './rest.ts'
import { readSigned, signed_form, xml } from './signed-forms.ts'
import * as twiml from './twiml.ts'

/** Twilio's numbers for callers that withhold theirs: they spell ANONYMOUS, RESTRICTED, BLOCKED, UNKNOWN and UNAVAILABLE. */
const withheld = new Set(['+266696687', '+7378742833', '+2562533', '+8656696', '+86282452253'])
/** The statuses of a caller that has gone. `taken_over` are those of the call to a number that is to take over. */
const over_statuses = new Set(['completed', 'busy', 'failed', 'no-answer', 'canceled'])
const taken_over = new Set(['answered', 'completed'])

const ByChannel = Type.Object({ channel_id: id('The channel.') })
const ByCall = Type.Object({ channel_id: id('The channel.'), call_id: id('The call.') })
const CallQuery = Type.Object({
  after: Type.Optional(oneOf(['digits', 'transfer', 'answered'], { description: 'What Twilio has done.' })),
  before: Type.Optional(
    oneOf(['digits', 'transfer'], { description: 'What Twilio has done before it opened the last stream.' }),
  ),
})
type CallQuery = Static<typeof CallQuery>

/** The operations at the URLs of voice channels, for Twilio. */
export const phone_operations: operation.Operation[] = [
  operation.raw({
    id: 'channels.receive_call',
    path: '/phone/:channel_id',
    summary: 'Receive a call from a carrier',
    description:
      'The `inbound_url` of a voice channel, as a form that Twilio signs. The answer is TwiML: the agent talks over a stream. A call ' +
      'that is reported again is the same call.',
    params: ByChannel,
    errors: ['VALIDATION_ERROR', 'FORBIDDEN', 'NOT_FOUND'],
    ...signed_form,
    before: readInbound,
    run: async (at, { params, prepared }) => {
      // The cast is true because `readInbound` has returned this.
      const { call, admission } = prepared as Awaited<ReturnType<typeof readInbound>>
      return answer(at, params, await receiveCall(at, call, admission))
    },
  }),
  operation.raw({
    id: 'channels.continue_call',
    path: '/phone/:channel_id/calls/:call_id',
    summary: 'Say what a call does next',
    description: 'Twilio asks this when a stream has ended, and after digits and transfers. The answer is TwiML.',
    params: ByCall,
    query: CallQuery,
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    ...signed_form,
    before: readQuestion,
    // The cast is true because `readQuestion` has returned this.
    run: (at, { params, query, prepared }) => continueWith(at, { ...params, ...query }, prepared as URLSearchParams),
  }),
  operation.raw({
    id: 'channels.report_call',
    path: '/phone/:channel_id/calls/:call_id/status',
    summary: 'Take the status of a call',
    description: 'Twilio reports what becomes of a call that was dialled. Reports may come twice, and in any order.',
    params: ByCall,
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    ...signed_form,
    before: (at, { params }, raw) => readReport(at, { params, url: twiml.statusUrl(at.tools.address(), params), raw }),
    // The cast is true because `readReport` has returned this.
    run: (at, { params, prepared }) => reportStatus(at, params, prepared as URLSearchParams),
  }),
  operation.raw({
    id: 'channels.report_machine',
    path: '/phone/:channel_id/calls/:call_id/machine',
    summary: 'Take the verdict on who has answered',
    description: 'Twilio reports whether a person or a machine has answered a call that was dialled.',
    params: ByCall,
    errors: ['FORBIDDEN', 'NOT_FOUND'],
    ...signed_form,
    before: (at, { params }, raw) => readReport(at, { params, url: twiml.machineUrl(at.tools.address(), params), raw }),
    // The cast is true because `readReport` has returned this.
    run: (at, { params, prepared }) => reportMachine(at, params, prepared as URLSearchParams),
  }),
]

type CallParams = { channel_id: string; call_id: string }

interface UnreadReport {
  params: CallParams
  url: string
  raw: RawRequest
}

const readReport = async (at: AtOutside, { params, url, raw }: UnreadReport): Promise<URLSearchParams> =>
  (await readSigned(at, { channel_id: params.channel_id, kind: 'voice', url, raw })).form

async function reportStatus(at: At, params: CallParams, form: URLSearchParams): Promise<RawAnswer> {
  const [status, sip_code, error_code] = ['CallStatus', 'SipResponseCode', 'ErrorCode'].map((name) => form.get(name))
  const fact = factOf({ status, sip_code, error_code }, timeOf(form.get('Timestamp'), at.now))
  if (fact) await takeReport(at, { ...params, carrier_id: carrierIdIn(form), facts: [fact] })
  return xml(twiml.nothing())
}

async function reportMachine(at: At, params: CallParams, form: URLSearchParams): Promise<RawAnswer> {
  const verdict = verdicts.find((one) => one === form.get('AnsweredBy'))
  const facts = verdict && verdict !== 'unknown' ? [verdictFact(verdict, at.now)] : []
  await takeReport(at, { ...params, carrier_id: carrierIdIn(form), facts })
  return xml(twiml.nothing())
}

function carrierIdIn(form: URLSearchParams): string | undefined {
  const sid = form.get('CallSid')
  return isCarrierId(sid) ? sid : undefined
}

async function readInbound(
  at: AtOutside,
  { params: { channel_id } }: operation.ValidRequest<{ channel_id: string }>,
  raw: RawRequest,
): Promise<{ call: InboundCall; admission: Admission }> {
  const url = twiml.inboundCallUrl(at.tools.address(), channel_id)
  const { channel, form } = await readSigned(at, { channel_id, kind: 'voice', url, raw })
  const carrier_id = form.get('CallSid') ?? ''
  if (!isCarrierId(carrier_id)) throw new Problem('VALIDATION_ERROR', 'CallSid is required.', { fields: [] })
  if (form.get('To') !== channel.address)
    throw new Problem('VALIDATION_ERROR', 'To must be the number of the channel.', { fields: [] })
  const from = form.get('From') ?? ''
  const call = { channel, carrier_id, from: isPhoneNumber(from) && !withheld.has(from) ? from : null }
  return { call, admission: await admitCall(at, call) }
}

type Question = { channel_id: string; call_id: string } & CallQuery

async function readQuestion(
  at: AtOutside,
  { params, query }: operation.ValidRequest<{ channel_id: string; call_id: string }, CallQuery>,
  raw: RawRequest,
): Promise<URLSearchParams> {
  const url = twiml.callUrl(at.tools.address(), { ...params, ...query })
  return (await readSigned(at, { channel_id: params.channel_id, kind: 'voice', url, raw })).form
}

async function continueWith(at: At, question: Question, form: URLSearchParams): Promise<RawAnswer> {
  const { after } = question
  if (after === 'answered') {
    await reportEnd(at, question, 'transferred')
    return xml(twiml.nothing())
  }
  const end = endOf(form, after)
  if (end) await reportEnd(at, question, end)
  return answer(
    at,
    question,
    end ? { type: 'hang_up' } : await continueCall(at, { ...question, carrier_id: carrierIdIn(form) }),
  )
}

/** Returns how the call has ended, by what Twilio says of the call itself and of a transfer. */
function endOf(form: URLSearchParams, after: CallQuery['after']): 'transferred' | 'contact_hung_up' | undefined {
  if (after === 'transfer' && taken_over.has(form.get('DialCallStatus') ?? '')) return 'transferred'
  return over_statuses.has(form.get('CallStatus') ?? '') ? 'contact_hung_up' : undefined
}

function answer({ tools }: At, { channel_id, after, before }: Omit<Question, 'call_id'>, next: Next): RawAnswer {
  switch (next.type) {
    case 'connect': {
      const { call_id, token, waits } = next
      const address = tools.address()
      // If nobody has taken the last stream, nobody knows what was before it.
      const known = after === 'answered' ? undefined : (after ?? (waits ? before : undefined))
      const next_url = twiml.callUrl(address, { channel_id, call_id, before: known })
      return xml(twiml.connectTo({ url: twiml.streamUrl(address), token, after: known, next_url, waits }))
    }
    case 'hang_up':
      return xml(twiml.hangUp())
    case 'reject':
      return xml(twiml.reject())
    case 'busy':
      return xml(twiml.reject('busy'))
  }
}
