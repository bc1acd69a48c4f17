import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import type { Answer, Tenant } from './harness.ts'
import { newIntegration } from './samples.ts'

export interface CreatedIntegration {
  id: string
  url: string
}

export async function createIntegration({ call }: Tenant, fields: object = {}): Promise<CreatedIntegration> {
  const { status, body, text } = await call('POST', '/integrations', newIntegration(fields))
  assert.equal(status, 201, text)
  return body.data
}

export const receiptsOf = async ({ call }: Tenant, { id }: CreatedIntegration, query = '?limit=100') =>
  (await call('GET', `/integrations/${id}/receipts${query}`)).body.data

export const outcomeOf = ({ status, body }: Answer) => [status, body?.data?.outcome ?? body?.error?.code]

/** The headers of a message that is signed with this secret. */
export function signed(
  secret: string,
  body: string,
  signed_as: { id?: string; at_ms?: number } = {},
): Record<string, string> {
  const { id = newId(), at_ms = clock.wall() } = signed_as
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at_ms / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at_ms), body),
  }
}
