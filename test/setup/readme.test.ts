import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { test } from 'node:test'
import { newTenant } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { openaiServer } from '../support/model-servers.ts'
import { command, serveInProcess } from '../support/process.ts'

const { url, pool } = await createDatabase('readme')
const readme = fs.readFileSync(path.resolve(import.meta.dirname, '../../README.md'), 'utf8')
const calls = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines).join('\n')

/** Writes each failed call to a file, because a pipe hides exit statuses. A stream has no end, so its time-out is no failure. */
const checked_curl = `curl() {
  command curl -sS --fail-with-body --max-time 60 "$@" && return
  status=$?
  [[ $status = 28 && "$*" = *@(stream|live)* ]] || echo "$status: curl $*" >> failed
  return $status
}
`

test('the calls in the README work when they are pasted into a shell', async () => {
  await using stack = new AsyncDisposableStack()
  const model = await openaiServer({ words: ['Your order', ' is ready.'] })
  const service_url = await serveInProcess(stack, {
    DATABASE_URL: url,
    SECRETS_KEY: 'a'.repeat(32),
    OPENAI_BASE_URL: model.base_url,
    OPENAI_MODEL: 'small',
  })
  const { key } = await newTenant(pool)
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'readme-'))
  stack.defer(() => fs.rmSync(cwd, { recursive: true }))
  const lines = calls
    .replace('pk_...', key)
    .replace('http://127.0.0.1:8080', service_url)
    .replaceAll(/--max-time \d+/g, '--max-time 1')
    // Someone who hangs up soon.
    .replace('\\"simulate\\": \\"00\\"', '\\"simulate\\": \\"14\\"')
  assert.ok(lines.includes(key) && lines.includes(service_url) && lines.includes('--max-time 1 '))
  // On standard input, so that bash runs line by line as in a terminal.
  const shell = spawn('bash', { cwd })
  shell.stdin.end(checked_curl + lines)
  const [stdout, stderr] = await Promise.all([readAll(shell.stdout), readAll(shell.stderr)])
  const failed = path.join(cwd, 'failed')
  assert.equal(fs.existsSync(failed) ? fs.readFileSync(failed, 'utf8') : '', '', stdout + stderr)
  assert.doesNotMatch(stderr.replaceAll(/curl: \(28\).*/g, ''), /./, 'the shell prints no errors')
  for (const said of ['We are open from seven to six. Anything else?', 'Goodbye!', 'Your order is ready.'])
    assert.ok(stdout.includes(`"role":"agent","text":"${said}"`), said)
  assert.match(stdout, /^event: turn\.finished$/m)
  assert.match(stdout, /"close_reason":"api"/)
  assert.match(stdout, /"status":"undoing"/)
  assert.match(stdout, /"answered":"200"/, 'the inbox shows what has arrived')
  assert.match(stdout, /"status":"completed","outcome":"answered","end_reason":"contact_hung_up"/)
})

test('the blocks of the README can be pasted into zsh', () => {
  const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, language = '', lines = '']) =>
    // Others show what is sent or printed, or are pasted into psql.
    ['json', 'sql'].includes(language) || lines.startsWith('$ ') ? [] : lines,
  )
  assert.ok(blocks.length > 20)
  for (const lines of blocks) {
    // An interactive zsh knows no comments, and reports patterns that fit no file.
    const unquoted = lines.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"/gs, '')
    assert.doesNotMatch(unquoted, /(^|\s)#|[?*[\]!]/m, lines)
  }
})

test('the README names only commands that exist, and all settings', async () => {
  const { stdout } = await command(['--help']).ended
  // Long lines are wrapped.
  const help = stdout.replace(/\s+/g, ' ')
  const commands = [...readme.matchAll(/npx parley ((?:workspace |key |user |provider |secrets )?[a-z]+)/g)].map(
    ([, name = '']) => name,
  )
  assert.deepEqual(
    commands.filter((name) => !help.includes(name)),
    [],
  )
  assert.ok(commands.length >= 10)
  const config = fs.readFileSync(path.resolve(import.meta.dirname, '../../server/config.ts'), 'utf8')
  const names = [...config.matchAll(/\bread\(\s*'([A-Z_]+)'/g)].map(([, name = '']) => name)
  const table = /^\| Variable (.*?)^$/ms.exec(readme)?.[1] ?? ''
  const documented = [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) => cell.match(/[A-Z_]+/g) ?? [])
  assert.deepEqual(documented.sort(), names.filter((name) => !name.startsWith('PARLEY_')).sort())
})
