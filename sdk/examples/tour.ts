// Goes through the API once, in a test workspace: npx parley workspace create Tour --test prints a key.
// The service must be allowed to send webhooks here: OUTBOUND_ALLOW_HOSTS=127.0.0.1
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Parley, ParleyError, type WebhookEvent } from '@parley/client'

const { PARLEY_URL: baseUrl = 'http://127.0.0.1:8080', PARLEY_API_KEY: apiKey = '' } = process.env
const parley = new Parley({ apiKey, baseUrl })

/** Repeats a request until its answer is as expected. */
async function until<Result>(ask: () => Promise<Result>, isDone: (result: Result) => boolean): Promise<Result> {
  for (let tries = 0; tries < 300; tries += 1) {
    const result = await ask()
    if (isDone(result)) return result
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('it takes too long')
}

async function advance(by_seconds: number): Promise<void> {
  await parley.testClock.advance({ by_seconds })
  await until(
    () => parley.testClock.get(),
    ({ status }) => status === 'ready',
  )
}

// Receive webhooks, and refuse requests that the service has not signed.
const received: WebhookEvent[] = []
let secret = ''
const receiver = createServer((request, response) => {
  text(request)
    .then((body) => parley.webhooks.verify(body, request.headers, secret))
    .then((event) => {
      received.push(event)
      response.writeHead(204).end()
    })
    .catch(() => response.writeHead(400).end())
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo
const url = `http://127.0.0.1:${port}`
const webhook = await parley.webhooks.create({ url, events: ['call.ended', 'import.finished', 'campaign.completed'] })
secret = webhook.secret

// Import contacts from a file.
const rows = Array.from(
  { length: 20 },
  (_, index) => `+141555501${String(index).padStart(2, '0')},Person ${index},tour`,
)
const file = new Blob([['phone_number,first_name,tags', ...rows].join('\n')])
const { id: import_id } = await parley.imports.create({ file, options: { on_conflict: 'update' } })
const imported = await until(
  () => parley.imports.get(import_id),
  ({ status }) => status === 'finished',
)
console.log(`${imported.total} rows imported`)
// Add a contact as a program that runs again and again does: it is created the first time, and updated after that.
await parley.contacts.upsert('+14155550120', { first_name: 'Ada', tags: ['tour'], custom_fields: { plan: 'gold' } })
const people = []
for await (const contact of parley.contacts.list({ tag: 'tour', limit: 8 })) people.push(contact)
console.log(`${people.length} contacts`)

// Create an agent, and chat with it. The stream ends when the conversation does.
const agent = await parley.agents.create({
  name: 'Guide',
  script: {
    start: 'ask',
    nodes: {
      ask: {
        say: 'Hello, do you want to come?',
        on: [{ intent: 'yes', say: 'See you.', go: '@end' }],
        else: { go: 'ask' },
      },
    },
  },
})
await parley.agents.publish(agent.id, {})
const chat = await parley.conversations.create({ agent_id: agent.id })
for await (const { type, data } of parley.conversations.stream(chat.id, { lastEventId: 0 })) {
  if (type !== 'turn.finished') continue
  console.log(`${data.turn.role}: ${data.turn.text}`)
  if (data.turn.seq === 1) await parley.conversations.say(chat.id, { text: 'Yes, please.' })
}

// Place a call. In a test workspace it happens when the clock is advanced.
const placed = await parley.calls.create({ agent_id: agent.id, to: '+14155550100' })
await advance(600)
const call = await parley.calls.get(placed.id)
const transcript = await parley.calls.getTranscript(call.id, { format: 'txt' })
const recording = await (await parley.calls.getRecording(call.id)).arrayBuffer()
console.log(
  `The call is ${call.status}: ${transcript.split('\n').length} lines, ${recording.byteLength > 44 ? 'with' : 'without'} sound`,
)

// Run a campaign of two weeks in seconds.
const campaign = await parley.campaigns.create({ name: 'Tour', kind: 'voice', agent_id: agent.id })
await parley.enrollments.create(campaign.id, { filter: { tag: ['tour'] } })
await parley.campaigns.start(campaign.id)
await advance(14 * 86_400)
const { status, counts } = await parley.campaigns.get(campaign.id)
console.log(`The campaign is ${status}: ${counts.enrolled} contacts`)

// Show an error, and the webhooks that came.
const error = await parley.contacts.create({ phone_number: 'nobody' }).catch((error: unknown) => error)
if (error instanceof ParleyError) console.log(error.code, error.fields.map(({ path }) => path).join())
await until(
  async () => new Set(received.map(({ type }) => type)),
  (types) => types.size === 3,
)
for (const event of received.slice(0, 100))
  if (event.type === 'import.finished') console.log(event.type, event.data.id === import_id)
console.log([...new Set(received.map(({ type }) => type))].sort().join(' '))
await parley.webhooks.delete(webhook.id)
receiver.close()
