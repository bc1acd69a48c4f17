import assert from 'node:assert/strict'
import * as clock from '../../../server/kit/clock.ts'
import { newId } from '../../../server/kit/id.ts'
import * as setup from '../../../server/people/setup.ts'
import { begin, newAgent } from '../conversations.ts'
import type { Server } from '../harness.ts'
import { browser, inWorkspace, newPerson, newSessionToken, password } from '../sessions.ts'
import { codeFor, turnOnTwoFactor } from '../two-factor.ts'

export async function setUpFirstPerson(server: Server): Promise<void> {
  await server.workspace()
  const token = (await setup.createToken({ db: server.pool, now: clock.wall() })) ?? ''
  const { go } = browser(server)
  await go('GET', `/setup/${token}`)
  const { status, text } = await go('POST', `/setup/${token}`, { email: 'first@example.com', name: 'First', password })
  assert.equal(status, 200, text)
}

export async function visitDashboard(server: Server): Promise<void> {
  const workspace = await server.workspace()
  const headers = inWorkspace(workspace)
  const owner = await newPerson(server, { [workspace.id]: 'owner' })
  const member = await newPerson(server, { [workspace.id]: 'member' })
  const { go } = owner
  const invite = async (fields: object = {}) => {
    const { body } = await go('POST', '/invitations', { role: 'member', ...fields }, headers)
    return { id: body.data.id, token: body.data.link.split('/').at(-1) }
  }
  const { body: made } = await go('POST', `/members/${member.id}/password_link`, {}, headers)
  const link_path = `/password_links/${made.data.link.split('/').at(-1)}`
  const earlier = browser(server, await newSessionToken(server, owner.id, clock.wall() - clock.day_ms))
  const handed_over = await begin(workspace, await newAgent(workspace))
  await workspace.call('POST', `/conversations/${handed_over.id}/hand_over`)
  const visitor = { email: 'visitor@example.com', name: 'Visitor', password }
  for (const [who, method, path, body] of [
    [owner, 'GET', '/session'],
    [browser(server), 'GET', '/session'],
    [earlier, 'GET', '/session'],
    [browser(server), 'POST', '/session', { email: 'first@example.com', password }],
    [owner, 'GET', '/sessions'],
    [owner, 'DELETE', `/sessions/${newId()}`],
    [owner, 'PATCH', '/person', { name: 'Owner' }],
    [owner, 'POST', '/workspaces', { name: newId(), kind: 'test' }],
    [owner, 'GET', '/members'],
    [owner, 'PATCH', `/members/${member.id}`, { role: 'viewer' }],
    [owner, 'PATCH', `/api/v1/channels/${(await workspace.addChannel()).id}`, { name: 'Another' }],
    [owner, 'POST', `/api/v1/conversations/${handed_over.id}/answers`, { text: 'Hello.' }],
    [owner, 'GET', '/invitations'],
    [owner, 'GET', `/invitations/${(await invite()).token}`],
    [owner, 'DELETE', `/invitations/${(await invite()).id}`],
    [browser(server), 'POST', `/invitations/${(await invite()).token}`, visitor],
    [await newPerson(server), 'POST', `/invitations/${(await invite()).token}`, {}],
    [owner, 'GET', link_path],
    [browser(server), 'POST', link_path, { new_password: password }],
    [owner, 'DELETE', `/members/${member.id}`],
    [owner, 'GET', '/two_factor'],
    [owner, 'PUT', '/password', { current_password: password, new_password: `${password}!` }],
    [owner, 'DELETE', '/session'],
    [await newPerson(server), 'DELETE', '/sessions'],
  ] as const) {
    const { status, text } = await who.go(method, path, body, headers)
    assert.ok(status < 300 || path.startsWith('/sessions/'), `${method} ${path}: ${text}`)
  }
  const careful = await newPerson(server)
  const early = await careful.go('POST', '/two_factor/turn_on', { password, code: '000000' })
  assert.equal(early.status, 409, early.text)
  const { secret, recovery_codes } = await turnOnTwoFactor(careful)
  const credentials = { email: careful.email, password }
  for (const code of [codeFor(secret), recovery_codes[0]]) {
    const { status, text } = await browser(server).go('POST', '/session', { ...credentials, code })
    assert.equal(status, 200, text)
  }
  const off = await careful.go('POST', '/two_factor/turn_off', { password, code: recovery_codes[1] })
  assert.equal(off.status, 200, off.text)
}
