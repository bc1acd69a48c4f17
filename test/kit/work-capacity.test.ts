import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capacity } from '../../server/kit/work/capacity.ts'
import { itemLeases } from '../../server/kit/work/lease.ts'
import { Running } from '../../server/kit/work/running.ts'
import { keyState, newState, type State } from '../../server/kit/work/state.ts'
import type { DueItem, Items } from '../../server/kit/work/work.ts'
import { WorkspaceQueue } from '../../server/kit/work/workspace-queue.ts'

const share = { slots: 4, slow_slots: 2, total: 6, unrecorded: 3 }

/** Starts this many items that aren't slow. */
function startMany(capacity: Capacity, count: number): void {
  for (let started = 0; started < count; started += 1) capacity.start({ is_slow: false })
}

test('slow items have slots of their own', () => {
  const capacity = new Capacity(share)
  startMany(capacity, 3)
  capacity.start({ is_slow: true })
  assert.deepEqual([capacity.free, capacity.free_slow, capacity.running], [1, 1, 4])
  capacity.turnSlow()
  assert.deepEqual([capacity.free, capacity.free_slow], [2, 0])
  capacity.turnSlow()
  assert.deepEqual([capacity.free, capacity.free_slow], [2, 0], 'more of them than there are slots for slow ones')
  startMany(capacity, 2)
  assert.deepEqual([capacity.running, capacity.free], [6, 0], 'never more than the total')
})

test('a claim in progress reserves its slots', () => {
  const capacity = new Capacity(share)
  capacity.reserve(4)
  assert.deepEqual([capacity.free, capacity.is_full], [0, true])
  capacity.cancelReservation(4)
  assert.deepEqual([capacity.free, capacity.is_full], [4, false])
})

test('unrecorded results limit new claims until they are released', () => {
  const capacity = new Capacity(share)
  startMany(capacity, 3)
  capacity.end({ is_slow: false })
  capacity.end({ is_slow: false })
  assert.deepEqual([capacity.has_many_unrecorded, capacity.is_full], [false, false])
  capacity.end({ is_slow: false })
  assert.deepEqual([capacity.has_many_unrecorded, capacity.is_full], [true, true])
  capacity.release(1)
  assert.equal(capacity.is_full, false)
})

test('items that are postponed are not work in progress', () => {
  const capacity = new Capacity(share)
  startMany(capacity, 1)
  capacity.end({ is_slow: false })
  assert.equal(capacity.is_idle, false)
  capacity.postpone(1)
  assert.equal(capacity.is_idle, true)
  capacity.endPostponement(1)
  capacity.release(1)
  assert.equal(capacity.is_idle, true)
})

test('workspaces are taken in order, and those that are not ready keep their place', () => {
  const queue = new WorkspaceQueue()
  for (const workspace of ['a', 'b', 'a', 'c']) queue.add(workspace)
  assert.equal(
    queue.take((workspace) => workspace !== 'a'),
    'b',
  )
  assert.equal(
    queue.take(() => true),
    'a',
  )
  queue.add('b')
  assert.deepEqual([queue.take(() => true), queue.take(() => true), queue.take(() => true)], ['c', 'b', undefined])
})

interface Item extends DueItem {
  key: string
  is_slow?: boolean
}

const items: Items<Item> = {
  due: {} as Items<Item>['due'],
  openLeases: () => itemLeases(async () => []),
  limits: {
    process: { slots: 8, slow_slots: 4, total: 12, unrecorded: 8 },
    workspace: share,
    slow_after_ms: 0,
  },
  keyOf: ({ key }) => key,
  isSlow: ({ is_slow }) => is_slow === true,
  claim: async () => [],
}

const patient: Items<Item> = { ...items, limits: { ...items.limits, slow_after_ms: 60_000 } }

/** The free slots, and those for slow items, of each. */
const free = (...all: { capacity: Capacity }[]) => all.flatMap(({ capacity }) => [capacity.free, capacity.free_slow])

const item = (key: string, id = '1'): Item => ({ key, id, due_at: '2026-11-15T09:30:00.000Z' })

test('an item that runs for long moves to the slots for slow ones, and so do the next ones with its key', () => {
  const running = new Running(items)
  const state: State<Item> = newState('w', items.limits)
  const run = running.start(state, item('a'))
  assert.deepEqual(free(running, state), [7, 4, 3, 2])
  running.findSlow()
  assert.deepEqual(free(running, state), [8, 3, 4, 1])
  running.start(state, item('a', '2'))
  running.start(state, item('b'))
  assert.deepEqual(free(running, state), [7, 2, 3, 0])
  running.end(run)
  assert.deepEqual(free(running, state), [7, 3, 3, 1])
})

test('a key is no longer slow after an item that ran for a short time', () => {
  const running = new Running(patient)
  const state: State<Item> = newState('w', patient.limits)
  keyState(state, 'a').is_slow = true
  const run = running.start(state, item('a'))
  assert.deepEqual(free(running), [8, 3])
  running.end(run)
  assert.deepEqual(free(running), [8, 4])
  running.start(state, item('a', '2'))
  assert.deepEqual(free(running), [7, 4])
})

test('an item may count as slow from the beginning', () => {
  const running = new Running(patient)
  const state: State<Item> = newState('w', patient.limits)
  running.start(state, { ...item('a'), is_slow: true })
  assert.deepEqual(free(running), [8, 3])
})
