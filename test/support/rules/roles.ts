import assert from 'node:assert/strict'
import { test } from 'node:test'
import { may, type Role, roles } from '../../../server/people/roles.ts'
import type { Answer } from '../harness.ts'
import { sampleBody, successStatus } from '../operations.ts'
import type { Scoped } from '../scoped.ts'
import { inWorkspace, type TestPerson } from '../sessions.ts'
import type { World, Worlds } from '../worlds.ts'
import { sessionPath } from './sessions.ts'

/** Which roles may do what, independent of the code. An operation that is missing here fails the first test. */
export const allowed: Record<string, Role[]> = {
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
      'agents.get_version',
      'agents.compare_versions',
      'agents.list_deployments',
      'agent_tests.list',
      'agent_tests.get',
      'agent_tests.get_gate',
      'test_runs.list',
      'test_runs.get',
      'test_runs.list_results',
      'conversations.list',
      'conversations.get',
      'conversations.list_turns',
      'conversations.stream',
      'calls.list',
      'calls.get',
      'calls.list_events',
      'calls.live',
      'calls.get_transcript',
      'campaigns.list',
      'campaigns.get',
      'campaigns.get_progress',
      'enrollments.list',
      'enrollments.list_of_contact',
      'enrollments.get',
      'enrollments.explain',
      'providers.list',
      'providers.get',
      'tools.list',
      'tools.get',
      'documents.list',
      'documents.get',
      'documents.search',
      'documents.list_unanswered',
      'channels.list',
      'channels.get',
      'events.list',
      'events.get',
      'events.stream',
      'overview.get',
      'analytics.calls',
      'analytics.conversations',
      'analytics.campaigns',
      'test_clock.get',
      'session.get',
      'session.create',
      'session.delete',
      'sessions.list',
      'sessions.delete',
      'sessions.delete_all',
      'setup.get',
      'setup.complete',
      'person.update',
      'password.update',
      'two_factor.get',
      'two_factor.set_up',
      'two_factor.turn_on',
      'two_factor.turn_off',
      'workspaces.create',
      'invitations.get',
      'invitations.accept',
      'password_links.get',
      'password_links.use',
      // Everyone can leave the workspace. Only owners remove others.
      'members.delete',
      'speech.get',
      // Only owners of the first workspace may do the next two: see test/people/speech.test.ts and
      // installation.test.ts.
      'speech.install',
      'installation.get',
    ],
  ),
  ...each(
    ['owner', 'member'],
    [
      'calls.get_recording',
      'contacts.export',
      'documents.create',
      'documents.update',
      'documents.refresh',
      'documents.delete',
      'contacts.create',
      'contacts.update',
      'contacts.upsert',
      'contacts.batch',
      'contacts.delete',
      'contacts.set_crm_id',
      'contacts.delete_crm_id',
      'imports.create',
      'imports.download_rows',
      'imports.cancel',
      'imports.run',
      'imports.undo',
      'agents.create',
      'agents.update',
      'agents.delete',
      'agents.publish',
      'agents.deploy',
      'agents.rollback',
      'agent_tests.create',
      'agent_tests.update',
      'agent_tests.delete',
      'conversations.make_test',
      'test_runs.create',
      'test_runs.cancel',
      'conversations.create',
      'conversations.say',
      'conversations.hand_over',
      'conversations.answer',
      'conversations.take_back',
      'conversations.close',
      'conversations.link',
      'calls.create',
      'calls.create_web',
      'calls.update',
      'calls.cancel',
      'calls.hang_up',
      'campaigns.create',
      'campaigns.update',
      'campaigns.delete',
      'campaigns.start',
      'campaigns.pause',
      'campaigns.resume',
      'campaigns.cancel',
      'campaigns.clone',
      'campaigns.forecast',
      'campaigns.get_report',
      'enrollments.create',
      'enrollments.delete',
      'enrollments.retry',
      'enrollments.skip',
      'test_clock.advance',
      'consents.list_of_contact',
      'consents.create',
      'consents.list',
      'consents.export',
      'consents.verify',
      'suppressions.create',
      'suppressions.list',
      'suppressions.get',
    ],
  ),
  ...each(
    ['owner'],
    [
      'contacts.erase',
      'contacts.get_everything',
      'erasures.get',
      'conversations.redact',
      'calls.redact',
      'calls.delete_recording',
      'suppressions.delete',
      'webhooks.list',
      'webhooks.create',
      'webhooks.get',
      'webhooks.update',
      'webhooks.delete',
      'webhooks.rotate_secret',
      'webhooks.test',
      'webhooks.recover',
      'webhooks.get_recovery',
      'webhooks.list_inbox',
      'webhooks.list_deliveries',
      'webhooks.count_deliveries',
      'webhooks.get_delivery',
      'webhooks.resend_delivery',
      'providers.create',
      'providers.update',
      'providers.delete',
      'providers.test',
      'tools.create',
      'tools.list_mcp_tools',
      'tools.update',
      'tools.delete',
      'tools.rotate_secret',
      'tools.test',
      'channels.create',
      'channels.get_settings',
      'channels.update',
      'channels.test',
      'channels.delete',
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
      'audit_log.list',
      'workspace.get',
      'workspace.update',
      'members.list',
      'members.update',
      'invitations.list',
      'invitations.create',
      'invitations.delete',
      'password_links.create',
    ],
  ),
}

function each(roles: Role[], ids: string[]): Record<string, Role[]> {
  return Object.fromEntries(ids.map((id) => [id, roles]))
}

/** The lowest role first. */
const rising = roles.toReversed()

export function refuseOtherRoles({ operation, first, persons }: Worlds<Scoped>): void {
  for (const role of rising) {
    if (allowed[operation.id]?.includes(role)) continue

    test(`${operation.id} returns 403 to a person with the role ${role}`, async () => {
      assert.ok(!may(role, operation))
      const { status, body, text } = await request(operation, persons[role], await first())
      assert.equal(status, 403, text)
      assertNamesRole(body.error, allowed[operation.id])
    })
  }
}

/** `onSuccess` gets the answer to an owner. */
export function acceptRoles(
  { operation, next, persons }: Worlds<Scoped>,
  onSuccess: (world: World, answer: Answer) => void,
): void {
  for (const role of rising) {
    if (!allowed[operation.id]?.includes(role)) continue

    test(`${operation.id} succeeds for a person with the role ${role}`, async () => {
      assert.ok(may(role, operation))
      const world = await next()
      const answer = await request(operation, persons[role], world)
      assert.equal(answer.status, successStatus(operation), answer.text)
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      if (answer.status === 201) assert.match(answer.headers.get('location') ?? '', /^\/app\/api\/v1\/[^:]+$/)
      if (role === 'owner') onSuccess(world, answer)
    })
  }
}

async function request(operation: Scoped, person: TestPerson, { tenant, address }: World): Promise<Answer> {
  const { method } = operation
  const answer = await person.go(method, sessionPath(address), sampleBody(operation), inWorkspace(tenant))
  if (method === 'GET') {
    const head = await person.go('HEAD', sessionPath(address), undefined, inWorkspace(tenant))
    assert.equal(head.status, answer.status, 'HEAD has the status of GET')
  }
  return answer
}

export function assertNamesRole({ code, message, details }: Record<string, unknown>, allowed_roles: Role[] = []): void {
  const lowest = allowed_roles.at(-1)
  assert.equal(code, 'FORBIDDEN')
  assert.equal(message, lowest === 'owner' ? 'Only owners may do this.' : 'Only members and owners may do this.')
  assert.equal(Object(details).required_role, lowest)
}
