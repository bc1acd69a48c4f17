import { hash, randomBytes } from 'node:crypto'
import { isId } from '../kit/id.ts'

/** A socket or stream must be open by then, or its call ends. */
export const open_within_ms = 60_000
const id_bytes = 16
const secret_bytes = 32

export interface SocketToken {
  workspace: string
  call_id: string
  /** Only this is stored. It needs no salt, because 32 random bytes can't be guessed. */
  hash: string
}

/** A token that opens the socket of a call. It says whose call it is, so that it is found in its workspace. */
export function newSocketToken(workspace: string, call_id: string): { text: string; hash: string } {
  const bytes = Buffer.concat([bytesOf(workspace), bytesOf(call_id), randomBytes(secret_bytes)])
  const text = bytes.toString('base64url')
  return { text, hash: hash('sha256', text) }
}

/** Undefined for what is no token. */
export function parseSocketToken(text: string): SocketToken | undefined {
  if (!/^[\w-]{86}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64url')
  const [workspace, call_id] = [0, id_bytes].map((start) => idOf(bytes.subarray(start, start + id_bytes)))
  if (!workspace || !call_id || !isId(workspace) || !isId(call_id)) return undefined
  return { workspace, call_id, hash: hash('sha256', text) }
}

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const idOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
