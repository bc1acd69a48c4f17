import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { newTenant, startService } from '../faults/service.ts'
import { ownDatabase } from '../support/harness.ts'

const { url, pool } = await ownDatabase('readme')
const readme = fs.readFileSync(path.resolve(import.meta.dirname, '../../README.md'), 'utf8')
const calls = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines).join('\n')

/** Every call must succeed; a stream, which has no end, is left early. What fails, also in a pipe, is noted in a file. */
const watched = `curl() {
  command curl -sS --fail-with-body --max-time 10 "$@" && return
  status=$?
  [[ $status = 28 && "$*" = *stream* ]] || echo "$status: curl $*" >> failed
  return $status
}
`

test('the calls in the README work when they are pasted into a shell', async () => {
  await using stack = new AsyncDisposableStack()
  const service = await startService(stack, { DATABASE_URL: url, SECRETS_KEY: 'a'.repeat(32) })
  const { key } = await newTenant(pool)
  const cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'readme-'))
  stack.defer(() => fs.rmSync(cwd, { recursive: true }))
  const lines = calls
    .replace('pk_...', key)
    .replace('http://127.0.0.1:8080', service.url)
    .replace('--max-time 10', '--max-time 1')
  assert.ok(lines.includes(key) && lines.includes(service.url) && lines.includes('--max-time 1 '))
  // Read line by line, as from a terminal.
  const { stdout, stderr } = spawnSync('bash', { cwd, input: watched + lines, encoding: 'utf8' })
  const failed = path.join(cwd, 'failed')
  assert.equal(fs.existsSync(failed) ? fs.readFileSync(failed, 'utf8') : '', '', stdout + stderr)
  assert.doesNotMatch(stderr.replace(/curl: \(28\).*/, ''), /./, 'the shell complains of nothing')
  assert.match(stdout, /"status":"undoing"/)
  assert.match(stdout, /"type":"webhook\.test"/)
  await service.stop()
})
