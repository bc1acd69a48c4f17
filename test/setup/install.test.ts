import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'

const checkout = path.resolve(import.meta.dirname, '../..')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-install-'))

/** Serves the packages that it has, and doesn't answer requests for those that it holds. */
const registry = { packages: new Map<string, Buffer>(), held: new Set<string>(), requests: [] as string[] }
const server = http.createServer(({ url = '' }, response) => {
  registry.requests.push(url)
  server.emit('asked', url)
  if (registry.held.has(url)) return
  const bytes = registry.packages.get(url)
  response.writeHead(bytes ? 200 : 404).end(bytes)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const registry_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

after(() => {
  server.closeAllConnections()
  server.close()
  fs.rmSync(folder, { recursive: true })
})

// Each test continues with the checkout of the previous one.
const root = fs.mkdtempSync(path.join(folder, 'checkout-'))

/** A checkout of a service that needs the package "library", and whose tests need the package "tool". */
function writeCheckout(library_version = '1.0.0'): void {
  const library = publish('library', library_version)
  const tool = { ...publish('tool', '1.0.0'), dev: true }
  const manifest = {
    name: 'service',
    version: '1.0.0',
    dependencies: { library: library_version },
    devDependencies: { tool: '1.0.0' },
  }
  const packages = { '': manifest, 'node_modules/library': library, 'node_modules/tool': tool }
  write('package.json', manifest)
  write('package-lock.json', { name: 'service', version: '1.0.0', lockfileVersion: 3, requires: true, packages })
}

const write = (name: string, value: object) => fs.writeFileSync(path.join(root, name), JSON.stringify(value))
const read = (name: string): string => fs.readFileSync(path.join(root, name), 'utf8')

/** Returns the entry of the lock file. */
function publish(name: string, version: string) {
  const url = `/${name}/-/${name}-${version}.tgz`
  const bytes = registry.packages.get(url) ?? pack(name, version)
  registry.packages.set(url, bytes)
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  return { version, resolved: `${registry_url}${url}`, integrity }
}

function pack(name: string, version: string): Buffer {
  const source = path.join(folder, `${name}-${version}`)
  fs.mkdirSync(path.join(source, 'package'), { recursive: true })
  fs.writeFileSync(path.join(source, 'package/package.json'), JSON.stringify({ name, version }))
  execFileSync('tar', ['-czf', `${source}.tgz`, '-C', source, 'package'])
  return fs.readFileSync(`${source}.tgz`)
}

interface Set {
  with_tools: boolean
}

function startInstall({ with_tools }: Set) {
  const { PATH } = process.env
  const env = { PATH, HOME: root, npm_config_registry: registry_url, npm_config_cache: path.join(root, 'npm-cache') }
  const script = `import { ensureInstalled } from ${JSON.stringify(path.join(checkout, 'bin/install.mjs'))}
    await ensureInstalled(${JSON.stringify(root)}, { with_tools: ${with_tools} })`
  return spawn('node', ['--input-type=module', '-e', script], { env, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Returns the paths that were requested from the registry. */
async function install(set: Set): Promise<string[]> {
  registry.requests = []
  const child = startInstall(set)
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  assert.equal(code, 0, stderr)
  return registry.requests
}

const versionOf = (name: string): string => JSON.parse(read(`node_modules/${name}/package.json`)).version
const hasTool = (): boolean => fs.existsSync(path.join(root, 'node_modules/tool'))
const library_file = path.join(root, 'node_modules/library/package.json')
const [library_url, tool_url] = ['/library/-/library-1.0.0.tgz', '/tool/-/tool-1.0.0.tgz']

test('a start installs what the service needs; of two at once, one installs', async () => {
  writeCheckout()
  await Promise.all([install({ with_tools: false }), install({ with_tools: false })])
  assert.deepEqual(registry.requests, [library_url])
  assert.equal(versionOf('library'), '1.0.0')
  assert.ok(!hasTool())
})

test('when the tools of tests are out of reach, the service still starts', async () => {
  const tool = registry.packages.get(tool_url) ?? Buffer.of()
  registry.packages.delete(tool_url)
  await assert.rejects(install({ with_tools: true }), /Dependencies could not be installed/)
  registry.packages.set(tool_url, tool)
  assert.deepEqual(await install({ with_tools: false }), [])
  assert.equal(versionOf('library'), '1.0.0')
})

test('after an install that was killed everything is installed again', async () => {
  registry.held.add(tool_url)
  const killed = startInstall({ with_tools: true })
  await once(server, 'asked', { signal: AbortSignal.timeout(60_000) })
  killed.kill('SIGKILL')
  await once(killed, 'close')
  registry.held.clear()
  fs.writeFileSync(library_file, '')
  await install({ with_tools: false })
  assert.equal(versionOf('library'), '1.0.0')
})

test('tests add their tools, and a service that runs meanwhile keeps its files', async () => {
  const { ino } = fs.statSync(library_file)
  assert.deepEqual(await install({ with_tools: true }), [tool_url])
  assert.ok(hasTool())
  assert.equal(fs.statSync(library_file).ino, ino)
})

test('a start keeps the tools of tests, also when the lock file has changed', async () => {
  assert.deepEqual(await install({ with_tools: false }), [])
  writeCheckout('1.0.1')
  const lock = read('package-lock.json')
  assert.deepEqual(await install({ with_tools: false }), [library_url.replace('1.0.0', '1.0.1')])
  assert.equal(versionOf('library'), '1.0.1')
  assert.ok(hasTool())
  assert.equal(read('package-lock.json'), lock)
  assert.deepEqual(await install({ with_tools: true }), [])
})

test('dependencies are what the service and the builds of its pages import, and nothing else', () => {
  const { dependencies }: { dependencies: object } = JSON.parse(
    fs.readFileSync(path.join(checkout, 'package.json'), 'utf8'),
  )
  const files = fs.globSync('{bin,server,dashboard,chat,voice}/**/*.{ts,tsx,mjs,css}', { cwd: checkout })
  const imported = files.flatMap((file) => packagesIn(fs.readFileSync(path.join(checkout, file), 'utf8')))
  assert.deepEqual([...new Set(imported)].sort(), Object.keys(dependencies).sort())
})

/** The names of imported packages, such as "react-dom" of "react-dom/client". */
function packagesIn(source: string): string[] {
  const found = source.matchAll(
    /(?:\bfrom |\bimport |\bimport\(|createRequire\(.*\)(?:\.resolve)?\()['"](?!node:)((?:@[\w.-]+\/)?[a-z][\w.-]*)/g,
  )
  return Array.from(found, ([, name = '']) => name)
}
