import assert from 'node:assert/strict'
import { test } from 'node:test'
import { may, roles } from '../../server/people/roles.ts'
import { serve } from '../support/harness.ts'
import { allowed, assertNamesRole } from '../support/rules/roles.ts'
import { unknown_id } from '../support/rules/sessions.ts'
import {
  newRawTarget,
  owner_operations,
  person_operations,
  raw_operations,
  scoped_operations,
} from '../support/scoped.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()

test('the table names every operation that has a scope, and no others', () => {
  const ids = [...scoped_operations, ...owner_operations, ...person_operations].map(({ id }) => id)
  assert.deepEqual(Object.keys(allowed).sort(), ids.sort())
})

for (const role of roles) {
  for (const operation of person_operations) {
    const { id, method, path } = operation
    const is_allowed = allowed[id]?.includes(role) ?? false

    test(`${id} ${is_allowed ? "doesn't return" : 'returns'} 403 to a person with the role ${role}`, async () => {
      assert.equal(may(role, operation), is_allowed)
      const tenant = await server.workspace()
      const person = await newPerson(server, { [tenant.id]: role })
      const address = path.replace(':person_id', person.id).replace(/:\w+/g, unknown_id)
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      const answer = await person.go(method, address, body, inWorkspace(tenant))
      if (id === 'speech.install' || id === 'installation.get')
        return assert.match(answer.text, /Only owners of the first workspace/)
      if (is_allowed) return assert.notEqual(answer.status, 403, answer.text)
      assert.equal(answer.status, 403, answer.text)
      assertNamesRole(answer.body.error, allowed[id])
    })
  }

  for (const operation of raw_operations) {
    test(`${operation.id} is not served to a session of a person with the role ${role}`, async () => {
      const tenant = await server.workspace()
      const { path, body } = await newRawTarget(operation, tenant)
      const person = await newPerson(server, { [tenant.id]: role })
      for (const base of ['', '/api/v1']) {
        const answer = await person.go(operation.method, base + path, body, inWorkspace(tenant))
        assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'], base)
      }
    })
  }
}
