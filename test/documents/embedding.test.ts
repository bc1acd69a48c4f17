import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addDocument, find } from '../support/documents.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { type Receiver, receiver } from '../support/receivers.ts'
import { newProvider } from '../support/samples.ts'

const { workspace } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })

const kilobyte = 1024

const embedWith = (tenant: Tenant, model: Receiver) =>
  tenant.call(
    'POST',
    '/providers',
    newProvider({ base_url: model.url.replace('/hook', '/v1'), embedding_model: 'words' }),
  )

/** The first number says how much a text is about money. */
const answerTo = (input: string[], bytes: (texts: number) => number): string =>
  JSON.stringify({ data: input.map((text) => ({ embedding: /price|fee/.test(text) ? [3, 1] : [0, 2] })) }).padEnd(
    bytes(input.length),
  )

async function titlesWith(bytes: (texts: number) => number): Promise<string[]> {
  const tenant = await workspace()
  const model = await receiver((response) => {
    const { input } = JSON.parse(model.received.at(-1)?.body ?? '{}')
    response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(input, bytes))
  })
  await addDocument(tenant, 'A', 'Membership, membership and membership: all about the membership.')
  await addDocument(tenant, 'B', '# One\n\nThe fee of a membership is five euros.\n\n# Two\n\nWe open at nine.')
  await embedWith(tenant, model)
  await tenant.work()
  const inputs = model.received.map(({ body }) => JSON.parse(body).input.length)
  assert.deepEqual([...new Set(inputs)].sort(), [1, 2])
  return (await find(tenant, 'price of the membership')).map(({ title }) => title)
}

test('an answer of an embedding model may have 64 kB, and 128 kB for each text', async () => {
  assert.deepEqual(await titlesWith((texts) => (64 + 128 * texts) * kilobyte), ['B', 'A'])
  assert.deepEqual(await titlesWith((texts) => (64 + 128 * texts) * kilobyte + 1), ['A', 'B'])
})

test('two questions of a workspace are embedded at a time', async () => {
  const tenant = await workspace()
  await addDocument(tenant, 'Hours', 'We open at nine.')
  let open = 0
  let open_max = 0
  const model = await receiver(async (response) => {
    open += 1
    open_max = Math.max(open_max, open)
    await sleep(50)
    open -= 1
    response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(['hours'], () => 0))
  })
  await embedWith(tenant, model)
  const found = await Promise.all(Array.from({ length: 8 }, () => find(tenant, 'open')))
  assert.deepEqual(new Set(found.map((passages) => passages.length)), new Set([1]))
  assert.deepEqual([open_max, model.received.length], [2, 8])
})

test('questions that wait for their turn are not embedded when the embedding model does not answer', async () => {
  const tenant = await workspace()
  await addDocument(tenant, 'Hours', 'We open at nine.')
  const model = await receiver((response) => once(response, 'close'))
  await embedWith(tenant, model)
  const found = await Promise.all(Array.from({ length: 8 }, () => find(tenant, 'open')))
  assert.deepEqual(new Set(found.map((passages) => passages.length)), new Set([1]))
  assert.equal(model.received.length, 2)
})
