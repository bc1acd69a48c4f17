import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { openSound } from '../../server/audio/sound.ts'
import { openLog } from '../../server/kit/log.ts'
import { Problem } from '../../server/kit/problem.ts'

test('an agent without a provider that hears needs offline speech', async () => {
  const folder = path.join(import.meta.dirname, 'no-such-folder')
  const sound = openSound({ folder, log: openLog('silent') })
  const configuration = { speech: { listen: null, speak: null }, language: 'en', voice: null }
  // Nothing is looked up for an agent that names no provider.
  const nowhere = {} as Parameters<typeof sound.find>[0]
  const isRefusal = (error: unknown) =>
    error instanceof Problem && error.code === 'INVALID_STATE' && error.details.reason === 'speech_not_installed'
  await assert.rejects(sound.find(nowhere, configuration), isRefusal)
  await sound.close()
})
