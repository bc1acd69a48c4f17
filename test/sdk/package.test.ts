import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type * as Client from '../../sdk/src/index.ts'
import { makeTempFolder } from '../faults/service.ts'
import { openChromium } from '../support/chromium.ts'
import { createDatabase } from '../support/harness.ts'
import { command, serveInProcess } from '../support/process.ts'

/** What someone else gets: the packed client in a new folder, without this repository. */

const checkout = path.resolve(import.meta.dirname, '../..')
const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const { url: DATABASE_URL } = await createDatabase('client')
const folder = makeTempFolder(stack, 'client')
const installed = path.join(folder, 'node_modules/@parley/client')

let PARLEY_URL = ''
let PARLEY_API_KEY = ''

before(async () => {
  const environment = { DATABASE_URL, SECRETS_KEY: 'a'.repeat(32), OUTBOUND_ALLOW_HOSTS: '127.0.0.1' }
  PARLEY_URL = await serveInProcess(stack, environment)
  const created = await command(['workspace', 'create', 'Tour', '--test', '--json'], environment).ended
  PARLEY_API_KEY = JSON.parse(created.stdout).api_key
  await run('npm', ['pack', '--pack-destination', folder], path.join(checkout, 'sdk'))
  const [packed = ''] = fs.globSync('*.tgz', { cwd: folder })
  write('package.json', JSON.stringify({ type: 'module' }))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed}`])
})

const write = (name: string, text: string): void => fs.writeFileSync(path.join(folder, name), text)

async function run(program: string, args: string[], cwd = folder, env: Record<string, string> = {}): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: 120_000 }
  const { stdout } = await promisify(execFile)(program, args, options).catch((error) => {
    throw new Error(`${program} ${args.join(' ')}: ${error.message}\n${error.stdout}\n${error.stderr}`)
  })
  return stdout
}

/** Checks and compiles a program, with all strictness. */
async function compile(file: string, options: object): Promise<void> {
  const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }
  const compilerOptions = { ...strict, target: 'es2022', module: 'nodenext', ...options }
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: [file] }))
  await run(path.join(checkout, 'node_modules/.bin/tsc'), ['-p', '.'])
}

test('the package has the code, its types, a readme and the license, and no dependencies', () => {
  const { dependencies, version, engines } = JSON.parse(fs.readFileSync(path.join(installed, 'package.json'), 'utf8'))
  const root = JSON.parse(fs.readFileSync(path.join(checkout, 'package.json'), 'utf8'))
  assert.deepEqual([dependencies, version, engines.node], [undefined, root.version, '>=20'])
  assert.deepEqual(fs.readdirSync(`${folder}/node_modules`).sort(), ['.package-lock.json', '@parley'])
  for (const name of ['README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts'])
    assert.ok(fs.existsSync(path.join(installed, name)), name)
})

test('its types need no others than those of browsers, and tell events and errors apart', async () => {
  write(
    'types.ts',
    `import { Parley, ParleyError, type Contact } from '@parley/client'
    const parley = new Parley({ apiKey: 'pk', baseUrl: 'https://parley.example.com' })
    export async function names(): Promise<string[]> {
      const page: { data: Contact[] } = await parley.contacts.list({ tag: 'vip' })
      // @ts-expect-error: there is no such field
      await parley.contacts.create({ phone: '+14155550100' })
      // @ts-expect-error: the phone number is missing
      await parley.contacts.create({})
      const event = await parley.webhooks.verify('', {}, '')
      if (event.type === 'call.ended') return [event.data.status]
      for await (const event of parley.conversations.stream('id')) {
        if (event.type === 'turn.delta') return [event.data.text]
        // @ts-expect-error: only deltas have a text
        event.data.text
      }
      const { data, response } = await parley.contacts.get('id').withResponse()
      await parley.contacts.update(data.id, { company: null }, { ifMatch: response.headers.get('etag') })
      const subtitles: string = await parley.calls.getTranscript('id', { format: 'srt' })
      const { turns } = await parley.calls.getTranscript('id')
      return [subtitles, String(turns.length), ...page.data.map(({ phone_number }) => phone_number)]
    }
    export const isTaken = (error: unknown) => error instanceof ParleyError && error.code === 'CONFLICT'`,
  )
  await compile('types.ts', { lib: ['es2022', 'dom'], types: [], noEmit: true })
})

/** The oldest version that the client supports, if this machine has it. */
async function findNode(): Promise<string> {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  for (const node of folders.map((folder) => path.join(folder, 'node')).filter((file) => fs.existsSync(file)))
    if ((await run(node, ['--version'])).startsWith('v20.')) return node
  return process.execPath
}

test('the example program goes through the API with the package alone, and ends by itself', async () => {
  fs.copyFileSync(path.join(checkout, 'sdk/examples/tour.ts'), path.join(folder, 'tour.ts'))
  const typeRoots = [path.join(checkout, 'node_modules/@types')]
  await compile('tour.ts', { lib: ['es2023'], types: ['node'], typeRoots, skipLibCheck: true })
  const output = await run(await findNode(), ['tour.js'], folder, { PARLEY_URL, PARLEY_API_KEY })
  assert.deepEqual(
    output
      .replace(/\d+ lines/, 'LINES')
      .trim()
      .split('\n'),
    [
      '20 rows imported',
      '21 contacts',
      'agent: Hello, do you want to come?',
      'contact: Yes, please.',
      'agent: See you.',
      'The call is completed: LINES, with sound',
      'The campaign is completed: 21 contacts',
      'VALIDATION_ERROR phone_number',
      'import.finished true',
      'call.ended campaign.completed import.finished',
    ],
  )
})

/** A page with the package at /client, and with a worker. */
async function openPage(worker = '') {
  const browser = await openChromium()
  stack.defer(() => browser.close())
  const page = await browser.newPage()
  await page.route('**/client/*', (route) => {
    const name = path.basename(new URL(route.request().url()).pathname)
    if (name === 'page.html') return route.fulfill({ contentType: 'text/html', body: '<!doctype html>' })
    const body = name === 'worker.js' ? worker : fs.readFileSync(path.join(installed, 'dist', name))
    return route.fulfill({ contentType: 'text/javascript', body })
  })
  await page.goto(`${PARLEY_URL}/client/page.html`)
  return page
}

test('it works in a browser', async () => {
  const page = await openPage()
  const seen = await page.evaluate(
    async ({ apiKey, baseUrl }) => {
      const module = '/client/index.js'
      const { Parley, ParleyError }: typeof Client = await import(module)
      const parley = new Parley({ apiKey, baseUrl })
      const file = new File(['phone_number,tags\n+14155550300,browser\n'], 'people.csv')
      const { id } = await parley.imports.create({ file, options: { is_dry_run: true } })
      const contact = await parley.contacts.create({ phone_number: '+14155550301', tags: ['browser'] })
      const listed = []
      for await (const one of parley.contacts.list({ tag: 'browser' })) listed.push(one.id === contact.id)
      const agent = await parley.agents.create({ name: 'Page', greeting: 'Hello.', instructions: 'Greet.' })
      const chat = await parley.conversations.create({ agent_id: agent.id, use_draft: true })
      const types = []
      for await (const { type } of parley.conversations.stream(chat.id, { lastEventId: 0 })) {
        types.push(type)
        break
      }
      const error = await parley.contacts.get(id).catch((error: unknown) => error)
      return [listed, types, error instanceof ParleyError && error.code]
    },
    { apiKey: PARLEY_API_KEY, baseUrl: PARLEY_URL },
  )
  assert.deepEqual(seen, [[true], ['conversation.updated'], 'NOT_FOUND'])
})

test('it works in a worker', async () => {
  const page = await openPage(`
    import { Parley, ParleyError } from '/client/index.js'
    onunhandledrejection = ({ reason }) => postMessage(String(reason))
    onmessage = async ({ data }) => {
      const parley = new Parley(data)
      const file = new File(['phone_number,tags\\n+14155550302,worker\\n'], 'people.csv')
      const { id } = await parley.imports.create({ file, options: { is_dry_run: true } })
      const { tags } = await parley.contacts.upsert('+14155550303', { tags: ['worker'] })
      const listed = []
      for await (const { phone_number } of parley.contacts.list({ tag: 'worker' })) listed.push(phone_number)
      const agent = await parley.agents.create({ name: 'Worker', greeting: 'Hello.', instructions: 'Greet.' })
      const chat = await parley.conversations.create({ agent_id: agent.id, use_draft: true })
      const { value } = await parley.conversations.stream(chat.id, { lastEventId: 0 }).next()
      const error = await parley.contacts.get(id).catch((error) => error)
      postMessage([typeof window, tags, listed, value.type, error instanceof ParleyError && error.code])
    }`)
  // A text, because the types of browsers are not those of this test.
  const seen = await page.evaluate(`new Promise((resolve, reject) => {
    const worker = new Worker('/client/worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.postMessage(${JSON.stringify({ apiKey: PARLEY_API_KEY, baseUrl: PARLEY_URL })})
  })`)
  assert.deepEqual(seen, ['undefined', ['worker'], ['+14155550303'], 'conversation.updated', 'NOT_FOUND'])
})
