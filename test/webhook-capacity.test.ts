import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capacity } from '../server/webhooks/capacity.ts'
import type { Claimed } from '../server/webhooks/claims.ts'
import { countEnd, countStart, newSenderState, type SenderState } from '../server/webhooks/sender-state.ts'

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
function start(capacity: Capacity, state: SenderState, count: number, failing_since: string | null = null) {
  const started = Array.from({ length: count }, (_, index) => delivery(`${index}`, failing_since))
  for (const one of started) {
    capacity.start(one)
    countStart(state, one)
  }
  return started
}

const claimable = (capacity: Capacity, state: SenderState): [number, number] => {
  const limits = capacity.reserve(state)
  capacity.cancelReservation(limits)
  return [limits.total, limits.total_failing]
}

test('a workspace may use half of the slots, and failing endpoints have separate ones', () => {
  const capacity = new Capacity()
  const [one, other, third] = [newSenderState('one'), newSenderState('other'), newSenderState('third')]
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
  const [one, other, third] = [newSenderState('one'), newSenderState('other'), newSenderState('third')]
  const limits = capacity.reserve(one)
  capacity.reserve(other)
  assert.equal(capacity.is_full, true)
  assert.deepEqual(claimable(capacity, third), [0, 50])
  capacity.cancelReservation(limits)
  assert.deepEqual(claimable(capacity, third), [200, 50])
})

test('unrecorded results limit new claims until they are released', () => {
  const capacity = new Capacity()
  const state = newSenderState('one')
  const end = (one: Claimed) => {
    capacity.end(one)
    countEnd(state, one)
  }
  const [last, ...others] = start(capacity, state, 200)
  for (const one of others) end(one)
  assert.equal(capacity.isFullFor(state), false)
  assert.ok(last)
  end(last)
  assert.equal(capacity.isFullFor(state), true)
  assert.equal(capacity.is_full, false)
  for (const one of start(capacity, newSenderState('other'), 200)) capacity.end(one)
  assert.equal(capacity.is_full, true)
  capacity.release(1)
  assert.equal(capacity.is_full, false)
})

test('deliveries that wait to be sent again are not work in progress', () => {
  const capacity = new Capacity()
  const [one] = start(capacity, newSenderState('one'), 1)
  assert.ok(one)
  assert.equal(capacity.is_idle, false)
  capacity.end(one)
  assert.equal(capacity.is_idle, false)
  capacity.holdForRetry(1)
  assert.equal(capacity.is_idle, true)
  capacity.endRetryHold(1)
  capacity.release(1)
  assert.equal(capacity.is_idle, true)
})
