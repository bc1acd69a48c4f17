import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { newId } from '../../server/kit/id.ts'
import { receptionist, receptionist_tests } from '../../server/start/receptionist.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { command } from '../support/process.ts'
import { newAgentTest } from '../support/samples.ts'

const server = await serve()
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-'))
after(() => fs.rmSync(folder, { recursive: true }))

const environmentOf = ({ key }: Tenant) => ({ HOME: folder, PARLEY_URL: server.url, PARLEY_API_KEY: key })

/** A workspace with an example agent, on another machine than the service. */
async function newUser(fields: object = {}) {
  const tenant = await server.workspace()
  const agent = (await tenant.call('POST', '/agents', { ...receptionist, ...fields })).body.data
  const start = (words: string[], input = '') => command(words, environmentOf(tenant), input)
  const run = (...words: string[]) => start(['test', ...words]).ended
  const json = async (...words: string[]) => {
    const { stdout, stderr } = await run(...words, '--json')
    assert.equal(stdout.trim().split('\n').length, 1, stderr)
    return JSON.parse(stdout)
  }
  const add = async (test: object) => (await tenant.call('POST', `/agents/${agent.id}/tests`, test)).body.data
  return { tenant, agent, start, run, json, add }
}

/** Runs the tests, with the background work that the service would do. */
async function played({ tenant, agent, run }: Pick<User, 'tenant' | 'agent' | 'run'>, ...words: string[]) {
  const list = async () => (await tenant.call('GET', `/agents/${agent.id}/test_runs`)).body.pagination.total
  const before = await list()
  const ended = run('run', agent.name, ...words)
  await until(async () => (await list()) > before)
  await tenant.work()
  return ended
}

type User = Awaited<ReturnType<typeof newUser>>

test('tests are listed, oldest first', async () => {
  const { run, json, add } = await newUser()
  const [one, two] = [await add(newAgentTest()), await add(newAgentTest({ name: 'Other', is_enabled: false }))]
  assert.deepEqual(await json('list', 'receptionist'), { tests: [one, two] })
  const { stdout } = await run('list', 'Receptionist')
  assert.match(stdout, /Tells the opening hours {2}conversation\n.+ Other {20}conversation {2}disabled\n$/)
})

test('tests are exported to a file, and imported into another agent', async () => {
  const { tenant, run, json, add, start } = await newUser()
  const person = newAgentTest({
    name: 'A person',
    kind: 'simulation',
    steps: [],
    person: { number: '00' },
    is_enabled: false,
  })
  await add(newAgentTest())
  await add(person)
  const { stdout } = await run('export', 'Receptionist')
  const { steps: _, ...of_person } = person
  assert.deepEqual(JSON.parse(stdout), { tests: [newAgentTest(), of_person] }, 'without ids, times and defaults')
  const file = path.join(folder, 'tests.json')
  fs.writeFileSync(file, stdout)

  const other = (await tenant.call('POST', '/agents', { ...receptionist, name: 'Other' })).body.data
  const first = await run('import', 'Other', file)
  assert.equal(
    first.stdout,
    'Created "Tells the opening hours".\nCreated "A person".\n"Other": 2 created, 0 updated, 0 unchanged.\n',
  )
  assert.equal((await run('export', 'Other')).stdout, stdout)

  const before = (await tenant.call('GET', `/agents/${other.id}/tests`)).body.data
  const again = await json('import', 'Other', file)
  assert.deepEqual(again, { created: [], updated: [], unchanged: ['Tells the opening hours', 'A person'], others: [] })
  assert.deepEqual((await tenant.call('GET', `/agents/${other.id}/tests`)).body.data, before, 'nothing is touched')

  const changed = { tests: [newAgentTest({ variables: { order: '1' } }), newAgentTest({ name: 'New' })] }
  const from_input = await start(['test', 'import', 'Other', '-'], JSON.stringify(changed)).ended
  assert.equal(
    from_input.stdout,
    'Created "New".\nUpdated "Tells the opening hours".\n"Other": 1 created, 1 updated, 0 unchanged.\n' +
      '1 test is not in the file, and stays as it is.\n',
  )
  await start(['test', 'import', 'Other', '-'], JSON.stringify({ tests: [newAgentTest()] })).ended
  const [, , last] = (await tenant.call('GET', `/agents/${other.id}/tests`)).body.data
  assert.deepEqual([last.id, last.variables], [before[1].id, {}], 'what a file leaves out has its default again')
})

test('of tests with the same name the first is updated from the first', async () => {
  const { add, start, json } = await newUser()
  const ids = [(await add(newAgentTest())).id, (await add(newAgentTest())).id]
  const tests = ['One', 'Two', 'Three'].map((says) => newAgentTest({ steps: [{ says }] }))
  const { stdout } = await start(['test', 'import', 'Receptionist', '-'], JSON.stringify({ tests })).ended
  assert.match(stdout, /1 created, 2 updated, 0 unchanged/)
  const { tests: after } = await json('list', 'Receptionist')
  assert.deepEqual(
    after.map((one: { steps: { says: string }[] }) => one.steps[0]?.says),
    ['One', 'Two', 'Three'],
  )
  assert.deepEqual([after[0].id, after[1].id], ids)
})

test('an import says which test the service refuses', async () => {
  const { start } = await newUser()
  const tests = [newAgentTest(), newAgentTest({ name: 'Wrong', expect: [{ type: 'says' }] })]
  const { code, stderr } = await start(['test', 'import', 'Receptionist', '-'], JSON.stringify({ tests })).ended
  assert.equal(code, 1)
  assert.match(stderr, /^parley: the test "Wrong": .*any_of/m)
})

test('wrong usage has the exit status 2, and says what is wrong', async () => {
  const { run, start } = await newUser()
  for (const [words, message] of [
    [[], /a command is required/],
    [['run'], /missing required argument 'agent'/],
    [['run', 'Nobody'], /there is no agent "Nobody"/],
    [['run', newId()], /there is no agent/],
    [['run', 'Receptionist', '--version', 'v9'], /"Receptionist" has no version v9/],
    [['run', 'Receptionist', '--version', 'v1', '--draft'], /use either --version or --draft/],
    [['run', 'Receptionist', '--test', 'Nothing'], /"Receptionist" has no test "Nothing"/],
    [['run', 'Receptionist', '--repeat', '21'], /Use a whole number from 1 to 20/],
    [['run', 'Receptionist', '--passes-min', '2'], /--passes-min must be at most/],
    [['run', 'Receptionist', '--junit', 'x.xml', '--json'], /use either --json or --junit/],
    [['fly'], /unknown command 'fly'/],
    [['import', 'Receptionist', '/nonexistent'], /can't be read \(ENOENT\)/],
  ] as const) {
    const { code, stdout, stderr } = await run(...words)
    assert.equal(code, 2, words.join(' '))
    assert.equal(stdout, '')
    assert.match(stderr, message)
  }
  for (const content of ['{}', '{"tests": [{}]}', '[]', 'x'])
    assert.equal((await start(['test', 'import', 'Receptionist', '-'], content).ended).code, 2)
})

test('an agent without tests is no success', async () => {
  const { run } = await newUser()
  const { code, stderr } = await run('run', 'Receptionist')
  assert.equal(code, 1)
  assert.match(stderr, /The agent has no test that is enabled/)
})

test('help names the exit statuses, and the version of an agent is no version of the program', async () => {
  const { run, start } = await newUser()
  const { stdout, code } = await run('run', '--help')
  assert.equal(code, 0)
  assert.match(stdout, /--version <version>/)
  assert.match(stdout, /exit status is 0 if all tests have passed, 1/)
  assert.match((await start(['--help']).ended).stdout, /test list, test run, test export, test\s+import/)
  assert.match((await start(['--version']).ended).stdout, /^\d+\.\d+\.\d+/)
  const completion = (await start(['completion', 'bash']).ended).stdout
  assert.match(completion, /'test run'\) echo '.*--version --draft --test --repeat --passes-min --junit/)
})

test('the example agent of the first start passes its tests', async () => {
  const user = await newUser()
  for (const one of receptionist_tests) await user.add(one)
  const { code, stdout, stderr } = await played(user)
  assert.deepEqual([code, stdout], [0, '3 tests of v1 of "Receptionist": 3 passed.\n'], stderr)
})

const wrong = newAgentTest({
  name: 'Opens at eight',
  steps: [
    { says: 'When are you open?', expect: [{ type: 'says', any_of: ['from eight'] }] },
    { says: 'No', expect: [{ type: 'says', any_of: ['goodbye'] }] },
  ],
  expect: [{ type: 'ends', how: 'handed_over' }],
})

test('a failed test is printed with its turns, and the exit status is 1', async () => {
  const user = await newUser()
  await user.add(newAgentTest())
  await user.add(wrong)
  const { code, stdout } = await played(user)
  assert.equal(code, 1)
  assert.match(
    stdout,
    /^FAILED Opens at eight\n {2}line 1, turn 3: The agent did not say "from eight"\.\n {2}turn 5: .+\n {2}Conversation [0-9a-f-]{36}\n\n2 tests of v1 of "Receptionist": 1 passed, 1 failed\.\n$/,
  )
  const named = await played(user, '--test', 'Tells the opening hours')
  assert.deepEqual([named.code, named.stdout], [0, '1 test of v1 of "Receptionist": 1 passed.\n'])
})

test('a version or the draft is tested', async () => {
  const user = await newUser()
  const { tenant, agent } = user
  await user.add(newAgentTest())
  const script = { start: 'hi', nodes: { hi: { say: 'Hello.', else: { go: 'hi' } } } }
  await tenant.call('PATCH', `/agents/${agent.id}`, { script })
  const draft = await played(user, '--draft')
  assert.equal(draft.code, 1)
  assert.match(draft.stdout, /1 test of the draft of "Receptionist": 0 passed, 1 failed\.\n$/)
  assert.equal((await played(user, '--version', 'v1')).code, 0)
})

test('results are written as JSON, or to a JUnit file', async () => {
  const user = await newUser()
  await user.add(newAgentTest())
  await user.add(wrong)
  const { run, results } = JSON.parse((await played(user, '--json')).stdout)
  assert.deepEqual([run.status, run.passed, run.failed], ['completed', 1, 1])
  assert.deepEqual(
    results.map(({ name, status }: { name: string; status: string }) => [name, status]),
    [
      ['Tells the opening hours', 'passed'],
      ['Opens at eight', 'failed'],
    ],
  )
  const file = path.join(folder, 'results.xml')
  assert.equal((await played(user, '--junit', file)).code, 1)
  assert.match(fs.readFileSync(file, 'utf8'), /<testcase name="Opens at eight"[^>]*>\s*<failure/)
  assert.ok(!fs.existsSync(`${file}.part`))
})

test('a file that cannot be written is reported before the tests are run, and what is in one stays', async () => {
  const { tenant, agent, run, add } = await newUser()
  await add(newAgentTest())
  for (const [file, code] of [
    [path.join(folder, 'none/results.xml'), 'ENOENT'],
    [folder, 'EISDIR'],
  ] as const) {
    const nowhere = await run('run', 'Receptionist', '--junit', file)
    assert.equal(nowhere.code, 2)
    assert.ok(nowhere.stderr.includes(`the file ${file} can't be written (${code})`), nowhere.stderr)
    assert.ok(!fs.existsSync(`${file}.part`))
  }
  assert.equal((await tenant.call('GET', `/agents/${agent.id}/test_runs`)).body.pagination.total, 0)
  const file = path.join(folder, 'before.xml')
  fs.writeFileSync(file, 'before')
  const other = await newUser()
  assert.match((await other.run('run', 'Receptionist', '--junit', file)).stderr, /no test that is enabled/)
  assert.equal(fs.readFileSync(file, 'utf8'), 'before')
})

test('Ctrl-C cancels the run', async () => {
  const { tenant, agent, add, start } = await newUser()
  await add(newAgentTest())
  const running = start(['test', 'run', 'Receptionist'])
  const runs = async () => (await tenant.call('GET', `/agents/${agent.id}/test_runs`)).body.data
  await until(async () => (await runs()).length === 1)
  running.signal('SIGINT')
  const { code, stdout, stderr } = await running.ended
  assert.deepEqual([code, stdout], [130, ''])
  assert.match(stderr, /Canceled the run/)
  assert.equal((await runs())[0].status, 'canceled')
})

test('a run that someone else cancels is no success', async () => {
  const { tenant, agent, add, run } = await newUser()
  await add(newAgentTest())
  const ended = run('run', 'Receptionist')
  const runs = async () => (await tenant.call('GET', `/agents/${agent.id}/test_runs`)).body.data
  await until(async () => (await runs()).length === 1)
  await tenant.call('POST', `/test_runs/${(await runs())[0].id}/cancel`)
  const { code, stdout } = await ended
  assert.deepEqual([code, stdout], [1, 'The run of 1 test of v1 of "Receptionist" was canceled: 0 passed.\n'])
})

test('commands that deploy say what to test first, and deploy with --force if the key may', async () => {
  const user = await newUser()
  const { tenant, agent, add, start } = user
  await add(newAgentTest())
  const required = await tenant.call(
    'PATCH',
    `/agents/${agent.id}`,
    { deploy_requires: 'tests' },
    await forcing(tenant),
  )
  assert.equal(required.status, 200, required.text)
  const change = async (say: string) => {
    const { script } = (await tenant.call('GET', `/agents/${agent.id}`)).body.data.draft
    script.nodes.welcome.say = say
    await tenant.call('PATCH', `/agents/${agent.id}`, { script })
  }
  await change('Hi!')
  const file = path.join(folder, 'gated.json')
  await start(['agent', 'pull', 'Receptionist', file]).ended
  const v2 = await start(['agent', 'publish', 'Receptionist']).ended
  assert.equal(v2.code, 0, v2.stderr)
  for (const [words, option] of [
    [['deploy', 'Receptionist', 'v2'], '--version v2'],
    [['deploy', 'Receptionist', 'v2', '--percent', '5'], '--version v2'],
    [['deploy', 'Receptionist', '--file', file], '--version v2'],
    [['publish', 'Receptionist', '--deploy'], '--version v2'],
    [['push', file, '--deploy'], '--version v2'],
  ] as const) {
    const { code, stderr } = await start(['agent', ...words]).ended
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^parley: "Receptionist" is deployed only after all its enabled tests have passed with this content\./m,
    )
    assert.ok(stderr.includes(`Run "parley test run Receptionist ${option}", then deploy again`), stderr)
  }
  const forceWith = async (scopes: string[]) =>
    command(['agent', 'deploy', 'Receptionist', 'v2', '--force'], {
      ...environmentOf(tenant),
      PARLEY_API_KEY: await tenant.newKey({ scopes }),
    }).ended
  const refused = await forceWith(['agents:read', 'agents:write', 'workspace:read'])
  assert.deepEqual([refused.code, /requires the scope "agents:force"/.test(refused.stderr)], [1, true], refused.stderr)
  const forced = await forceWith(forcing_scopes)
  assert.deepEqual([forced.code, forced.stdout], [0, 'Deployed v2 of "Receptionist".\n'], forced.stderr)

  await change('Hello!')
  const unpublished = await start(['agent', 'publish', 'Receptionist', '--deploy']).ended
  assert.match(unpublished.stderr, /Run "parley test run Receptionist --draft", then deploy again/)
  assert.equal((await played(user, '--draft')).code, 0)
  const published = await start(['agent', 'publish', 'Receptionist', '--deploy']).ended
  assert.deepEqual([published.code, /Deployed v3/.test(published.stdout)], [0, true], published.stderr)

  await tenant.call('PATCH', `/agents/${agent.id}`, {
    script: { start: 'hi', nodes: { hi: { say: 'Hi.', else: { go: 'hi' } } } },
  })
  assert.equal((await played(user, '--draft')).code, 1)
  const failed = await start(['agent', 'publish', 'Receptionist', '--deploy', '--json']).ended
  const { error } = JSON.parse(failed.stderr.trim().split('\n').at(-1) ?? '')
  assert.match(error.message, /In the last run 1 of 1 did not pass\./)
  assert.deepEqual([error.code, error.details.reason], ['INVALID_STATE', 'tests_required'])
})

const forcing_scopes = ['agents:read', 'agents:write', 'agents:force', 'workspace:read']

const forcing = async (tenant: Tenant) => ({
  authorization: `Bearer ${await tenant.newKey({ scopes: forcing_scopes })}`,
})
