import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from '../../server/kit/log.ts'
import { openSaves } from '../../server/kit/work/saves.ts'
import { serve } from '../support/harness.ts'

const server = await serve()

/** Saves that fail in their first attempts, as when another transaction holds a lock for too long. */
function openFailing(failures: number) {
  let attempts = 0
  const lock_timeout = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
  return openSaves<string, string>({
    saveAll: async (_at, saves) => {
      attempts += 1
      if (attempts <= failures) throw lock_timeout
      return saves.map((save) => `${save} in attempt ${attempts}`)
    },
    log: openLog('silent'),
  })
}

test('a save that another transaction kept from being written is written in a second attempt', async () => {
  const at = server.at((await server.workspace()).id)
  assert.equal(await openFailing(1)(at, 'saved'), 'saved in attempt 2')
})

test('a save that can not be written fails with the reason', async () => {
  const at = server.at((await server.workspace()).id)
  await assert.rejects(openFailing(2)(at, 'saved'), /lock timeout/)
})
