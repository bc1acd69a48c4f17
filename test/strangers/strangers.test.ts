import assert from 'node:assert/strict'
import fs from 'node:fs'
import { before, test } from 'node:test'
import { serve } from '../support/harness.ts'
import { type Call, type Collection, callsIn, fillIn, inOrder, makeIds } from './collection.ts'
import { document_file, fileHere, installTools, runTool, work_folder, workFile } from './tools.ts'

/** Of the operations that are not streams, at least this part answers with 2xx in a collection with ids filled in once. */
const successes_min = 0.8

const { url, workspace } = await serve()

before(installTools)

test('redocly finds nothing', async (t) => {
  const args = ['lint', '--config', fileHere('redocly.yaml'), '--format', 'json', document_file]
  const { output, errors } = await runTool('redocly', args)
  assert.ok(output.startsWith('{'), errors)
  const { totals, problems } = JSON.parse(output)
  t.diagnostic(`redocly recommended-strict: ${totals.errors} errors, ${totals.warnings} warnings`)
  assert.deepEqual(problems, [])
})

test('spectral finds nothing', async (t) => {
  const report = workFile('spectral.json')
  const { errors } = await runTool('spectral', [
    'lint',
    '--ruleset',
    fileHere('spectral.yaml'),
    '--format',
    'json',
    '--output',
    report,
    document_file,
  ])
  const found = JSON.parse(fs.readFileSync(report, 'utf8') || assert.fail(errors))
  t.diagnostic(`spectral oas: ${found.length} errors and warnings`)
  assert.deepEqual(found, [])
})

test('types that openapi-typescript makes compile', async (t) => {
  const types = workFile('types.ts')
  await runTool('openapi-typescript', [document_file, '--output', types])
  const { output } = await runTool('tsc', [
    '--strict',
    '--noEmit',
    '--target',
    'es2022',
    '--typeRoots',
    work_folder,
    types,
  ])
  t.diagnostic(
    `openapi-typescript: ${fs.readFileSync(types, 'utf8').split('\n').length} lines, tsc says: ${output || 'nothing'}`,
  )
  assert.equal(output, '')
})

test('a Postman collection works, with the ids filled in once', async (t) => {
  const file = workFile('collection.json')
  await runTool('openapi2postmanv2', ['-s', document_file, '-o', file, '-O', 'parametersResolution=Example'])
  const collection: Collection = JSON.parse(fs.readFileSync(file, 'utf8'))
  const calls = inOrder(callsIn(collection.item).filter(({ operation }) => operation.kind !== 'stream'))
  const tenant = await workspace()
  const idOf = await makeIds(tenant, calls)
  await tenant.work()
  const known = await knownIds(calls, idOf, (path) => tenant.call('GET', path))
  for (const call of calls) {
    fillIn(call, idOf(call.operation), known)
    call.item.name = call.operation.id
  }
  const variable = { baseUrl: `${url}/api/v1`, rootUrl: url, bearerToken: tenant.key }
  const filled = {
    ...collection,
    item: calls.map(({ item }) => item),
    variable: Object.entries(variable).map(([key, value]) => ({ key, value })),
  }
  fs.writeFileSync(file, JSON.stringify(filled))
  const report = workFile('newman.json')
  const options = ['--reporters', 'json', '--reporter-json-export', report, '--timeout-request', '20000']
  await runTool('newman', ['run', file, ...options])
  const answers: Execution[] = JSON.parse(fs.readFileSync(report, 'utf8')).run.executions
  const failed = answers.filter(({ response }) => !response || response.code >= 300)
  for (const { item, response } of failed)
    t.diagnostic(`${item.name}: ${response?.code} ${bodyOf(response).slice(0, 300)}`)
  const successes = answers.length - failed.length
  t.diagnostic(`newman: ${successes} of ${calls.length} operations answer with 2xx`)
  assert.equal(answers.length, calls.length)
  assert.ok(successes >= successes_min * calls.length)
})

interface Execution {
  item: { name: string }
  response?: { code: number; stream?: { data: number[] } }
}

const bodyOf = (response: Execution['response']): string => Buffer.from(response?.stream?.data ?? []).toString()

/** The ids that bodies refer to. */
async function knownIds(
  calls: Call[],
  idOf: Awaited<ReturnType<typeof makeIds>>,
  get: (path: string) => Promise<{ body: { data: { id: string }[] } }>,
): Promise<Record<string, string>> {
  const first = async (path: string) => (await get(`${path}?limit=1`)).body.data[0]?.id ?? ''
  const publishing = calls.find(({ operation }) => operation.id === 'agents.deploy')?.operation
  const agent_id = publishing ? idOf(publishing) : ''
  const version_id = await first(`/agents/${agent_id}/versions`)
  return { agent_id, version_id, contact_id: await first('/contacts'), channel_id: await first('/channels') }
}
