import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { advance, newCaller, newTestCalls, placeCall } from '../support/calls.ts'
import { serve } from '../support/harness.ts'
import { untilRendered } from '../support/recorded-calls.ts'

const server = await serve()

/** Few words, because the audio of each is rendered. */
const script = {
  start: 'ask',
  nodes: {
    ask: { say: 'Is Tuesday all right?', on: [{ intent: 'yes', go: 'bye' }], else: { say: 'Sorry.', go: 'bye' } },
    bye: { say: 'Goodbye.', go: '@end' },
  },
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The hashes of the transcripts and the audio of a few calls, in a workspace of its own. */
async function hashes(seed: number): Promise<string[]> {
  const tenant = await server.workspace()
  await newTestCalls(tenant, seed)
  const agent_id = await newCaller(tenant, { script })
  const calls = []
  for (const person of ['00', '13']) calls.push(await placeCall(tenant, { agent_id, to: `+141555501${person}` }))
  await advance(tenant, 600)
  const found: string[] = []
  for (const { id } of calls) {
    for (const format of ['txt', 'srt', 'vtt'])
      found.push(sha256((await tenant.call('GET', `/calls/${id}/transcript?format=${format}`)).text))
    const transcript = (await tenant.call('GET', `/calls/${id}/transcript`)).body.data
    found.push(sha256(JSON.stringify({ ...transcript, call_id: '' })))
    // The audio follows from what is said, so that of one call is enough.
    if (id !== calls[0]?.id) continue
    const headers = { authorization: `Bearer ${tenant.key}` }
    const audio = await untilRendered(() => fetch(`${server.url}/api/v1/calls/${id}/recording`, { headers }))
    assert.equal(audio.status, 200)
    found.push(sha256(Buffer.from(await audio.arrayBuffer())))
  }
  return found
}

test('a seed gives the same transcripts and audio, and another seed gives others', async () => {
  const [first, again, other] = [await hashes(7), await hashes(7), await hashes(8)]
  assert.deepEqual(again, first)
  for (const [index, hash] of other.entries()) assert.notEqual(hash, first[index])
})
