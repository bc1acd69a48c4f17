import assert from 'node:assert/strict'
import { test } from 'node:test'
import { action_names } from '../../dashboard/src/audit/actions.ts'
import { chat_operations, voice_operations } from '../../server/api.ts'
import { isAudited } from '../../server/audit/audited.ts'
import { isWrite, type Operation } from '../../server/kit/http/operation.ts'
import { owner_operations, person_operations, scoped_operations } from '../support/scoped.ts'

/** Each write leaves an entry in the audit log, or is named here. */

/** They are recorded in the transactions of `people/`: test/audit/people.test.ts. */
const recorded_by_people = [
  'invitations.accept',
  'invitations.create',
  'invitations.delete',
  'members.delete',
  'members.update',
  'password.update',
  'password_links.create',
  'password_links.use',
  'session.create',
  'setup.complete',
  'two_factor.turn_off',
  'two_factor.turn_on',
  'workspaces.create',
]

const not_audited: Record<string, string[]> = {
  'there are too many': [
    'calls.cancel',
    'calls.create',
    'calls.create_web',
    'calls.hang_up',
    'calls.update',
    'consents.create',
    'contacts.create',
    'contacts.delete_crm_id',
    'contacts.set_crm_id',
    'contacts.update',
    'contacts.upsert',
    'conversations.answer',
    'conversations.close',
    'conversations.create',
    'conversations.hand_over',
    'conversations.link',
    'conversations.say',
    'conversations.take_back',
    'enrollments.create',
    'enrollments.retry',
    'enrollments.skip',
    'suppressions.create',
    'test_runs.cancel',
    'test_runs.create',
    'web_chat.begin',
    'web_chat.call',
    'web_chat.leave_phone_number',
    'web_chat.say',
    'web_voice.call',
    'webhooks.resend_delivery',
  ],
  'nothing runs yet': ['campaigns.clone', 'campaigns.create', 'campaigns.update', 'two_factor.set_up'],
  'it changes nothing': [
    'campaigns.forecast',
    'channels.test',
    'consents.verify',
    'integrations.dry_run',
    'providers.test',
    'tools.test',
    'webhooks.test',
  ],
  'it is about the person alone': ['person.update', 'session.delete', 'sessions.delete', 'sessions.delete_all'],
  'it is about the installation': ['speech.install'],
  'it is about time': ['test_clock.advance'],
}

const session_operations = [...scoped_operations, ...owner_operations]
const all: Operation[] = [...session_operations, ...person_operations, ...chat_operations, ...voice_operations]

const idsOf = (operations: Operation[]) => operations.map(({ id }) => id)
const audited = idsOf(session_operations.filter((operation) => isWrite(operation) && isAudited({ operation })))

test('each write is audited, or in the list of those that are not', () => {
  const writes = idsOf(all.filter(isWrite))
  assert.deepEqual(idsOf([...chat_operations, ...voice_operations].filter((operation) => isAudited({ operation }))), [])
  const known = [...audited, ...recorded_by_people, ...Object.values(not_audited).flat()]
  assert.deepEqual([...new Set(writes)].sort(), known.sort())
})

/** Recorded beside an operation of another name. */
const recorded_apart = ['agents.force', 'members.create', 'session.create_failed', 'two_factor.reset']

test('the dashboard has words for each action of the audit log', () => {
  const files = idsOf(all.filter(({ kind }) => kind === 'file'))
  const actions = [...audited, ...files, ...recorded_by_people, ...recorded_apart]
  assert.ok(files.length > 3)
  assert.deepEqual(
    actions.filter((action) => !action_names[action]),
    [],
  )
})

test('no operation that sends requests to other servers is audited: its answer is stored in another transaction', () => {
  const remote = all.filter((operation) => operation.kind === 'write' && operation.is_remote)
  assert.deepEqual(
    idsOf(remote).filter((id) => audited.includes(id)),
    [],
  )
  assert.ok(remote.length > 3)
})
