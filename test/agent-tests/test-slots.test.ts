import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestSlots } from '../../server/agent-tests/test-slots.ts'

const never = new AbortController().signal

/** Begins work in the slot, and returns when it has begun. */
async function busy(slots: ReturnType<typeof openTestSlots>, workspace: string, signal = never) {
  const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()]
  const ended = slots.run(workspace, signal, () => {
    begun.resolve()
    return ending.promise
  })
  await begun.promise
  return { ended, end: () => ending.resolve('played') }
}

for (const other of ['one', 'two'])
  test(`a run of workspace ${other} that is canceled does not wait for workspace one`, async () => {
    const slots = openTestSlots()
    const first = await busy(slots, 'one')
    const canceled = new AbortController()
    const waiting = slots.run(other, canceled.signal, async () => assert.fail('it was canceled'))
    const order: string[] = []
    const all = [
      first.ended,
      waiting.catch(({ name }: Error) => order.push(name)),
      slots.run(other, never, async () => order.push('after')),
    ]
    canceled.abort()
    setImmediate(() => {
      order.push('played')
      first.end()
    })
    await Promise.all(all)
    assert.deepEqual(order, ['AbortError', 'played', 'after'])
  })

test('work that has begun is waited for, so that what it has spent is counted', async () => {
  const canceled = new AbortController()
  const { ended, end } = await busy(openTestSlots(), 'one', canceled.signal)
  canceled.abort()
  end()
  assert.equal(await ended, 'played')
})
