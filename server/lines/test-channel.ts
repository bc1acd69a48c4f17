import { Type } from 'typebox'
import * as channels from '../channels/store.ts'
import { reserve } from '../channels/usage.ts'
import { PhoneNumber } from '../contacts/phone.ts'
import { type AtOutside, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { ById, TestResult } from '../kit/field.ts'
import * as operation from '../kit/http/operation.ts'
import { newId } from '../kit/id.ts'
import { invalidState, notFound, tooManyAttempts } from '../kit/problem.ts'
import { assertMaySend } from '../messages/outgoing.ts'
import { carriers } from './carriers.ts'

const test_message = 'This is a test message. Your channel works.'

const TestMessage = Type.Object({ to: PhoneNumber }, { title: 'TestMessage', additionalProperties: false })

/** For people in the dashboard. */
export const operations: operation.Operation[] = [
  operation.remote({
    id: 'channels.test',
    path: '/channels/:id/test',
    scope: 'channels:write',
    summary: 'Send a test message',
    params: ById,
    body: TestMessage,
    errors: ['INVALID_STATE'],
    response: TestResult,
    run: (at, { params, body }) => sendTestMessage(at, { id: params.id, to: body.to }),
  }),
]

/** Counts against the limits of the channel, and asks the ledger as all others. It belongs to no conversation. */
async function sendTestMessage(at: AtOutside, { id, to }: { id: string; to: string }): Promise<TestResult> {
  const channel = await channels.find(at, id)
  if (!channel) throw notFound()
  const carrier = carriers[channel.provider]
  if (channel.kind !== 'sms' || !carrier) throw invalidState('Test messages are for SMS channels.')
  if (channel.status === 'disabled') throw invalidState('This channel is disabled.', { status: channel.status })
  await inTransaction(at, async (at) => {
    await assertMaySend(at, to)
    const { granted, retry_at } = (await reserve(at, { channels: [channel], wanted: new Map([[id, 1]]) })).get(id) ?? {}
    if (granted !== 1) throw tooManyAttempts(Math.ceil(((retry_at ?? at.now) - at.now) / 1_000))
  })
  const began = clock.ticks()
  const result = await carrier.send(at, { channel, id: newId(), to, text: test_message })
  const duration_ms = Math.round(clock.ticks() - began)
  if (result.type === 'accepted')
    return { is_ok: result.status !== 'failed', status: null, duration_ms, error: result.error }
  const error = result.type === 'unknown' ? 'The carrier did not answer. The message may have been sent.' : result.error
  return { is_ok: false, status: null, duration_ms, error }
}
