import assert from 'node:assert/strict'
import { operations } from '../../../server/api.ts'
import * as feed from '../../../server/events/feed.ts'
import { newId } from '../../../server/kit/id.ts'
import { readNames } from '../../../server/kit/postgres/names.ts'
import type { Server, Tenant } from '../harness.ts'
import { makeSample, pathFor, prepare, sampleBody, sendRequest, successStatus } from '../operations.ts'
import { newProvider } from '../samples.ts'

/** A workspace has one test clock, which makes recordings too, and few test runs at a time. */
const alone = /^test_(clock|runs)\.|^calls\.\w+_(transcript|recording)$/

export async function callOperations(server: Server): Promise<void> {
  // The operations share few workspaces, because later statements are sent for each.
  const tenants = new Map<string, Tenant>()
  for (const operation of operations) {
    const [noun = ''] = alone.test(operation.id) ? [operation.id] : operation.id.split('.')
    const tenant = tenants.get(noun) ?? (await server.workspace())
    tenants.set(noun, tenant)
    const resource = await makeSample(operation, tenant)
    await prepare(operation, tenant, resource)
    const { status, text } = await sendRequest(operation, tenant, pathFor(operation, resource), sampleBody(operation))
    assert.equal(status, successStatus(operation), `${operation.id}: ${text}`)
  }
  const { id: workspace, call } = await server.workspace()
  for (const is_default of [true, true]) await call('POST', '/providers', newProvider({ is_default }))
  await call('GET', '/events')
  const { id } = (await call('GET', '/events?limit=1')).body.data[0]
  await feed.listNext(server.at(workspace), { names: undefined, after: 0, hides_contacts: false })
  const types = [
    'key',
    'person',
    'agent',
    'integration',
    'contact',
    'conversation',
    'message',
    'call',
    'campaign',
    'import',
  ]
  const more_types = ['webhook', 'channel', 'provider', 'tool', 'workspace', 'api_key']
  await readNames(
    server.at(workspace),
    [...types, ...more_types].map((type) => ({ type, id: newId() })),
  )
  for (const query of [`actor_id=${id}`, `subject_id=${id}&action=agents.create`, 'from=2026-11-15T09:30:00Z'])
    await call('GET', `/audit_log?${query}`)
  for (const query of [`after=${id}`, `resource_id=${newId()}`, `type=contact.*`]) await call('GET', `/events?${query}`)
}
