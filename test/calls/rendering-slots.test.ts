import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AudioToRender } from '../../server/calls/carrier.ts'
import { newId } from '../../server/kit/id.ts'
import { openRenderer } from '../../server/lines/simulator/render/renderer.ts'
import { temporaryFolder } from '../support/folders.ts'
import { short_talk } from '../support/recorded-calls.ts'

const silent = { voice: null, parts: [] }
/** Each slice is a second of the call. */
const slice_ms = 0

test('a workspace with many calls to render does not keep another waiting', async () => {
  const { render } = openRenderer({ folder: temporaryFolder() })
  const rendered: string[] = []
  const renderFor = (workspace: string) => {
    const audio = { id: newId(), workspace, duration_ms: 10, contact: silent, agent: silent }
    return render(audio, async () => void rendered.push(workspace))
  }
  const many = Promise.allSettled(Array.from({ length: 60 }, () => renderFor('busy')))
  await renderFor('other')
  assert.ok(rendered.indexOf('other') <= 2, String(rendered))
  const reasons = (await many).flatMap((one) => (one.status === 'rejected' ? [one.reason.details.reason] : []))
  assert.deepEqual(reasons, Array(50).fill('too_many_recordings'))
})

test('a short recording does not wait for long ones, of the same workspace or of others', async () => {
  const folder = temporaryFolder()
  const { render } = openRenderer({ folder, slice_ms })
  const rendered: string[] = []
  const renderCall = (workspace: string, seconds: number) => {
    const audio = { id: newId(), workspace, duration_ms: seconds * 1000, contact: silent, agent: silent }
    return render(audio, async () => void rendered.push(`${workspace} ${seconds}`))
  }
  const long = ['a', 'b', 'c', 'c'].map((workspace) => renderCall(workspace, 5))
  await Promise.all([renderCall('c', 1), renderCall('d', 1)])
  assert.deepEqual(rendered.toSorted(), ['c 1', 'd 1'])
  await Promise.all(long)
  assert.deepEqual(rendered.slice(2).toSorted(), ['a 5', 'b 5', 'c 5', 'c 5'])
  assert.deepEqual(readdirSync(join(folder, '.temporary')), [])
})

test('a long recording is not kept waiting by short ones of other workspaces', async () => {
  const { render } = openRenderer({ folder: temporaryFolder(), slice_ms })
  const renderCall = (workspace: string, seconds: number) => {
    const audio = { id: newId(), workspace, duration_ms: seconds * 1000, contact: silent, agent: silent }
    return render(audio, async () => {})
  }
  let is_over = false
  let short_ones = 0
  const renderShort = async () => {
    for (; !is_over && short_ones < 40; short_ones += 1) await renderCall('short', 1)
  }
  const long = renderCall('long', 3).finally(() => {
    is_over = true
  })
  await Promise.all([long, renderShort(), renderShort()])
  assert.ok(short_ones < 40, 'the long one has had the slot between')
})

test('a recording has the same bytes, in however many slices it is rendered', async () => {
  const parts = (role: string) => short_talk.flatMap((turn) => (turn.role === role ? turn.speech : []))
  const hashOf = async (options: { slice_ms?: number }) => {
    const audio: AudioToRender = {
      id: newId(),
      workspace: 'a',
      duration_ms: 5_123,
      contact: {
        voice: null,
        parts: [...parts('contact').slice(0, 1), { text: 'word '.repeat(30), start_ms: 4_300, end_ms: 5_500 }],
      },
      agent: { voice: null, parts: parts('agent') },
    }
    const hash = createHash('sha256')
    await openRenderer({ folder: temporaryFolder(), ...options }).render(audio, async ({ size, stream }) => {
      hash.update(`${size} `)
      for await (const chunk of stream) hash.update(chunk)
    })
    return hash.digest('hex')
  }
  assert.equal(await hashOf({ slice_ms }), await hashOf({}))
})
