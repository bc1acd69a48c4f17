import assert from 'node:assert/strict'
import { openZip } from '../../server/documents/parse/zip.ts'
import type { Server, Tenant } from './harness.ts'

/** All that the export of a person has, by the name of the file. */
export async function everythingOf({ url }: Pick<Server, 'url'>, { key }: Tenant, contact_id: string) {
  const response = await fetch(`${url}/api/v1/contacts/${contact_id}/everything`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(response.status, 200, bytes.toString())
  return unzip(bytes)
}

/** The files of an archive, by name. */
export function unzip(bytes: Buffer): Map<string, Buffer> {
  const read = openZip(bytes)
  return new Map(namesIn(bytes).map((name) => [name, read(name, bytes.length * 1_100) ?? assert.fail(name)]))
}

/** Reads the names from the directory at the end of the archive, which is not a large one. */
function namesIn(bytes: Buffer): string[] {
  const end = bytes.length - 22
  const names: string[] = []
  let at = bytes.readUInt32LE(end + 16)
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const length = bytes.readUInt16LE(at + 28)
    names.push(bytes.toString('utf8', at + 46, at + 46 + length))
    at += 46 + length + bytes.readUInt16LE(at + 30)
  }
  return names
}

export const linesOf = (file: Buffer | undefined): Record<string, unknown>[] =>
  (file?.toString() ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
