import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { openFollowUp } from '../../server/kit/work/follow-up.ts'
import { waitUntil } from '../faults/client.ts'
import { testPool } from '../support/harness.ts'

const pool = testPool()
after(() => pool.close())
const log = openLog('silent')
const topic = 'followed'

/** Runs every few milliseconds, and keeps the workspaces in which it has run. */
function follow(run: (workspace: string) => Promise<boolean>) {
  const ran: string[] = []
  const counted = (workspace: string) => {
    ran.push(workspace)
    return run(workspace)
  }
  return { ran, ...openFollowUp(pool, { name: 'a test', topic, every_ms: 5, run: counted }, log) }
}

const commit = (workspace: string, of = topic) => pool.notify({ topic: of, workspace })

test('it follows the commits of a topic, once for those of a workspace, and no others', async (t) => {
  const { ran, stop } = follow(async () => false)
  t.after(stop)
  const [first, second] = [newId(), newId()]
  for (const [workspace, of] of [[newId(), 'another'], [first], [first]] as const) commit(workspace, of)
  await waitUntil('it has run', () => ran.length > 0)
  commit(second)
  await waitUntil('it has run again', () => ran.includes(second))
  assert.deepEqual(ran, [first, second])
})

test('a workspace whose node is down keeps no other from its turn, and is tried after its next commit', async (t) => {
  const [down, up] = [newId(), newId()]
  let is_down = true
  const { ran, stop } = follow(async (workspace) => {
    if (workspace === down && is_down) throw new Error('the node is down')
    return false
  })
  t.after(stop)
  for (const workspace of [down, up]) commit(workspace)
  await waitUntil('both were tried', () => ran.length === 2)
  is_down = false
  commit(up)
  await waitUntil('the other has its turn', () => ran.length > 2)
  assert.deepEqual(ran.slice(2), [up], 'a node that is down is not asked all the time')
  commit(down)
  await waitUntil('it runs again', () => ran.length > 3)
  assert.deepEqual(ran, [down, up, up, down])
})

test('what says that it has not ended runs again', async (t) => {
  let left = 3
  const { ran, stop } = follow(async () => {
    left -= 1
    return left > 0
  })
  t.after(stop)
  commit(newId())
  await waitUntil('it has ended', () => left === 0)
  commit(newId())
  await waitUntil('another has run', () => new Set(ran).size === 2)
  assert.equal(ran.length, 4)
})
