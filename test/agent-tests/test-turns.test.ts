import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestTurns } from '../../server/agent-tests/test-turns.ts'

const never = new AbortController().signal

/** Begins work in a turn, and returns when it has begun. */
async function busy(turns: ReturnType<typeof openTestTurns>, workspace: string, signal = never) {
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const ended = turns(workspace, signal, () => {
    begun.resolve()
    return ending.promise
  })
  await begun.promise
  return { ended, end: () => ending.resolve('played') }
}

for (const other of ['one', 'two'])
  test(`a run of workspace ${other} that is canceled does not wait for the turn of workspace one`, async () => {
    const turns = openTestTurns()
    const first = await busy(turns, 'one')
    const canceled = new AbortController()
    const waiting = turns(other, canceled.signal, async () => assert.fail('it was canceled'))
    const order: string[] = []
    const all = [
      first.ended.then((played) => order.push(played)),
      waiting.catch(({ name }: Error) => order.push(name)),
      turns(other, never, async () => order.push('after')),
    ]
    canceled.abort()
    setImmediate(first.end)
    await Promise.all(all)
    assert.deepEqual(order, ['AbortError', 'played', 'after'])
  })

test('a turn that has begun is waited for, so that what it has spent is counted', async () => {
  const canceled = new AbortController()
  const { ended, end } = await busy(openTestTurns(), 'one', canceled.signal)
  canceled.abort()
  end()
  assert.equal(await ended, 'played')
})
