import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type net from 'node:net'
import { after, test } from 'node:test'
import * as api_keys from '../../server/api-keys/store.ts'
import { makeTempFolder, newTenant } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { command, parley } from '../support/process.ts'

const { url: DATABASE_URL, pool } = await createDatabase('campaign')
const stack = new AsyncDisposableStack()
after(() => stack.disposeAsync())
const { workspace } = await newTenant(pool)
const folder = makeTempFolder(stack, 'campaign')

const id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'
const newCampaign = (number: number, name: string) => ({
  id: `${id.slice(0, -2)}${10 + number}`,
  name,
  kind: 'voice',
  status: 'draft',
  starts_at: null,
  counts: { enrolled: number, by_status: {} },
})
const campaigns = [
  newCampaign(0, 'Recall'),
  ...Array.from({ length: 48 }, (_, index) => newCampaign(index + 1, `Filler ${index}`)),
  newCampaign(80, 'Twice'),
  newCampaign(81, 'Twice'),
]
const forecast = {
  seed: 7,
  is_sampled: true,
  simulated: 412,
  expected_end_at: '2027-03-03T14:12:00.000Z',
  timeline: [],
  by_outcome: { busy: 12, answered: 300 },
  by_status: { completed: 374, skipped: 38 },
  skips: { opted_out: 38 },
  warnings: ['312 contacts have no hour in which all their time zones are open.'],
}
const report = `phone_number,status\r\n${'+14155550100,completed\r\n'.repeat(10_000)}`

const requests: string[] = []

/** A service with campaigns, whose lists have two pages. */
const server = http.createServer((request, response) => {
  const { method, url = '' } = request
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const path = pathname.replace('/api/v1/campaigns', '').replace(`/${campaigns[0]?.id}`, '/RECALL')
  let body = ''
  request.on('data', (bytes) => {
    body += bytes
  })
  request.on('end', () => {
    const send = (data: unknown, status = 200, more = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify({ success: status < 400, data, ...more }))
    if (path === '/api/v1/workspace') return send({ id: workspace })
    requests.push(`${method} ${path} ${body}`.trim())
    if (path === '/RECALL') return send(campaigns[0])
    if (path === '/RECALL/forecast') return send(forecast)
    if (path === '/RECALL/start')
      return send({ ...campaigns[0], status: 'scheduled', starts_at: '2027-03-02T09:00:00.000Z' })
    if (path === '/RECALL/pause') return send({ ...campaigns[0], status: 'paused' })
    if (path === '/RECALL/resume')
      return send(undefined, 409, { error: { code: 'INVALID_STATE', message: 'The campaign is running.' } })
    if (path === '/RECALL/report') return response.writeHead(200, { 'content-type': 'text/csv' }).end(report)
    const cursor = searchParams.get('cursor')
    const half = cursor === null ? campaigns.slice(0, 25) : campaigns.slice(25)
    return send(half, 200, { pagination: { next_cursor: cursor === null ? 'a b&c' : null } })
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
stack.defer(() => void server.close())
// `listen` was called with a port.
const { port } = server.address() as net.AddressInfo
const environment = { DATABASE_URL, SECRETS_KEY: 'a'.repeat(32), PORT: String(port) }

const run = (...words: string[]) => command(['campaign', ...words], environment).ended

test('all campaigns are listed, also those on later pages', async () => {
  const { code, stdout, stderr } = await run('list')
  assert.equal(code, 0, stderr)
  const lines = stdout.trim().split('\n')
  assert.equal(lines.length, 1 + campaigns.length)
  assert.match(lines[0] ?? '', /^ID +NAME +KIND +STATUS +CONTACTS$/)
  assert.match(lines.at(-1) ?? '', /^[0-9a-f-]+ +Twice +voice +draft +81$/)
  assert.deepEqual(JSON.parse((await run('list', '--json')).stdout), { campaigns })
})

test('a forecast is printed as tables, or as JSON', async () => {
  const { stdout } = await run('forecast', 'recall', '--seed', '7')
  assert.equal(requests.at(-1), 'POST /RECALL/forecast {"seed":7}')
  assert.equal(
    stdout,
    `Forecast of "Recall": 412 contacts, a sample, seed 7
Expected end: 2027-03-03T14:12:00.000Z

OUTCOME   ATTEMPTS
answered  300
busy      12

STATUS     CONTACTS
completed  374
skipped    38

SKIPPED    CONTACTS
opted_out  38

Warnings:
- 312 contacts have no hour in which all their time zones are open.
`,
  )
  assert.deepEqual(JSON.parse((await run('forecast', 'Recall', '--json')).stdout), { forecast })
  assert.equal((await run('forecast', 'Recall', '--seed', 'x')).code, 1)
})

test('a campaign is started and paused by name or id, and an error of the service is printed', async () => {
  assert.equal(
    (await run('start', 'Recall')).stdout,
    '"Recall" is scheduled, and starts at 2027-03-02T09:00:00.000Z.\n',
  )
  const paused = await run('pause', campaigns[0]?.id ?? '', '--json')
  assert.equal(JSON.parse(paused.stdout).campaign.status, 'paused')
  assert.deepEqual(requests.slice(-2), ['GET /RECALL', 'POST /RECALL/pause'])
  const resumed = await run('resume', 'Recall')
  assert.equal(resumed.code, 1)
  assert.match(resumed.stderr, /parley: The campaign is running\.\n$/)
  const [twice, unknown] = [await run('start', 'Twice'), await run('start', 'Nothing')]
  assert.deepEqual([twice.code, unknown.code], [2, 1])
  assert.match(twice.stderr, /there are 2 campaigns "Twice"/)
  assert.match(unknown.stderr, /there is no campaign "Nothing"/)
})

test('a report is printed, or written to a file', async () => {
  const printed = await parley(['campaign', 'report', 'Recall'], environment).ended
  assert.deepEqual([printed.code, printed.stdout], [0, report])
  const output = `${folder}/report.csv`
  const written = await run('report', 'Recall', '--output', output, '--json')
  assert.deepEqual(JSON.parse(written.stdout), { report: { campaign_id: campaigns[0]?.id, file: output } })
  assert.equal(fs.readFileSync(output, 'utf8'), report)
  assert.deepEqual(fs.readdirSync(folder), ['report.csv'])
  assert.equal((await run('report', 'Recall', '--json')).code, 1)
})

test("a report that can't be written is one line", async () => {
  for (const output of [`${folder}/missing/report.csv`, folder]) {
    const { code, stdout, stderr } = await run('report', 'Recall', '--output', output)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, new RegExp(`^Using [^\n]+\nparley: --output: [^\n]*${output}[^\n]*\n$`))
    assert.ok(!fs.existsSync(`${output}.part`))
  }
})

test('the commands leave no keys', async () => {
  const keys = await api_keys.listAll({ db: pool })
  assert.ok(keys.length > 0)
  assert.deepEqual(
    keys.filter(({ name }) => name.startsWith('parley')),
    [],
  )
})
