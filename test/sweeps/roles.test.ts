import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, personOperations } from '../../server/api.ts'
import { may } from '../../server/people/roles.ts'
import { type Role, roles } from '../../server/people/schema.ts'
import { serve } from '../support/harness.ts'
import { makeSample, pathFor, prepare, sampleBody } from '../support/operations.ts'
import { at, someone } from '../support/visitors.ts'

const server = await serve()
const unknown = '01a1dd18-9904-726a-94bc-9e3b6ab9ad11'

/** Who may do what, written down apart from the code: an operation that is missing here fails the first test. */
const allowed: Record<string, Role[]> = {
  ...each(
    ['owner', 'member', 'viewer'],
    [
      'contacts.list',
      'contacts.get',
      'imports.list',
      'imports.get',
      'imports.list_rows',
      'agents.list',
      'agents.get',
      'agents.list_versions',
      'events.list',
      'events.get',
      'events.stream',
      'overview.get',
      'session.get',
      'session.create',
      'session.delete',
      'sessions.list',
      'sessions.delete',
      'sessions.delete_all',
      'setup.look',
      'setup.complete',
      'person.update',
      'password.update',
      'workspaces.create',
      'invitations.look',
      'invitations.accept',
      // Of oneself.
      'members.delete',
    ],
  ),
  ...each(
    ['owner', 'member'],
    [
      'contacts.export',
      'contacts.create',
      'contacts.update',
      'contacts.delete',
      'contacts.set_crm_id',
      'contacts.delete_crm_id',
      'imports.create',
      'imports.download_rows',
      'imports.cancel',
      'imports.run',
      'imports.undo',
      'agents.create',
    ],
  ),
  ...each(
    ['owner'],
    [
      'webhooks.list',
      'webhooks.create',
      'webhooks.get',
      'webhooks.update',
      'webhooks.delete',
      'webhooks.rotate_secret',
      'webhooks.test',
      'webhooks.recover',
      'webhooks.list_inbox',
      'webhooks.list_deliveries',
      'webhooks.get_delivery',
      'webhooks.resend_delivery',
      'integrations.list',
      'integrations.create',
      'integrations.get',
      'integrations.update',
      'integrations.delete',
      'integrations.dry_run',
      'integrations.list_receipts',
      'api_keys.list',
      'api_keys.create',
      'api_keys.get',
      'api_keys.rotate',
      'api_keys.revoke',
      'workspace.update',
      'members.list',
      'members.update',
      'invitations.list',
      'invitations.create',
      'invitations.delete',
    ],
  ),
}

function each(who: Role[], ids: string[]): Record<string, Role[]> {
  return Object.fromEntries(ids.map((id) => [id, who]))
}

test('the table names every operation, and none that is not there', () => {
  const ids = [...operations, ...personOperations].map(({ id }) => id)
  assert.deepEqual(Object.keys(allowed).sort(), ids.sort())
})

for (const role of roles) {
  for (const operation of operations) {
    const { id, method, status } = operation
    const is_allowed = allowed[id]?.includes(role) ?? false

    test(`${id} ${is_allowed ? 'answers' : 'is 403 to'} a person who is ${role}`, async () => {
      assert.equal(may(role, operation), is_allowed)
      const tenant = await server.workspace()
      const resource = await makeSample(operation, tenant)
      await prepare(operation, tenant, resource)
      const person = await someone(server, { [tenant.id]: role })
      const address = `/api/v1${pathFor(operation, resource)}`
      const answer = await person.go(method, address, sampleBody(operation), at(tenant))
      assert.equal(answer.status, is_allowed ? status : 403, answer.text)
      if (!is_allowed) assertHelps(answer.body.error, allowed[id])
      if (method === 'GET') {
        const head = await person.go('HEAD', address, undefined, at(tenant))
        assert.equal(head.status, answer.status, 'HEAD is answered as GET')
      }
    })
  }

  for (const operation of personOperations) {
    const { id, method, path } = operation
    const is_allowed = allowed[id]?.includes(role) ?? false

    test(`${id} ${is_allowed ? 'is open' : 'is 403'} to a person who is ${role}`, async () => {
      assert.equal(may(role, operation), is_allowed)
      const tenant = await server.workspace()
      const person = await someone(server, { [tenant.id]: role })
      const address = path.replace(':person_id', person.id).replace(/:\w+/g, unknown)
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      const answer = await person.go(method, address, body, at(tenant))
      if (is_allowed) return assert.notEqual(answer.status, 403, answer.text)
      assert.equal(answer.status, 403, answer.text)
      assertHelps(answer.body.error, allowed[id])
    })
  }
}

function assertHelps({ code, message, details }: Record<string, unknown>, who: Role[] = []): void {
  const least = who.at(-1)
  assert.equal(code, 'FORBIDDEN')
  assert.equal(message, least === 'owner' ? 'Only owners may do this.' : 'Only members and owners may do this.')
  assert.equal(Object(details).required_role, least)
}
