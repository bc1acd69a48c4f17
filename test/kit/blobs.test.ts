import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import type { Blobs } from '../../server/kit/blobs/blobs.ts'
import type { Bucket } from '../../server/kit/blobs/bucket-url.ts'
import { openBlobs } from '../../server/kit/blobs/open-blobs.ts'
import { removeLeftovers } from '../../server/kit/blobs/scratch.ts'
import type { Problem } from '../../server/kit/problem.ts'
import { openTestBucket } from '../support/buckets.ts'
import { temporaryFolder } from '../support/folders.ts'

const folder = temporaryFolder()
const bucket = await openTestBucket()

function open(bucket?: Bucket): Blobs {
  const blobs = openBlobs({ folder, bucket })
  after(blobs.close)
  return blobs
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const expected = (bytes: Uint8Array, size = bytes.length) => ({ size, length: bytes.length, hash: sha256(bytes) })
const blobOf = (bytes: Uint8Array) => ({ size: bytes.length, stream: Readable.from([bytes]) })
const read = async (blobs: Blobs, key: string, range?: { start: number; end: number }) => {
  const blob = await blobs.open(key, range)
  if (!blob) return undefined
  const bytes = await buffer(blob.stream)
  return { size: blob.size, length: bytes.length, hash: sha256(bytes) }
}

/** Clients get 503, and the log the cause. */
const rejectsBecause = (done: Promise<unknown>, cause: RegExp) =>
  assert.rejects(done, (error: Problem) => {
    assert.equal(error.code, 'SERVICE_UNAVAILABLE')
    assert.match(Object(error.cause).message, cause)
    return true
  })

const kinds: [string, Blobs][] = [
  ['a folder', open()],
  ['a bucket', open(bucket)],
  ['a bucket with a prefix', open({ ...bucket, url: `${bucket.url}/one/two` })],
]
for (const [name, blobs] of kinds) {
  test(`${name} returns what was put, whole and in ranges`, async () => {
    const bytes = randomBytes(300_000)
    const key = 'a/2026/11/call.wav'
    assert.deepEqual([await blobs.open(key), await blobs.size(key)], [undefined, undefined])
    await blobs.put(key, blobOf(bytes))
    assert.equal(await blobs.size(key), bytes.length)
    assert.deepEqual(await read(blobs, key), expected(bytes))
    for (const [start, end] of [
      [0, 1],
      [1, 70_000],
      [299_999, 299_999],
      [0, 299_999],
    ] as const) {
      assert.deepEqual(await read(blobs, key, { start, end }), expected(bytes.subarray(start, end + 1), bytes.length))
    }
    await blobs.put(key, blobOf(Buffer.from('another')))
    assert.deepEqual(await read(blobs, key), expected(Buffer.from('another')))
  })

  test(`${name} removes a blob, and removing it again does nothing`, async () => {
    await blobs.put('b/one.wav', blobOf(Buffer.from('one')))
    await blobs.remove('b/one.wav')
    await blobs.remove('b/one.wav')
    assert.equal(await blobs.open('b/one.wav'), undefined)
  })

  test(`${name} rejects a blob that is not as long as announced, or fails halfway`, async () => {
    async function* failing() {
      yield Buffer.from('second')
      throw new Error('no more')
    }
    await assert.rejects(blobs.put('c/one.wav', { size: 1_000, stream: Readable.from(failing()) }))
    await assert.rejects(blobs.put('c/one.wav', { size: 1_000, stream: Readable.from([Buffer.from('short')]) }))
    await assert.rejects(blobs.put('c/one.wav', { size: 1, stream: Readable.from([Buffer.from('long')]) }))
  })

  test(`${name} rejects keys that lead elsewhere`, async () => {
    for (const key of [
      '',
      '/a',
      'a/',
      'a//b',
      '../a',
      'a/../b',
      'a/./b',
      '.a',
      'a\\b',
      'a?b',
      'a b',
      'A',
      'a'.repeat(501),
    ]) {
      await assert.rejects(blobs.open(key), /no key of a blob/, key)
      await assert.rejects(blobs.put(key, blobOf(Buffer.from('x'))), /no key of a blob/, key)
      await assert.rejects(blobs.remove(key), /no key of a blob/, key)
    }
  })
}

test('a folder keeps the earlier blob when another one fails', async () => {
  const [, blobs] = kinds[0] ?? assert.fail()
  await blobs.put('e/one.wav', blobOf(Buffer.from('first')))
  await assert.rejects(blobs.put('e/one.wav', { size: 1_000, stream: Readable.from([Buffer.from('short')]) }))
  assert.deepEqual(await read(blobs, 'e/one.wav'), expected(Buffer.from('first')))
})

test('every request to the bucket had a signature that another library computes too', () => {
  assert.ok(bucket.requests.length > 10)
  assert.deepEqual(bucket.wrong_signatures, [])
})

test('a wrong secret and a missing bucket are errors, which show no secret', async () => {
  const wrong = open({ ...bucket, secret: 'open-sesame' })
  await rejectsBecause(wrong.open('a/one.wav'), /^the bucket answered GET with 403 \(SignatureDoesNotMatch\)$/)
  const missing = open({ ...bucket, url: bucket.url.replace('recordings', 'nothing') })
  await rejectsBecause(missing.open('a/one.wav'), /NoSuchBucket/)
  await rejectsBecause(missing.put('a/one.wav', blobOf(Buffer.from('x'))), /PUT/)
})

test('a bucket that ignores ranges is an error, rather than other bytes', async () => {
  const content_range = 'bytes 1-2/9'
  const server = createServer(({ url }, answer) => {
    // The second one says that it sends a range, and sends everything.
    if (url?.endsWith('two.wav')) answer.writeHead(206, { 'content-range': content_range, 'content-length': 9 })
    answer.end('all of it')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const blobs = open({ ...bucket, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket` })
  for (const key of ['a/one.wav', 'a/two.wav'])
    await rejectsBecause(blobs.open(key, { start: 1, end: 2 }), /other bytes/)
})

test('files are private, and what a killed process left is removed', async () => {
  const [, blobs] = kinds[0] ?? assert.fail()
  const temporary = join(folder, '.temporary')
  const [old, recent] = ['work-old', 'work-recent'].map((name) => join(temporary, name))
  assert.ok(old && recent)
  for (const left of [old, recent]) {
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'blob'), 'words')
  }
  utimesSync(old, new Date('2020-01-01'), new Date('2020-01-01'))
  await blobs.put('d/one.wav', blobOf(Buffer.from('x')))
  assert.deepEqual(readdirSync(temporary), ['work-recent'])
  assert.ok(existsSync(join(folder, 'd/one.wav')))
  assert.equal(statSync(join(folder, 'd/one.wav')).mode & 0o077, 0)
})

test('at the start, what killed processes of this machine have left is removed', async () => {
  const folder = temporaryFolder()
  const ended = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(ended, 'exit')
  const nameOf = (pid: number | undefined, host = hostname()) => `work-${host}-${pid}-abcdef`
  const kept = [nameOf(process.ppid), nameOf(ended.pid, 'other'), 'work-abcdef'].toSorted()
  const parent = join(folder, '.temporary')
  for (const name of [...kept, nameOf(ended.pid), nameOf(process.pid)]) {
    mkdirSync(join(parent, name), { recursive: true })
    writeFileSync(join(parent, name, 'recording.wav'), 'audio')
  }
  await removeLeftovers(folder)
  assert.deepEqual(readdirSync(parent).toSorted(), kept)
  await removeLeftovers(join(folder, 'missing'))
})
