import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { promisify } from 'node:util'
import wavefile from 'wavefile'
import type { AudioToRender } from '../../server/calls/carrier.ts'
import { removeOldRecordings } from '../../server/calls/erase.ts'
import { keyOf, store } from '../../server/calls/record/files.ts'
import type { Blob } from '../../server/kit/blobs/blobs.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openTestBucket } from '../support/buckets.ts'
import { temporaryFolder } from '../support/folders.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { until } from '../support/model-servers.ts'
import { addRecordedCall, one_word, short_talk, spokenTurn, untilRendered } from '../support/recorded-calls.ts'

const data_dir = temporaryFolder()
const { workspace, pool, url, at } = await serve({ data_dir })
const created_at = '2026-11-15T09:30:00.000Z'
const day_ms = 24 * 60 * 60 * 1000

async function get({ key }: Tenant, id: string, headers: Record<string, string> = {}, method = 'GET', base = url) {
  const response = await untilRendered(() =>
    fetch(`${base}/api/v1/calls/${id}/recording`, { method, headers: { authorization: `Bearer ${key}`, ...headers } }),
  )
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const fileOf = ({ id: workspace }: Tenant, id: string) =>
  join(data_dir, 'recordings', workspace, '2026/11', `${id}.wav`)
const recordingOf = (tenant: Tenant, id: string) =>
  pool.one<{ recording_status: string; recording_deleted_at: string | null; recording_deleted_by: string | null }>(
    sql`select recording_status, recording_deleted_at, recording_deleted_by from calls
      where workspace_id = ${tenant.id} and id = ${id}`,
  )

const pendingFiles = ({ id }: Tenant) =>
  pool.many<{ id: string }>(sql`select id from recording_files where workspace_id = ${id}`)

/** Whether a channel has something other than silence between two times. */
function isLoud(samples: ArrayLike<number>, start_ms: number, end_ms: number): boolean {
  for (let index = start_ms * 8; index < end_ms * 8; index += 1) if (Math.abs(samples[index] ?? 0) > 500) return true
  return false
}

test('a recording is a WAV file as long as the call, with the contact left and the agent right', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, { duration_ms: 10_123 })
  const { status, headers, bytes } = await get(tenant, id)
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'audio/wav')
  assert.equal(headers.get('content-disposition'), 'attachment; filename="recording.wav"')
  assert.equal(headers.get('cache-control'), 'private, no-cache')
  assert.equal(headers.get('accept-ranges'), 'bytes')
  const samples = 10_123 * 8
  assert.equal(Number(headers.get('content-length')), bytes.length)
  const wav = new wavefile.WaveFile(bytes)
  const { audioFormat, numChannels, sampleRate, bitsPerSample, blockAlign, byteRate } = Object(wav.fmt)
  assert.deepEqual(
    [audioFormat, numChannels, sampleRate, bitsPerSample, blockAlign, byteRate],
    [7, 2, 8_000, 8, 2, 16_000],
  )
  assert.deepEqual([Object(wav.fact).dwSampleLength, Object(wav.data).chunkSize], [samples, 2 * samples])
  wav.fromMuLaw()
  const [left, right] = wav.getSamples() as unknown as [Float64Array, Float64Array]
  assert.deepEqual([left.length, right.length], [samples, samples])
  assert.deepEqual(
    [isLoud(left, 0, 3_400), isLoud(left, 3_500, 5_905), isLoud(left, 9_000, 10_123)],
    [false, true, false],
  )
  assert.deepEqual(
    [isLoud(right, 0, 2_860), isLoud(right, 2_860, 6_500), isLoud(right, 6_500, 7_930)],
    [true, false, true],
  )
  assert.ok(isLoud(left, 7_500, 7_930), 'both speak at the same time')
  assert.ok(existsSync(fileOf(tenant, id)))
})

test('this process and another one render the same bytes; another voice or other words differ', async () => {
  const tenant = await workspace()
  const turns = short_talk.slice(0, 2)
  const id = await addRecordedCall(pool, tenant, { duration_ms: 6_000, turns })
  const own = sha256((await get(tenant, id)).bytes)
  const parts = (role: string) => turns.flatMap((turn) => (turn.role === role ? turn.speech : []))
  const talk: AudioToRender = {
    id,
    workspace: tenant.id,
    duration_ms: 6_000,
    contact: { voice: 'rms', parts: parts('contact') },
    agent: { voice: null, parts: parts('agent') },
  }
  const said = (voice: string | null, text: string): AudioToRender => ({
    ...talk,
    duration_ms: 1_000,
    contact: { voice: null, parts: [] },
    agent: { voice, parts: [{ text, start_ms: 0, end_ms: 1_000 }] },
  })
  const audios = [talk, said(null, 'Yes.'), said('rms', 'Yes.'), said(null, 'No.')]
  const script = join(import.meta.dirname, '../support/render-in-process.ts')
  const ended = await promisify(execFile)(process.execPath, [script, temporaryFolder(), JSON.stringify(audios)])
  assert.equal(ended.stderr, '', 'no warning of an experimental feature')
  const [same, ...others] = ended.stdout.trim().split('\n')
  assert.equal(same, own)
  assert.deepEqual([others.length, new Set(others).size], [3, 3])
})

test('the length is exact whatever is said: too much, nothing, at the very end, or after it', async () => {
  const tenant = await workspace()
  const part = (text: string, start_ms: number, end_ms: number) => ({ text, start_ms, end_ms })
  const speech = [
    part('This is far too much to say in so short a time, whoever says it.', 0, 300),
    part('', 300, 400),
    part('日本語', 400, 900),
    part('word '.repeat(20), 900, 3_900),
    part('Overlapping.', 4_000, 4_950),
    part('The end.', 4_990, 6_000),
  ]
  const turns = [spokenTurn({ seq: 1, role: 'contact', speech })]
  for (const duration_ms of [5_000, 1, 0]) {
    const id = await addRecordedCall(pool, tenant, { duration_ms, turns })
    const { status, bytes } = await get(tenant, id)
    assert.deepEqual([status, bytes.length], [200, 58 + duration_ms * 16])
  }
})

test('a call that is requested many times at once is rendered once', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  const answers = await Promise.all(Array.from({ length: 4 }, () => get(tenant, id)))
  assert.deepEqual(new Set(answers.map(({ status, bytes }) => `${status} ${sha256(bytes)}`)).size, 1)
  // A request that comes again finds the file before the temporary one is removed.
  await until(() => readdirSync(join(data_dir, 'recordings/.temporary')).length === 0)
})

test('ranges: one is 206, one past the end 416, several and invalid ones are the whole file', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  const { bytes, headers } = await get(tenant, id)
  const etag = headers.get('etag') ?? ''
  const size = bytes.length
  const ranges: [string, number, number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=10-99', 10, 99],
    ['bytes=58-', 58, size - 1],
    ['bytes=-16', size - 16, size - 1],
    [`bytes=-${size + 5}`, 0, size - 1],
    [`bytes=1-${size + 5}`, 1, size - 1],
  ]
  for (const [range, start, end] of ranges) {
    const answer = await get(tenant, id, { range })
    assert.deepEqual(
      [answer.status, answer.headers.get('content-range')],
      [206, `bytes ${start}-${end}/${size}`],
      range,
    )
    assert.ok(answer.bytes.equals(bytes.subarray(start, end + 1)), range)
    assert.equal(answer.headers.get('etag'), etag)
  }
  for (const range of [`bytes=${size}-`, `bytes=${size}-${size + 1}`, `bytes=${'9'.repeat(400)}-`, 'bytes=-0']) {
    const answer = await get(tenant, id, { range })
    assert.deepEqual([answer.status, answer.headers.get('content-range')], [416, `bytes */${size}`], range)
    assert.equal(JSON.parse(String(answer.bytes)).error.code, 'RANGE_NOT_SATISFIABLE')
  }
  const ignored = [
    'bytes=0-1,5-6',
    'seconds=1-2',
    'bytes=5-4',
    'bytes=-',
    'bytes=a-b',
    'bytes=0 - 5',
    'bytes=1',
    'bytes',
  ]
  for (const range of [...ignored, `bytes=${' '.repeat(15_000)}x`]) {
    const answer = await get(tenant, id, { range })
    assert.deepEqual([answer.status, answer.bytes.length], [200, size], range)
  }
  const same = await get(tenant, id, { range: 'bytes=0-9', 'if-range': etag })
  const other = await get(tenant, id, { range: 'bytes=0-9', 'if-range': '"other"' })
  assert.deepEqual([same.status, other.status, other.bytes.length], [206, 200, size])
})

test('HEAD and conditional requests', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  const { bytes, headers } = await get(tenant, id)
  const etag = headers.get('etag') ?? ''
  const head = await get(tenant, id, { range: 'bytes=0-9' }, 'HEAD')
  assert.deepEqual([head.status, head.bytes.length, head.headers.get('content-length')], [200, 0, String(bytes.length)])
  assert.equal(head.headers.get('etag'), etag)
  const unchanged = await get(tenant, id, { 'if-none-match': `"x", ${etag}` })
  assert.deepEqual([unchanged.status, unchanged.bytes.length], [304, 0])
  assert.equal((await get(tenant, id, { 'if-match': '"x"' })).status, 412)
})

test('there is nothing without a recording, in other workspaces, and without the scope', async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  for (const recording_status of ['none', 'deleted', 'failed']) {
    const id = await addRecordedCall(pool, tenant, { recording_status })
    assert.deepEqual([(await get(tenant, id)).status, (await get(tenant, id, {}, 'HEAD')).status], [404, 404])
  }
  const id = await addRecordedCall(pool, tenant, one_word)
  assert.equal((await get(other, id)).status, 404)
  assert.equal((await get(tenant, newId())).status, 404)
  const key = await tenant.newKey({ scopes: ['calls:read', 'recordings:write'] })
  assert.equal((await get({ ...tenant, key }, id)).status, 403)
  const real = await addRecordedCall(pool, tenant, { is_test: false })
  assert.equal((await get(tenant, real)).status, 404, 'the file of a real call is missing')
})

test('a file that is missing is rendered again, with the same bytes', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  const first = await get(tenant, id)
  rmSync(fileOf(tenant, id))
  const second = await get(tenant, id)
  assert.deepEqual([second.status, sha256(second.bytes)], [200, sha256(first.bytes)])
})

test('a deleted recording is gone, with when and by whom; the transcript stays', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  await get(tenant, id)
  const stale = await tenant.call('DELETE', `/calls/${id}/recording`, undefined, { 'if-match': '"x"' })
  assert.equal(stale.status, 412)
  assert.ok(existsSync(fileOf(tenant, id)))
  const deleted = await tenant.call('DELETE', `/calls/${id}/recording`)
  assert.equal(deleted.status, 200, deleted.text)
  assert.deepEqual(deleted.body.data.recording, { status: 'deleted', duration_ms: null, format: null })
  assert.equal((await get(tenant, id)).status, 404)
  await tenant.work()
  assert.ok(!existsSync(fileOf(tenant, id)))
  const row = await recordingOf(tenant, id)
  assert.ok(row.recording_deleted_at)
  assert.match(row.recording_deleted_by ?? '', /^api_key [0-9a-f-]{36}$/)
  assert.equal((await get(tenant, id)).status, 404)
  const again = await tenant.call('DELETE', `/calls/${id}/recording`)
  assert.deepEqual([again.status, again.body.error.message], [404, 'The recording was deleted.'])
  assert.equal((await tenant.call('GET', `/calls/${id}/transcript`)).body.data.turns.length, 1)
  const events = (await tenant.call('GET', '/events?type=call.updated')).body.data
  assert.deepEqual(
    events.map((event: { data: { id: string } }) => event.data.id),
    [id],
  )
})

test('no file is left when recordings are deleted while they are rendered', async () => {
  const tenant = await workspace()
  for (const wait_ms of [0, 100, 400]) {
    const id = await addRecordedCall(pool, tenant, one_word)
    const reading = get(tenant, id).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, wait_ms))
    const deleted = await tenant.call('DELETE', `/calls/${id}/recording`)
    assert.equal(deleted.status, 200)
    await reading
    await tenant.work()
    assert.ok(!existsSync(fileOf(tenant, id)), `after ${wait_ms} ms`)
    assert.deepEqual(await pendingFiles(tenant), [])
    assert.equal((await get(tenant, id)).status, 404)
  }
})

test('redacting a call deletes its recording', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  await get(tenant, id)
  const redacted = await tenant.call('POST', `/calls/${id}/redact`)
  assert.deepEqual([redacted.status, redacted.body.data.recording.status], [200, 'deleted'], redacted.text)
  await tenant.work()
  assert.ok(!existsSync(fileOf(tenant, id)))
  const { turns } = (await tenant.call('GET', `/calls/${id}/transcript`)).body.data
  assert.deepEqual(
    turns.flatMap(({ words }: { words: unknown[] }) => words),
    [],
  )
})

test('recordings are deleted after the days that the workspace keeps them', async () => {
  const tenant = await workspace()
  const [old, recent] = [await addRecordedCall(pool, tenant, one_word), await addRecordedCall(pool, tenant, one_word)]
  for (const id of [old, recent]) await get(tenant, id)
  await pool.run(
    sql`update calls set created_at = '2026-11-16T09:30:00Z' where workspace_id = ${tenant.id} and id = ${recent}`,
  )
  const now = Date.parse('2026-11-15T09:30:00.001Z') + 90 * day_ms
  await removeOldRecordings(at(tenant.id, now), { recordings_keep_days: null })
  assert.equal((await recordingOf(tenant, old)).recording_status, 'ready')
  await removeOldRecordings(at(tenant.id, now), { recordings_keep_days: 90 })
  assert.deepEqual(await recordingOf(tenant, old), {
    recording_status: 'deleted',
    recording_deleted_at: new Date(now).toISOString(),
    recording_deleted_by: 'retention',
  })
  await tenant.work(now)
  assert.ok(!existsSync(fileOf(tenant, old)) && existsSync(fileOf(tenant, recent)))
  assert.equal((await recordingOf(tenant, recent)).recording_status, 'ready')
})

test('recordings can be in a bucket; what is deleted while it is out of reach is removed later', async () => {
  const bucket = await openTestBucket()
  const inBucket = await serve({ data_dir: temporaryFolder(), bucket })
  const tenant = await inBucket.workspace()
  const id = await addRecordedCall(inBucket.pool, tenant, one_word)
  const whole = await get(tenant, id, {}, 'GET', inBucket.url)
  assert.equal(whole.status, 200)
  const range = await get(tenant, id, { range: 'bytes=100-199' }, 'GET', inBucket.url)
  assert.deepEqual([range.status, sha256(range.bytes)], [206, sha256(whole.bytes.subarray(100, 200))])
  const broken = await serve({ data_dir: temporaryFolder(), bucket: { ...bucket, url: 'http://127.0.0.1:1/none' } })
  assert.equal((await get(tenant, id, {}, 'GET', broken.url)).status, 503)
  const headers = { authorization: `Bearer ${tenant.key}` }
  const removals = () =>
    bucket.requests.filter((request) => request === `DELETE /recordings/${keyOf(tenant.id, { id, created_at })}`)
  const deleted = await broken.fetch('DELETE', `/api/v1/calls/${id}/recording`, undefined, headers)
  assert.deepEqual([deleted.status, (await recordingOf(tenant, id)).recording_status], [200, 'deleted'])
  assert.equal((await get(tenant, id, {}, 'GET', inBucket.url)).status, 404)
  assert.equal(removals().length, 0)
  await tenant.work()
  assert.equal(removals().length, 1)
  assert.deepEqual(await pendingFiles(tenant), [])
  assert.deepEqual(bucket.wrong_signatures, [])
})

test('no transaction is open while a recording is stored or removed, and a file that appears late is removed', async () => {
  const bucket = await openTestBucket()
  const inBucket = await serve({ data_dir: temporaryFolder(), bucket })
  const tenant = await inBucket.workspace()
  const id = await addRecordedCall(inBucket.pool, tenant, one_word)
  const held = bucket.hold('PUT')
  const reading = get(tenant, id, {}, 'GET', inBucket.url)
  await held.begun
  const deleted = await tenant.call('DELETE', `/calls/${id}/recording`)
  assert.equal(deleted.status, 200, 'the upload holds no lock')
  await tenant.work()
  assert.deepEqual(await pendingFiles(tenant), [{ id }], 'the upload may still bring the file')
  held.release()
  assert.equal((await reading).status, 404)
  const removing = bucket.hold('DELETE')
  const working = tenant.work()
  await removing.begun
  assert.equal((await tenant.call('PATCH', `/calls/${id}`, { metadata: { a: 'b' } })).status, 200)
  removing.release()
  await working
  assert.deepEqual(await pendingFiles(tenant), [])
  const key = keyOf(tenant.id, { id, created_at })
  assert.equal(await inBucket.at(tenant.id).tools.blobs.size(key), undefined)
})

test('a process that is killed after it has stored the file of a deleted recording leaves nothing', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  const killed = at(tenant.id)
  const { blobs } = killed.tools
  const dying = {
    ...blobs,
    async put(key: string, wav: Blob) {
      await tenant.call('DELETE', `/calls/${id}/recording`)
      await tenant.work()
      await blobs.put(key, wav)
      throw new Error('killed')
    },
  }
  const wav = { size: 3, stream: Readable.from([Buffer.from('wav')]) }
  await assert.rejects(
    store({ ...killed, tools: { ...killed.tools, blobs: dying } }, { id, created_at }, wav),
    /killed/,
  )
  assert.ok(existsSync(fileOf(tenant, id)))
  // The time at which the upload must have ended has come.
  await pool.run(
    sql`update recording_files set lease_until = null, upload_until = '2026-01-01' where workspace_id = ${tenant.id}`,
  )
  await tenant.work()
  assert.ok(!existsSync(fileOf(tenant, id)))
  assert.deepEqual(await pendingFiles(tenant), [])
})

test('a file whose process was killed stays if its recording is ready', async () => {
  const tenant = await workspace()
  const id = await addRecordedCall(pool, tenant, one_word)
  assert.equal((await get(tenant, id)).status, 200)
  await pool.run(
    sql`insert into recording_files (workspace_id, id, blob_key, upload_until, due_at)
      values (${tenant.id}, ${id}, ${keyOf(tenant.id, { id, created_at })}, '2026-01-01', '2026-01-01')`,
  )
  await tenant.work()
  assert.ok(existsSync(fileOf(tenant, id)))
  assert.deepEqual(await pendingFiles(tenant), [])
})
