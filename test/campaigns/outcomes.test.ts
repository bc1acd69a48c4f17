import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as attempts from '../../server/campaigns/dial/attempts.ts'
import { endAttempts } from '../../server/campaigns/dial/ends.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { newId } from '../../server/kit/id.ts'
import { createCampaign } from '../support/campaigns.ts'
import { serve } from '../support/harness.ts'

const server = await serve()

test('an outcome that is corrected later is counted once', async () => {
  const tenant = await server.workspace()
  const { id: campaign_id } = await createCampaign(tenant)
  const id = newId()
  const at = server.at(tenant.id)
  const attempt = { id, campaign_id, enrollment_id: newId(), attempt: 1, phone_hmac: Buffer.alloc(32), at: at.now }
  const ended = { id, campaign_id, ended_at: at.now, is_opt_out: false }
  await inTransaction(at, async (at) => {
    await attempts.insert(at, [attempt])
    await endAttempts(at, [{ ...ended, outcome: 'unknown' }])
  })
  await inTransaction(at, (at) => endAttempts(at, [{ ...ended, outcome: 'answered', refined_from: 'unknown' }]))
  const { by_outcome } = (await tenant.call('GET', `/campaigns/${campaign_id}/progress`)).body.data
  assert.deepEqual(by_outcome, { answered: 1 })
})
