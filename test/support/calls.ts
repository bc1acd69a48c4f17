import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Tenant } from './harness.ts'

/** When a test clock of these tests begins. */
export const call_start = Date.parse('2027-03-01T09:00:00.000Z')

/** An agent that asks for an appointment, and says goodbye. */
export const appointment_script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello, this is the office of Acme. I am calling about your appointment. Is Tuesday at nine all right for you?',
      on: [
        { intent: 'yes', go: 'booked' },
        { intent: 'no', go: 'other' },
        { intent: 'human', go: '@hand_over' },
        { intent: 'wrong_person', go: 'sorry' },
        { intent: 'goodbye', go: 'bye' },
      ],
      silence: { say: 'Hello, can you hear me?' },
      else: { say: 'Sorry, I did not get that.', go: 'again' },
    },
    again: {
      say: 'Is Tuesday at nine all right?',
      on: [
        { intent: 'yes', go: 'booked' },
        { intent: 'no', go: 'other' },
        { intent: 'human', go: '@hand_over' },
        { intent: 'wrong_person', go: 'sorry' },
        { intent: 'goodbye', go: 'bye' },
      ],
      else: { say: 'Let us try again.', go: 'again' },
    },
    other: { say: 'I see. We will find another time and call you back. Goodbye.', go: '@end' },
    sorry: { say: 'I am sorry for the disturbance. Goodbye.', go: '@end' },
    booked: { say: 'Good, you are booked for Tuesday at nine. Thank you, and goodbye.', go: '@end' },
    bye: { say: 'Goodbye.', go: '@end' },
  },
}

export async function newCaller({ call }: Tenant, configuration: object = { script: appointment_script }) {
  const answer = await call('POST', '/agents', { name: 'Caller', ...configuration })
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data.id as string
}

export const newTestCalls = (tenant: Tenant, seed?: number): Promise<void> => tenant.addTestClock(call_start, seed)

export async function placeCall({ call }: Tenant, body: object) {
  const answer = await call('POST', '/calls', body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

/** Advances the clock and does its work, until it is ready. */
export async function advance(tenant: Tenant, by_seconds: number): Promise<void> {
  const { status, text } = await tenant.call('POST', '/test_clock/advance', { by_seconds })
  assert.equal(status, 202, text)
  do await tenant.work()
  while ((await tenant.call('GET', '/test_clock')).body.data.status === 'advancing')
}

export const getCall = async ({ call }: Tenant, id: string) => (await call('GET', `/calls/${id}`)).body.data

export const turnsOf = async ({ call }: Tenant, conversation_id: string) =>
  (await call('GET', `/conversations/${conversation_id}/turns?limit=100`)).body.data

type Reader = { call: (method: string, path: string) => Promise<Pick<Answer, 'body'>> }

/** A call with its turns and what happened on the line, without ids: the same for equal calls of two workspaces. */
export async function readWhole({ call }: Reader, id: string) {
  const found = (await call('GET', `/calls/${id}`)).body.data
  const turns = (await call('GET', `/conversations/${found.conversation_id}/turns?limit=100`)).body.data
  const line = (await call('GET', `/calls/${id}/events?limit=100`)).body.data
  const { id: _, conversation_id, agent_id, agent_version, channel_id, contact_id, updated_at, ...shown } = found
  return {
    ...shown,
    turns: turns.map(({ tools, ...turn }: { tools: { id: string }[] }) => ({
      ...turn,
      tools: tools.map(({ id: _, ...run }) => run),
    })),
    line: line.map(({ kind, at, source }: Record<string, string>) => ({ kind, at, source })),
  }
}

/** Repeats requests when the server is busy, as it may be while many calls happen on a slow machine. */
export function patient(tenant: Tenant): Tenant {
  const call: Tenant['call'] = async (...request) => {
    const answer = await tenant.call(...request)
    if (answer.status !== 503) return answer
    await sleep(200)
    return call(...request)
  }
  return { ...tenant, call }
}

/** Waits until nothing more happens in the call, and returns it. */
export async function ended(tenant: Tenant, id: string) {
  for (;;) {
    const call = await getCall(tenant, id)
    if (call.ended_at !== null) return call
    await sleep(50)
  }
}
