import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { serve } from '../support/harness.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool, at } = server

const defaults = {
  default_country: null,
  requires_two_factor: false,
  conversations_keep_days: null,
  calls_keep_days: null,
  recordings_keep_days: 90,
  tool_runs_keep_days: 90,
  tokens_per_day_max: 2_000_000,
  calls_in_flight_max: 100,
  time_zone: 'UTC',
  allowed_countries: null,
  mix: null,
  prices: {
    currency: 'USD',
    input_tokens_per_million: 0,
    output_tokens_per_million: 0,
    call_minute: 0,
    message_segment: 0,
    speech_minute: 0,
  },
  quiet_hours: { start: '08:00', end: '21:00' },
  allows_network: null,
}

test('the example of a change in the document works in each kind of workspace', async () => {
  const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'))
  const { example } = document.paths['/workspace'].patch.requestBody.content['application/json']
  for (const kind of ['live', 'test'] as const) {
    const { call, addTestClock } = await workspace()
    if (kind === 'test') await addTestClock()
    const { status, text } = await call('PATCH', '/workspace', { ...example, name: `Example ${kind}` })
    assert.equal(status, 200, text)
  }
})

test('a new workspace has the default settings', async () => {
  const { id, call } = await workspace()
  const { status, body } = await call('GET', '/workspace')
  assert.equal(status, 200)
  const { name, created_at, updated_at, ...rest } = body.data
  assert.deepEqual(rest, { id, kind: 'live', settings: defaults })
  assert.match(name, /^test /)
  assert.equal(updated_at, created_at)
  assert.deepEqual(await workspaces.readSettings(at(id)), defaults)
})

test('a test workspace says so', async () => {
  const { call, addTestClock } = await workspace()
  await addTestClock()
  assert.equal((await call('GET', '/workspace')).body.data.kind, 'test')
})

test('settings that are left out keep their values', async () => {
  const { id, call } = await workspace()
  const first = await call('PATCH', '/workspace', { settings: { conversations_keep_days: 30 } })
  assert.deepEqual(first.body.data.settings, { ...defaults, conversations_keep_days: 30 })
  const second = await call('PATCH', '/workspace', { settings: { tool_runs_keep_days: null, tokens_per_day_max: 0 } })
  const changed = { ...defaults, conversations_keep_days: 30, tool_runs_keep_days: null, tokens_per_day_max: 0 }
  assert.deepEqual(second.body.data.settings, changed)
  const { body } = await call('GET', '/workspace')
  assert.deepEqual(body, second.body)
  assert.deepEqual(await workspaces.readSettings(at(id)), changed)
})

test('the time zone is an IANA name', async () => {
  const { call } = await workspace()
  const set = (time_zone: unknown) => call('PATCH', '/workspace', { settings: { time_zone } })
  assert.equal((await set('Pacific/Auckland')).body.data.settings.time_zone, 'Pacific/Auckland')
  for (const time_zone of ['Berlin', 'europe/berlin', '+01:00', '', null]) {
    const { status, body } = await set(time_zone)
    assert.equal(status, 400)
    assert.equal(body.error.details.fields[0].path, 'settings.time_zone')
  }
})

test('only what was set is stored, so that a later default applies to the rest', async () => {
  const { id, call } = await workspace()
  await call('PATCH', '/workspace', { settings: { tool_runs_keep_days: 7 } })
  const { settings } = await pool.one<{ settings: object }>(sql`select settings from workspaces where id = ${id}`)
  assert.deepEqual(settings, { tool_runs_keep_days: 7 })
})

test('a change leaves the settings of a newer version alone, and they are not shown', async () => {
  const { id, call } = await workspace()
  await pool.run(sql`update workspaces set settings = '{"later": 1}' where id = ${id}`)
  const { body } = await call('PATCH', '/workspace', { settings: { tool_runs_keep_days: 7 } })
  assert.deepEqual(body.data.settings, { ...defaults, tool_runs_keep_days: 7 })
  const { settings } = await pool.one<{ settings: object }>(sql`select settings from workspaces where id = ${id}`)
  assert.deepEqual(settings, { later: 1, tool_runs_keep_days: 7 })
})

test('an empty change changes nothing, and every other one increases updated_at', async () => {
  const { call } = await workspace()
  const before = (await call('GET', '/workspace')).body
  assert.deepEqual((await call('PATCH', '/workspace', {})).body, before)
  const sent_back = await call('PATCH', '/workspace', before.data)
  assert.deepEqual(sent_back.body.data, { ...before.data, updated_at: sent_back.body.data.updated_at })
  const again = await call('PATCH', '/workspace', before.data)
  assert.ok(before.data.updated_at < sent_back.body.data.updated_at)
  assert.ok(sent_back.body.data.updated_at < again.body.data.updated_at)
})

test('settings at their limits are accepted', async () => {
  const { call } = await workspace()
  const highest = { input_tokens_per_million: 1_000_000_000, output_tokens_per_million: 1_000_000_000 }
  for (const settings of [
    {
      conversations_keep_days: 1,
      calls_keep_days: 1,
      recordings_keep_days: 1,
      tool_runs_keep_days: 3_650,
      tokens_per_day_max: 1_000_000_000,
      calls_in_flight_max: 10_000,
      allowed_countries: ['US', 'DE'],
      prices: {
        currency: 'EUR',
        ...highest,
        call_minute: 1_000_000_000,
        message_segment: 1_000_000_000,
        speech_minute: 1_000_000_000,
      },
      quiet_hours: { start: '00:00', end: '24:00' },
      time_zone: 'Pacific/Kiritimati',
      default_country: 'DE',
    },
    {
      conversations_keep_days: 3_650,
      calls_keep_days: 3_650,
      recordings_keep_days: null,
      tool_runs_keep_days: 1,
      tokens_per_day_max: 0,
      calls_in_flight_max: 1,
      allowed_countries: [],
      prices: defaults.prices,
      quiet_hours: { start: '12:00', end: '12:01' },
      time_zone: 'UTC',
      default_country: null,
    },
  ])
    assert.deepEqual((await call('PATCH', '/workspace', { settings })).body.data.settings, {
      ...settings,
      requires_two_factor: false,
      allows_network: null,
      mix: null,
    })
})

test('settings beyond their limits, of another type or unknown are refused, each at its path', async () => {
  const { call } = await workspace()
  const refused = [
    ['conversations_keep_days', [0, 3_651, 1.5, '30', true]],
    ['tool_runs_keep_days', [0, 3_651, 1.5, '30', true]],
    ['tokens_per_day_max', [-1, 1_000_000_001, 1.5, null, '0']],
    ['calls_in_flight_max', [0, 10_001, null]],
    ['prices', [null, 1]],
    ['quiet_hours', [null, '08:00', { start: '21:00' }, { start: '21:00', end: '08:00' }]],
    ['allows_network', [true, false, 1]],
    ['allowed_countries', ['US', 1, {}]],
    ['default_country', ['us', 'XX', 1]],
    ['keep_days', [1]],
  ] as const
  for (const [name, values] of refused)
    for (const value of values) {
      const { status, body } = await call('PATCH', '/workspace', { settings: { [name]: value } })
      assert.equal(status, 400, `${name} ${value}`)
      assert.equal(body.error.details.fields[0].path, `settings.${name}`)
    }
  for (const settings of [null, [], 'none']) {
    const { status, body } = await call('PATCH', '/workspace', { settings })
    assert.deepEqual([status, body.error.details.fields[0].path], [400, 'settings'])
  }
  assert.deepEqual((await call('GET', '/workspace')).body.data.settings, defaults)
})

test('a workspace is renamed, but not to a name in use', async () => {
  const [first, second] = [await workspace(), await workspace()]
  const name = `Renamed ${first.id}`
  assert.equal((await first.call('PATCH', '/workspace', { name: ` ${name} ` })).body.data.name, name)
  const clash = await second.call('PATCH', '/workspace', { name, settings: { tool_runs_keep_days: 7 } })
  assert.deepEqual([clash.status, clash.body.error.code], [409, 'CONFLICT'])
  assert.partialDeepStrictEqual(clash.body.error.details, { field: 'name', existing_id: null })
  assert.deepEqual((await second.call('GET', '/workspace')).body.data.settings, defaults)
  assert.equal((await first.call('PATCH', '/workspace', { name })).status, 200, 'its own name is not in use by another')
  for (const wrong of ['', ' ', 'x'.repeat(201), null, 1]) {
    const { status, body } = await first.call('PATCH', '/workspace', { name: wrong })
    assert.deepEqual([status, body.error.details.fields[0].path], [400, 'name'])
  }
})

test('of two workspaces that take the same name at once, one gets it', async () => {
  const tenants = await Promise.all([workspace(), workspace()])
  const name = `Wanted ${tenants[0].id}`
  const answers = await Promise.all(tenants.map(({ call }) => call('PATCH', '/workspace', { name })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
})

test('changes of different settings at once are all kept', async () => {
  const { call } = await workspace()
  const wanted = {
    conversations_keep_days: 30,
    tool_runs_keep_days: 7,
    tokens_per_day_max: 1,
    allowed_countries: ['US'],
  }
  const changes = Object.entries(wanted).map(([name, value]) => ({ settings: { [name]: value } }))
  const answers = await Promise.all(changes.map((change) => call('PATCH', '/workspace', change)))
  assert.deepEqual((await call('GET', '/workspace')).body.data.settings, { ...defaults, ...wanted })
  assert.equal(new Set(answers.map(({ body }) => body.data.updated_at)).size, changes.length)
})

test('a change with an If-Match that is no longer current is refused', async () => {
  const { call } = await workspace()
  const etag = String((await call('GET', '/workspace')).headers.get('etag'))
  const change = (tool_runs_keep_days: number) =>
    call('PATCH', '/workspace', { settings: { tool_runs_keep_days } }, { 'if-match': etag })
  assert.equal((await change(7)).status, 200)
  const stale = await change(8)
  assert.deepEqual([stale.status, stale.body.error.code], [412, 'PRECONDITION_FAILED'])
  assert.equal((await call('GET', '/workspace')).body.data.settings.tool_runs_keep_days, 7)
})

test('prices that are left out keep their values', async () => {
  const { id, call } = await workspace()
  const change = (prices: object) => call('PATCH', '/workspace', { settings: { prices } })
  await change({ call_minute: 20_000 })
  const { body } = await change({ currency: 'EUR' })
  assert.deepEqual(body.data.settings.prices, { ...defaults.prices, call_minute: 20_000, currency: 'EUR' })
  for (const [name, value] of [
    ['call_minute', -1],
    ['call_minute', 1.5],
    ['currency', 'euro'],
    ['per_call', 1],
  ] as const) {
    const refused = await change({ [name]: value })
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].path], [400, `settings.prices.${name}`])
  }
  const { settings } = await pool.one<{ settings: object }>(sql`select settings from workspaces where id = ${id}`)
  assert.deepEqual(settings, { prices: { call_minute: 20_000, currency: 'EUR' } })
})

test('quiet hours that are left out keep their values, and begin before they end', async () => {
  const { id, call } = await workspace()
  const change = (quiet_hours: object) => call('PATCH', '/workspace', { settings: { quiet_hours } })
  await change({ start: '22:00', end: '24:00' })
  const { body } = await change({ start: '23:59' })
  assert.deepEqual(body.data.settings.quiet_hours, { start: '23:59', end: '24:00' })
  for (const [name, value] of [
    ['start', '24:00'],
    ['start', '8:00'],
    ['start', null],
    ['end', '24:01'],
    ['end', '21:60'],
    ['zone', 'UTC'],
  ] as const) {
    const refused = await change({ [name]: value })
    assert.deepEqual([refused.status, refused.body.error.details.fields[0].path], [400, `settings.quiet_hours.${name}`])
  }
  const reversed = await change({ end: '23:59' })
  assert.deepEqual([reversed.status, reversed.body.error.details.fields[0].path], [400, 'settings.quiet_hours'])
  const { settings } = await pool.one<{ settings: object }>(sql`select settings from workspaces where id = ${id}`)
  assert.deepEqual(settings, { quiet_hours: { start: '23:59', end: '24:00' } })
})

test('only a test workspace can allow the network', async () => {
  const { call, addTestClock } = await workspace()
  await addTestClock()
  assert.equal((await call('GET', '/workspace')).body.data.settings.allows_network, false)
  const change = (allows_network: unknown) => call('PATCH', '/workspace', { settings: { allows_network } })
  assert.equal((await change(true)).body.data.settings.allows_network, true)
  assert.equal((await change(null)).status, 400)
})

test('a change reaches no other workspace', async () => {
  const [own, other] = [await workspace(), await workspace()]
  const before = (await other.call('GET', '/workspace')).body
  await own.call('PATCH', '/workspace', { id: other.id, workspace_id: other.id, settings: { tokens_per_day_max: 0 } })
  assert.deepEqual((await other.call('GET', '/workspace')).body, before)
  assert.equal((await own.call('GET', '/workspace')).body.data.settings.tokens_per_day_max, 0)
})

test('a key needs the scopes, and keys without a list of scopes have them', async () => {
  const { call, newKey } = await workspace()
  const withKey = (key: string) => ({ authorization: `Bearer ${key}` })
  const limited = withKey(await newKey({ scopes: ['workspace:read'] }))
  assert.equal((await call('GET', '/workspace', undefined, limited)).status, 200)
  assert.equal((await call('PATCH', '/workspace', {}, limited)).status, 403)
  const open = withKey(await newKey({ scopes: null }))
  assert.equal((await call('PATCH', '/workspace', {}, open)).status, 200)
})

test('an owner changes the workspace in the dashboard, and sees its new name in the session', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const name = `Acme ${tenant.id}`
  const changed = await owner.go('PATCH', '/api/v1/workspace', { name }, inWorkspace(tenant))
  assert.equal(changed.body.data.name, name)
  assert.equal((await owner.go('GET', '/session')).body.data.workspaces[0].name, name)
})
