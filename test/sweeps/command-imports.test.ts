import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'

const checkout = path.resolve(import.meta.dirname, '../..')

/** To import these takes longer than all that a command does. */
const slow_packages = ['typebox', 'fastify', 'undici', 'libphonenumber-js', 'prom-client']

/** In a process of its own, because this one has imported everything. */
const list_imports = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  const files = process.argv.slice(1)
  for (const file of files) await import(file)
  console.log(JSON.stringify(loaded))`

test('commands that ask the service import neither the server nor slow packages', () => {
  const files = [
    ...['parley', 'ask', 'open-for-command', 'choose-workspace', 'report-error'],
    ...['agent', 'document', 'provider', 'chat', 'call', 'clock', 'campaign', 'api', 'events', 'logs', 'login'].flatMap(
      (name) => [name, `${name}-actions`],
    ),
  ].map((name) => path.join(checkout, 'server/cli', `${name}.ts`))
  const all = [...files, path.join(checkout, 'server/api-keys/command-keys.ts')]
  const listed = execFileSync(process.execPath, ['--input-type=module', '-e', list_imports, ...all], {
    encoding: 'utf8',
  })
  const loaded: string[] = JSON.parse(listed)
  assert.ok(loaded.some((url) => url.endsWith('/server/cli/agent-actions.ts')))
  const slow = loaded.filter(
    (url) =>
      slow_packages.some((name) => url.includes(`/node_modules/${name}/`)) || /server\/(service|api)\.ts$/.test(url),
  )
  assert.deepEqual(slow, [])
})
