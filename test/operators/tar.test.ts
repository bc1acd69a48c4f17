import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTar, type TarEntry, writeTar } from '../../server/cli/tar.ts'

async function* listed<T>(items: T[]): AsyncGenerator<T> {
  yield* items
}

const write = async (entries: TarEntry[]): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(writeTar(listed(entries), { mtime_ms: 0 })))

/** The source comes in pieces of this size. */
const piecesOf = (bytes: Buffer, size: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))

async function read(bytes: Buffer, size = 1000): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const { name, content } of readTar(listed(piecesOf(bytes, size))))
    found[name] = Buffer.concat(await Array.fromAsync(content)).toString()
  return found
}

const entry = (name: string, text: string): TarEntry => ({
  name,
  size: Buffer.byteLength(text),
  content: [Buffer.from(text)],
})

const long_name = `${'a'.repeat(100)}/${'b'.repeat(54)}/${'c'.repeat(100)}`

test('files are read as they were written, with names up to the limit', async () => {
  const files = { empty: '', one: 'x', block: 'y'.repeat(512), more: 'z'.repeat(513), [long_name]: 'ä' }
  const bytes = await write(Object.entries(files).map(([name, text]) => entry(name, text)))
  for (const size of [1, 511, 512, 100_000]) assert.deepEqual(await read(bytes, size), files)
})

test('content that nobody reads is skipped', async () => {
  const bytes = await write([entry('one', 'x'.repeat(2000)), entry('two', 'y')])
  const names = await Array.fromAsync(readTar(listed([bytes])), ({ name }) => name)
  assert.deepEqual(names, ['one', 'two'])
})

test('what does not fit is refused', async () => {
  await assert.rejects(write([entry(`${long_name}c`, '')]), /the name is too long/)
  await assert.rejects(write([{ name: 'large', size: 8 ** 11, content: [] }]), /large is too large/)
  await assert.rejects(
    write([{ name: 'short', size: 2, content: [Buffer.from('x')] }]),
    /short has 1 bytes instead of 2/,
  )
})

test('an archive that is cut or changed is refused', async () => {
  const bytes = await write([entry('one', 'x'.repeat(600))])
  for (const end of [0, 1, 512, 700, 1536, bytes.length - 1])
    await assert.rejects(read(bytes.subarray(0, end)), /not complete/, `${end} bytes`)
  for (const changed of [0, 130, 257]) {
    const copy = Buffer.from(bytes)
    copy.writeUInt8(copy.readUInt8(changed) ^ 1, changed)
    await assert.rejects(read(copy), /a header is damaged/, `byte ${changed}`)
  }
})
