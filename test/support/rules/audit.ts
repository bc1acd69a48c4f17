import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAudited } from '../../../server/audit/audited.ts'
import { isWrite } from '../../../server/kit/http/operation.ts'
import type { Answer } from '../harness.ts'
import type { World, Worlds } from '../worlds.ts'

/** The answer to the owner of a workspace, whose only request it was there. */
export interface Succeeded extends World {
  answer: Answer
}

interface Entry {
  actor: { id: string }
  request_id: string
}

export function leaveEntry({ operation, persons: { owner } }: Worlds, succeeded: () => Succeeded): void {
  const is_audited = isAudited({ operation })
  if (!is_audited && !isWrite(operation)) return

  test(`${operation.id} leaves ${is_audited ? 'one entry' : 'no entry'}`, async () => {
    const { tenant, resource, answer } = succeeded()
    const { status, body, text } = await tenant.call('GET', `/audit_log?action=${operation.id}&limit=100`)
    assert.equal(status, 200, text)
    const request_id = answer.headers.get('x-request-id')
    const own = body.data.filter((one: Entry) => one.actor.id === owner.id || one.request_id === request_id)
    assert.equal(own.length, is_audited ? 1 : 0)
    if (!is_audited) return
    const [entry] = own
    assert.deepEqual(entry.actor, { type: 'person', id: owner.id, name: owner.name })
    assert.deepEqual([entry.ip, entry.request_id, entry.count], ['127.0.0.1', request_id, 1])
    if (/:id/.test(operation.path)) assert.equal(entry.subject.id, resource.split('/')[0])
  })
}
