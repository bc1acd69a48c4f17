import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fetchDocument } from '../../server/documents/fetch.ts'
import { openOutbound } from '../../server/kit/outbound/outbound.ts'
import { isShortage } from '../../server/kit/work/shortage.ts'
import { serve } from '../support/harness.ts'

const reading = fileURLToPath(new URL('../peers/few-handles.ts', import.meta.url))

test('a file that could not be read for want of handles is not to blame, and is read when there are some', () => {
  const limited = 'ulimit -n 96; exec "$0" "$1"'
  const printed = execFileSync('bash', ['-c', limited, process.execPath, reading], { encoding: 'utf8' })
  const { outcomes, after } = JSON.parse(printed)
  assert.deepEqual([...new Set(outcomes)].toSorted(), ['again', 'read'])
  assert.equal(outcomes[0], 'again')
  assert.deepEqual([...new Set(after)], ['read'])
})

test('a page that could not be fetched for want of handles is not to blame', async () => {
  const { at } = await serve()
  const resolve = () => Promise.reject(Object.assign(new Error('socket'), { code: 'EMFILE' }))
  const outbound = openOutbound({ allowed: [], resolve })
  const tools = { ...at('').tools, outbound }
  await assert.rejects(
    fetchDocument({ ...at(''), tools }, 'http://pages.example/hours', () => false),
    isShortage,
  )
  await outbound.close()
})
