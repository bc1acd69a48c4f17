import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capacity } from '../server/webhooks/capacity.ts'
import type { Claimed } from '../server/webhooks/claims.ts'
import { countEnd, countStart, newWorkspaceQueue, type WorkspaceQueue } from '../server/webhooks/workspace-queue.ts'

const delivery = (id: string, failing_since: string | null = null): Claimed => ({
  id,
  workspace: 'w',
  webhook_id: 'a',
  type: 'contact.created',
  timestamp: '',
  data: '{}',
  previous: null,
  attempt: 0,
  due_at: '2026-11-15T09:30:00.000Z',
  url: 'https://hooks.shop.example/',
  failing_since,
  secret: '',
  previous_secret: null,
  previous_secret_until: null,
})

/** Starts this many deliveries of the workspace. */
function start(capacity: Capacity, queue: WorkspaceQueue, count: number, failing_since: string | null = null) {
  const started = Array.from({ length: count }, (_, index) => delivery(`${index}`, failing_since))
  for (const one of started) {
    capacity.start(one)
    countStart(queue, one)
  }
  return started
}

const claimable = (capacity: Capacity, queue: WorkspaceQueue): [number, number] => {
  const limits = capacity.reserve(queue)
  capacity.unreserve(limits)
  return [limits.total, limits.total_failing]
}

test('a workspace may use half of the slots, and failing endpoints have separate ones', () => {
  const capacity = new Capacity()
  const [one, other, third] = [newWorkspaceQueue('one'), newWorkspaceQueue('other'), newWorkspaceQueue('third')]
  assert.deepEqual(claimable(capacity, one), [200, 50])
  start(capacity, one, 150)
  start(capacity, one, 20, '2026-11-15T09:30:00.000Z')
  assert.deepEqual(claimable(capacity, one), [50, 30])
  assert.deepEqual(claimable(capacity, other), [200, 50])
  start(capacity, other, 200)
  start(capacity, other, 50, '2026-11-15T09:30:00.000Z')
  assert.deepEqual(claimable(capacity, third), [50, 30])
  assert.equal(capacity.is_full, false)
  start(capacity, third, 50)
  assert.equal(capacity.is_full, true)
})

test('a claim in progress reserves its slots', () => {
  const capacity = new Capacity()
  const [one, other, third] = [newWorkspaceQueue('one'), newWorkspaceQueue('other'), newWorkspaceQueue('third')]
  const limits = capacity.reserve(one)
  capacity.reserve(other)
  assert.equal(capacity.is_full, true)
  assert.deepEqual(claimable(capacity, third), [0, 50])
  capacity.unreserve(limits)
  assert.deepEqual(claimable(capacity, third), [200, 50])
})

test('unrecorded results limit new claims until they are released', () => {
  const capacity = new Capacity()
  const queue = newWorkspaceQueue('one')
  const end = (one: Claimed) => {
    capacity.end(one)
    countEnd(queue, one)
  }
  const [last, ...others] = start(capacity, queue, 200)
  for (const one of others) end(one)
  assert.equal(capacity.isFullFor(queue), false)
  assert.ok(last)
  end(last)
  assert.equal(capacity.isFullFor(queue), true)
  assert.equal(capacity.is_full, false)
  for (const one of start(capacity, newWorkspaceQueue('other'), 200)) capacity.end(one)
  assert.equal(capacity.is_full, true)
  capacity.release(1)
  assert.equal(capacity.is_full, false)
})

test('deliveries that wait to be sent again are not work in progress', () => {
  const capacity = new Capacity()
  const [one] = start(capacity, newWorkspaceQueue('one'), 1)
  assert.ok(one)
  assert.equal(capacity.is_idle, false)
  capacity.end(one)
  assert.equal(capacity.is_idle, false)
  capacity.holdForRetry(1)
  assert.equal(capacity.is_idle, true)
  capacity.endHold(1)
  capacity.release(1)
  assert.equal(capacity.is_idle, true)
})
