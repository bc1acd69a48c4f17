import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../server/kit/id.ts'
import { openRenderer } from '../server/simulator/render/renderer.ts'
import { temporaryFolder } from './support/folders.ts'

test('a workspace with many calls to render does not keep another waiting', async () => {
  const { render } = openRenderer({ folder: temporaryFolder() })
  const rendered: string[] = []
  const renderFor = (workspace: string) => {
    const silent = { voice: null, parts: [] }
    const audio = { id: newId(), workspace, duration_ms: 10, contact: silent, agent: silent }
    return render(audio, async () => void rendered.push(workspace))
  }
  const many = Promise.allSettled(Array.from({ length: 60 }, () => renderFor('busy')))
  await renderFor('other')
  assert.deepEqual(rendered, ['busy', 'busy', 'other'])
  const reasons = (await many).flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
  assert.deepEqual(reasons, Array(50).fill('SERVICE_UNAVAILABLE'))
})
