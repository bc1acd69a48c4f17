import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportEverything } from '../../server/erasures/everything.ts'
import { rowsFrom, sql } from '../../server/kit/postgres/sql.ts'
import { begin, create, newAgent } from '../support/conversations.ts'
import { everythingOf, linesOf, unzip } from '../support/everything.ts'
import { temporaryFolder } from '../support/folders.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { number, other_spelling } from '../support/persons.ts'
import { untilRendered } from '../support/recorded-calls.ts'
import { newContact } from '../support/samples.ts'

const server = await serve({ data_dir: temporaryFolder() })
const { workspace, pool, at } = server

const ask = (tenant: Tenant, id: string, method = 'GET', headers: Record<string, string> = {}) =>
  tenant.call(method, `/contacts/${id}/everything`, undefined, headers)

const entriesOf = async (tenant: Tenant) => {
  const { body } = await tenant.call('GET', '/audit_log?action=contacts.get_everything')
  return body.data.map(({ subject }: { subject: object }) => subject)
}

test('the export has the contact, what was said, calls and their recordings, and nothing of another contact', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id } = await create(tenant, '/contacts', {
    phone_number: number,
    first_name: 'Zephyrine',
    tags: ['vip'],
    custom_fields: { plan: 'gold' },
    crm_ids: { hubspot: 'h-1' },
  })
  const ada = await create(tenant, '/contacts', newContact())
  await begin(tenant, agent_id, { contact_id: ada.id, message: 'I am Ada.' })
  const talk = await begin(tenant, agent_id, { contact_id: id, message: 'A marzipan locomotive.' })
  const call = await tenant.addCall({ agent_id, contact_id: id, to: number, is_over: true, said: ['Hello.'] })
  const unlinked = await tenant.addCall({ agent_id, contact_id: null, to: other_spelling, is_over: true })
  const recording = await untilRendered(() => tenant.call('GET', `/calls/${call.id}/recording`))
  await tenant.call('POST', `/contacts/${id}/consents`, { kind: 'sms', status: 'granted' })
  await create(tenant, '/suppressions', { phone_number: other_spelling, kind: 'voice' })
  const files = await everythingOf(server, tenant, id)
  const read = (name: string) => linesOf(files.get(`${name}.jsonl`))

  assert.deepEqual(read('contacts'), [(await tenant.call('GET', `/contacts/${id}`)).body.data])
  assert.deepEqual(
    new Set(read('conversations').map(({ id }) => id)),
    new Set([talk.id, call.conversation_id, unlinked.conversation_id]),
  )
  assert.ok(
    read('turns').some(({ text, conversation_id }) => text === 'A marzipan locomotive.' && conversation_id === talk.id),
  )
  assert.deepEqual(
    read('calls').map(({ id, to }) => [id, to]),
    [
      [call.id, number],
      [unlinked.id, other_spelling],
    ],
  )
  assert.equal(recording.status, 200)
  const wav = files.get(`recordings/${call.id}.wav`)
  assert.equal(wav?.toString('latin1', 0, 4), 'RIFF')
  assert.equal(wav?.length, wav ? wav.readUInt32LE(4) + 8 : 0)
  assert.deepEqual(
    read('consents').map(({ kind, status }) => [kind, status]),
    [['sms', 'granted']],
  )
  assert.deepEqual(
    read('suppressions').map(({ phone_number }) => phone_number),
    [other_spelling],
  )
  assert.ok(read('events').some(({ type, resource_id }) => type === 'contact.created' && resource_id === id))
  for (const [name, bytes] of files) assert.ok(!bytes.includes(ada.id) && !bytes.includes('I am Ada'), name)
  // The file says what is in it.
  for (const name of files.keys())
    if (name.endsWith('.jsonl')) assert.match(files.get('README.txt')?.toString() ?? '', new RegExp(`^${name}: `, 'm'))
})

test('thousands of turns and hundreds of conversations are exported, once each and in order', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id } = await create(tenant, '/contacts', newContact())
  const talk = await begin(tenant, agent_id, { contact_id: id })
  const count = 3_000
  const turns = Array.from({ length: count }, (_, index) => ({ seq: 1_000 + index, text: `Turn ${index}` }))
  await pool.run(
    sql`insert into conversation_turns (workspace_id, conversation_id, seq, role, text, created_at)
      select ${tenant.id}, ${talk.id}, seq, 'contact', text, '2026-11-19T10:00:00Z'
      from ${rowsFrom(turns, 'seq integer, text text')}`,
  )
  for (let more = 0; more < 120; more += 1) await begin(tenant, agent_id, { contact_id: id })
  const files = await everythingOf(server, tenant, id)
  const said = linesOf(files.get('turns.jsonl')).filter(({ seq }) => Number(seq) >= 1_000)
  assert.deepEqual(
    said.map(({ text }) => text),
    turns.map(({ text }) => text),
  )
  const ids = linesOf(files.get('conversations.jsonl')).map(({ id }) => id)
  assert.deepEqual([ids.length, new Set(ids).size], [121, 121])
})

test('the contact of another workspace, and none, is not found, and leaves no entry', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const { id } = await create(other, '/contacts', newContact())
  for (const wanted of [id, 'nobody']) assert.equal((await ask(tenant, wanted)).status, 404)
  assert.deepEqual([await entriesOf(tenant), await entriesOf(other)], [[], []])
})

test('a key exports a person only if it lists the scope', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  for (const [scopes, status] of [
    [null, 403],
    [['contacts:read', 'contacts:write', 'recordings:read'], 403],
    [['contacts:erase'], 200],
  ] as const) {
    const key = await tenant.newKey({ scopes: scopes && [...scopes] })
    const answer = await ask(tenant, id, 'GET', { authorization: `Bearer ${key}` })
    assert.equal(answer.status, status, String(scopes))
  }
})

test('an export is in the audit log, and a question for its headers is not', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant, '/contacts', newContact())
  const { status, headers } = await ask(tenant, id, 'HEAD')
  assert.deepEqual(
    [status, headers.get('content-type'), headers.get('content-disposition')],
    [200, 'application/zip', 'attachment; filename="everything.zip"'],
  )
  assert.deepEqual(await entriesOf(tenant), [])
  await ask(tenant, id)
  assert.deepEqual(await entriesOf(tenant), [{ type: 'contact', id, name: phone_number }])
})

test('a client that goes away ends the export, and the recording that was read is closed', async () => {
  const tenant = await workspace()
  const agent_id = await newAgent(tenant)
  const { id } = await create(tenant, '/contacts', newContact())
  const call = await tenant.addCall({ agent_id, contact_id: id, to: number, is_over: true, said: ['Hello.'] })
  await untilRendered(() => tenant.call('GET', `/calls/${call.id}/recording`))
  const here = at(tenant.id)
  let opened = 0
  const closed: Promise<unknown>[] = []
  const open: typeof here.tools.blobs.open = async (...wanted) => {
    const blob = await here.tools.blobs.open(...wanted)
    opened += 1
    if (blob) closed.push(new Promise((resolve) => blob.stream.once('close', resolve)))
    return blob
  }
  const watched = { ...here, tools: { ...here.tools, blobs: { ...here.tools.blobs, open } } }
  for await (const _ of exportEverything(watched, id)) if (opened > 0) break
  await Promise.all(closed)
  assert.equal(closed.length, 1)
})

test('clients that go away leave their slots to others', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  for (let times = 0; times < 12; times += 1) {
    const client = new AbortController()
    const answer = await fetch(`${server.url}/api/v1/contacts/${id}/everything`, {
      headers: { authorization: `Bearer ${tenant.key}` },
      signal: client.signal,
    })
    assert.equal(answer.status, 200)
    await answer.body?.getReader().read()
    client.abort()
  }
  assert.ok((await everythingOf(server, tenant, id)).size > 10)
})

test('what is written is one archive, piece by piece', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, '/contacts', newContact())
  const pieces: Buffer[] = []
  for await (const piece of exportEverything(at(tenant.id), id)) pieces.push(piece)
  assert.ok(pieces.length > 20)
  assert.ok(unzip(Buffer.concat(pieces)).has('contacts.jsonl'))
})
