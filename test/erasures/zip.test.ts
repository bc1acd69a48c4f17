import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { writeZip, type ZipEntry } from '../../server/erasures/zip.ts'
import { unzip } from '../support/everything.ts'
import { temporaryFolder } from '../support/folders.ts'

const mtime_ms = Date.parse('2026-11-19T13:14:16Z')

async function zip(entries: ZipEntry[], small?: { entries: number; bytes: number }): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of writeZip(asStream(entries), { mtime_ms, ...(small && { small }) })) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function* asStream<T>(all: T[]): AsyncGenerator<T> {
  yield* all
}

const noise = randomBytes(300_000)
const files: ZipEntry[] = [
  { name: 'empty.txt', content: [] },
  {
    name: 'nothing at first.txt',
    content: [Buffer.alloc(0), Buffer.from('then '), Buffer.alloc(0), Buffer.from('text')],
  },
  { name: 'Grüße/ähnlich.txt', content: [Buffer.from('ä'.repeat(50_000))] },
  { name: 'noise.bin', content: [noise.subarray(0, 65_536), noise.subarray(65_536)] },
]
const contents = new Map(files.map(({ name, content }) => [name, Buffer.concat([...(content as Buffer[])])]))

test('what was written is read again, also when a file comes in pieces or is empty', async () => {
  assert.deepEqual(unzip(await zip(files)), contents)
})

/** Reads the archive with its checksums, and prints names, sizes and times. */
const python = `
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
for i in z.infolist(): print(i.filename, i.file_size, *i.date_time)
`

test('another program reads it, with checksums, names and times', { skip: !hasPython() }, async () => {
  const file = path.join(temporaryFolder(), 'all.zip')
  fs.writeFileSync(file, await zip(files))
  const printed = execFileSync('python3', ['-c', python, file], { encoding: 'utf8', env: { PYTHONIOENCODING: 'utf8' } })
  const expected = [...contents].map(([name, { length }]) => `${name} ${length} 2026 11 19 13 14 16`)
  assert.deepEqual(printed.trim().split('\n'), expected)
})

test('another program reads what has too many files, or is too long, for the small kind of end', {
  skip: !hasPython(),
}, async () => {
  for (const small of [
    { entries: 3, bytes: 0xff_ff_ff_fe },
    { entries: 65_534, bytes: 100 },
  ]) {
    const file = path.join(temporaryFolder(), 'large.zip')
    fs.writeFileSync(file, await zip(files, small))
    const printed = execFileSync('python3', ['-c', python, file], {
      encoding: 'utf8',
      env: { PYTHONIOENCODING: 'utf8' },
    })
    assert.equal(printed.trim().split('\n').length, files.length)
  }
})

test('a reader that stops closes what is being read', async () => {
  let closed = 0
  async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield noise
    } finally {
      closed += 1
    }
  }
  let pieces = 0
  for await (const _ of writeZip(asStream([{ name: 'endless', content: endless() }]), { mtime_ms })) {
    pieces += 1
    if (pieces === 5) break
  }
  assert.equal(closed, 1)
})

function hasPython(): boolean {
  try {
    execFileSync('python3', ['-c', 'import zipfile'])
    return true
  } catch {
    return false
  }
}
