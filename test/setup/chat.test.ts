import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, test } from 'node:test'
import * as api_keys from '../../server/api-keys/store.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { newTenant } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { command, parley, serveInProcess } from '../support/process.ts'

// The service stops first: the hook of `createDatabase` runs after this one.
const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const { url, pool } = await createDatabase('chat')

/** Holds back the words of the model after the first. */
let release = () => {}
let held: Promise<void> | undefined
const model = await openaiServer({
  words: ['Hi\u001b[31m', ' there\u0007\u009b2J.'],
  beforeWord: (index) => (index > 0 ? held : undefined),
})
const DATABASE_URL = url
const address = await serveInProcess(stack, {
  DATABASE_URL,
  SECRETS_KEY: 'a'.repeat(32),
  OPENAI_BASE_URL: model.base_url,
  OPENAI_MODEL: 'small',
})
const { port: PORT } = new URL(address)

const chat = (words: string[], input = '') => command(['chat', ...words], { DATABASE_URL, PORT }, input)

const greeting = 'Hello! I can tell you our opening hours or arrange a callback. How can I help?'
const hours = 'We are open Monday to Friday, from nine to six. Is there anything else?'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
type Call = (method: string, path: string, body?: object) => Promise<any>

/** Creates a workspace with agents. */
async function newWorkspace(...agents: object[]): Promise<{ name: string; call: Call; ids: string[] }> {
  const { workspace, key } = await newTenant(pool)
  const call: Call = async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    return JSON.parse(await (await fetch(`${address}/api/v1${path}`, init)).text()).data
  }
  const ids: string[] = []
  for (const agent of agents) ids.push((await call('POST', '/agents', agent)).id)
  const { name = '' } = (await workspaces.list({ db: pool })).find(({ id }) => id === workspace) ?? {}
  return { name, call, ids }
}

const commandKeys = async () => (await api_keys.listAll({ db: pool })).filter(({ name }) => name === 'parley chat')

test('a piped message is answered, and the conversation is closed', async () => {
  const { code, stdout, stderr } = await chat(['receptionist'], 'When are you open?\n').ended
  assert.equal(code, 0, stderr)
  assert.equal(stdout, `Receptionist: ${greeting}\nReceptionist: ${hours}\n(the conversation has ended)\n`)
  assert.deepEqual(await commandKeys(), [], 'its key is deleted')
})

test('lines are sent one after the other, until the agent ends the conversation', async () => {
  const lines = 'Can you call me back?\n\nAda Lovelace\ntomorrow\nyes\nno\nnobody reads this\n'
  const { code, stdout, stderr } = await chat(['Receptionist'], lines).ended
  assert.equal(code, 0, stderr)
  const said = stdout.trim().split('\n')
  assert.equal(said.length, 7, stdout)
  assert.equal(said[2], 'Receptionist: Thank you, Ada Lovelace. On which day shall we call you?')
  assert.equal(said[6], '(the conversation has ended)')
})

test('a hand-over is shown, and /end ends the conversation', async () => {
  const { code, stdout } = await chat(['Receptionist'], 'A person, please.\n/end\nnot sent\n').ended
  assert.equal(code, 0)
  assert.match(stdout, /Of course[^\n]+\n\(handed over to a person\)\n\(the conversation has ended\)\n$/)
})

test('with --json each event is a line', async () => {
  const { code, stdout, stderr } = await chat(['Receptionist', '--json'], 'When are you open?\n').ended
  assert.equal(code, 0, stderr)
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    events.map(({ event, turn, conversation }) => [event, turn?.role ?? conversation.status, turn?.text]),
    [
      ['conversation.started', 'open', undefined],
      ['turn.finished', 'agent', greeting],
      ['turn.finished', 'contact', 'When are you open?'],
      ['turn.finished', 'agent', hours],
      ['conversation.updated', 'closed', undefined],
    ],
  )
})

test('words of a model are shown as they come, without what a terminal would obey', async () => {
  const { name } = await newWorkspace({ name: 'Model' })
  held = new Promise((resolve) => {
    release = resolve
  })
  const running = chat(['Model', '--workspace', name], 'Hello\n')
  await running.says(/^Model: Hi/)
  assert.doesNotMatch(running.stdout(), /there/)
  release()
  const { code, stdout, stderr } = await running.ended
  assert.equal(code, 0, stderr)
  assert.equal(stdout, 'Model: Hi[31m there2J.\n(the conversation has ended)\n')
})

test('Ctrl-C closes the conversation and revokes the key', async () => {
  const { name, call } = await newWorkspace({ name: 'Model' })
  held = new Promise((resolve) => {
    release = resolve
  })
  const running = parley(['chat', 'Model', '--workspace', name], { DATABASE_URL, PORT }, 'Hello\n')
  await running.says(/Hi/)
  running.child.kill('SIGINT')
  const { code, stdout } = await running.ended
  release()
  assert.equal(code, 130)
  assert.match(stdout, /\n\(the conversation has ended\)\n$/)
  assert.deepEqual(await commandKeys(), [])
  const [conversation] = await call('GET', '/conversations')
  assert.deepEqual([conversation.status, conversation.close_reason], ['closed', 'api'])
})

test('--draft talks to the draft', async () => {
  const { name, call, ids } = await newWorkspace({ name: 'Greeter', greeting: 'Deployed' })
  await call('PATCH', `/agents/${ids[0]}`, { greeting: 'Draft' })
  const [deployed, draft] = await Promise.all(
    [[], ['--draft']].map((words) => chat([ids[0] ?? '', '--workspace', name, ...words]).ended),
  )
  assert.match(deployed?.stdout ?? '', /^Greeter: Deployed\n/)
  assert.match(draft?.stdout ?? '', /^Greeter: Draft\n/)
})

test('line separators of Unicode in what is said do not end the chat', async () => {
  const { name } = await newWorkspace({ name: 'Greeter', greeting: 'One\u2028two\u2029three' })
  const { code, stdout, stderr } = await chat(['Greeter', '--workspace', name]).ended
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^Greeter: One\s*two\s*three\n/)
})

test('a message that is too long is refused, and the chat goes on', async () => {
  const { code, stdout, stderr } = await chat(['Receptionist'], `${'a'.repeat(4001)}\nWhen are you open?\n`).ended
  assert.equal(code, 1)
  assert.match(stderr, /^parley: text must have at most 4000 characters\.$/m)
  assert.ok(stdout.includes(hours))
})

test('an agent that is unknown, or a name that several agents have, is an error', async () => {
  const { name, ids } = await newWorkspace({ name: 'Twin' }, { name: 'twin' }, { name: 'Twin' })
  const unknown = await chat(['nobody', '--workspace', name]).ended
  assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /^parley: there is no agent "nobody" in "[^"]+", only "Twin", "twin", "Twin"$/m)
  const several = await chat(['Twin', '--workspace', name, '--json']).ended
  assert.deepEqual([several.code, several.stdout], [2, ''])
  const { error } = JSON.parse(several.stderr.trim().split('\n').at(-1) ?? '')
  assert.equal(error.code, 'USAGE_ERROR')
  assert.ok(error.message.includes(ids[0]) && error.message.includes(ids[2]) && !error.message.includes(ids[1]))
})

test('a service that is not running is reported in one line, and no key is created', async () => {
  const keys = await commandKeys()
  const other = net.createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as net.AddressInfo
  await new Promise((resolve) => other.close(resolve))
  const { code, stdout, stderr } = await command(['chat', 'Receptionist'], { DATABASE_URL, PORT: `${port}` }).ended
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, new RegExp(`\\nparley: the service doesn't answer at http://127.0.0.1:${port} [^\\n]+\\n$`))
  assert.equal((await commandKeys()).length, keys.length)
})
