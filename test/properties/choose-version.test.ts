import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseVersion } from '../../server/agents/choose-version.ts'
import { runs } from '../support/property-runs.ts'

const deployed_version = { id: 'a', version_label: 'v1' }
const version = { id: 'b', version_label: 'v2' }
const agentAt = (id: string, percent: number) => ({ id, deployed_version, candidate: { version, percent } })
const phoneNumbers = (count: number) => Array.from({ length: count }, (_, index) => `+1415${5_550_000 + index}`)

test('20 percent of the counterparts get the candidate', () => {
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), (id) => {
      const tried = phoneNumbers(10_000).filter((number) => chooseVersion(agentAt(id, 20), number) === version)
      assert.ok(Math.abs(tried.length / 100 - 20) <= 1.5, `${tried.length}`)
    }),
    { numRuns: 20, seed: 1 },
  )
})

test('a counterpart gets the same version again, and raising the percentage only adds counterparts', () => {
  const percent = fc.integer({ min: 1, max: 99 })
  fc.assert(
    fc.property(fc.uuid({ version: 7 }), fc.string(), percent, percent, (id, counterpart, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      const chosen = chooseVersion(agentAt(id, low), counterpart)
      assert.equal(chooseVersion(agentAt(id, low), counterpart), chosen)
      if (chosen === version) assert.equal(chooseVersion(agentAt(id, high), counterpart), version)
    }),
    runs(),
  )
})

test('agents choose independently of each other', () => {
  const chosen = (id: string) => phoneNumbers(1_000).map((number) => chooseVersion(agentAt(id, 50), number) === version)
  const [one, other] = [chosen('one'), chosen('other')]
  const same = one.filter((is_candidate, index) => is_candidate === other[index]).length
  assert.ok(same > 400 && same < 600, `${same}`)
})

test('without a candidate everyone gets the deployed version', () => {
  for (const number of phoneNumbers(10))
    assert.equal(chooseVersion({ id: 'a', deployed_version, candidate: null }, number), deployed_version)
})
