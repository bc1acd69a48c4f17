import assert from 'node:assert/strict'
import { create } from './conversations.ts'
import type { Tenant } from './harness.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Data = any

/** Tells the hours, takes a day, books it with a tool, and hands over. */
export const desk_script = {
  start: 'greet',
  nodes: {
    greet: {
      say: 'Hello{{contact.first_name| there}}, this is the front desk.',
      on: [
        { hear: ['when open', 'opening hours'], say: 'We are open from nine to six.', go: 'more' },
        { hear: ['book visit', 'appointment'], go: 'day' },
        { intent: 'human', go: '@hand_over' },
      ],
      else: { say: 'Sorry, I did not get that.' },
    },
    more: {
      say: 'Anything else?',
      on: [
        { hear: ['book visit', 'appointment'], go: 'day' },
        { intent: 'no', say: 'Goodbye!', go: '@end' },
      ],
      else: { say: 'Sorry?' },
    },
    day: { say: 'Which day?', on: [{ slot: 'date', go: 'book' }], else: { say: 'Which day, please?' } },
    book: { tool: 'book_slot', with: { day: '{{date}}' }, ok: 'booked', failed: '@hand_over' },
    booked: { say: 'Booked for {{date}}. Goodbye!', go: '@end' },
  },
}

const book_slot = {
  name: 'book_slot',
  description: 'Books a slot.',
  url: 'https://tools.example/book',
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
}

/** An agent with a script and a tool. */
export async function newDesk(tenant: Tenant, configuration: object = {}, tool: object = {}): Promise<string> {
  await create(tenant, '/tools', { ...book_slot, ...tool })
  const fields = { name: 'Front desk', script: desk_script, tools: ['book_slot'], ...configuration }
  return (await create(tenant, '/agents', fields)).id
}

export const addTest = (tenant: Tenant, agent_id: string, test: object): Promise<Data> =>
  create(tenant, `/agents/${agent_id}/tests`, { name: 'A test', kind: 'conversation', ...test })

/** Creates a run. */
export async function startRun(tenant: Tenant, agent_id: string, body: object = {}): Promise<Data> {
  const { status, text, body: created } = await tenant.call('POST', `/agents/${agent_id}/test_runs`, body)
  assert.equal(status, 202, text)
  return created.data
}

/** Creates a run and plays it. */
export async function runTests(tenant: Tenant, agent_id: string, body: object = {}): Promise<Data> {
  const { id } = await startRun(tenant, agent_id, body)
  await tenant.work()
  return getRun(tenant, id)
}

export const getRun = async (tenant: Tenant, id: string): Promise<Data> =>
  (await tenant.call('GET', `/test_runs/${id}`)).body.data

/** Runs one test, and returns its result. */
export async function resultOf(tenant: Tenant, agent_id: string, test: object, body: object = {}): Promise<Data> {
  const { id } = await addTest(tenant, agent_id, test)
  const run = await runTests(tenant, agent_id, { test_ids: [id], ...body })
  assert.equal(run.status, 'completed')
  return run.results[0]
}

export const sentencesIn = ({ failures }: Data): string[] => failures.map(({ sentence }: Data) => sentence)
