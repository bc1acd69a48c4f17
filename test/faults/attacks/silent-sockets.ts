import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectRaw, final, frameOf, opcodes, repeated, textOf } from '../../support/raw-sockets.ts'
import type { Attack, AttackWorld } from './attack.ts'

const paths = ['/phone', '/voice']
const sockets = 400
const round_ms = 2_000
/** As fast as a socket of a call may be. */
const frames = 90
const send_every_ms = 100
/** All clients here are of one network. */
const open_max = 8

/** The first message of a carrier and of a browser at once, with a token that nobody has issued. */
const token = Buffer.alloc(64, 1).toString('base64url')
const start = { streamSid: 'MZ1', callSid: 'CA1', customParameters: { token } }
const tokens = textOf({ event: 'start', streamSid: 'MZ1', start, type: 'start', token, sample_rate: 16_000 })

const floods = {
  nothing: undefined,
  messages: repeated(textOf({ event: 'connected' }), frames),
  pings: repeated(frameOf(final | opcodes.ping), frames),
  fragments: Buffer.concat([frameOf(opcodes.text, '{'), repeated(frameOf(0), frames)]),
  'false tokens': repeated(tokens, frames),
}

/** Nobody needs a key for this. */
export const attack: Attack = {
  name: 'silent sockets',
  run: async (world) => {
    for (const path of paths)
      for (const [kind, flood] of Object.entries(floods)) await openMany(world, { path, kind, flood })
  },
}

/** They all send the same as long as they are open. */
async function openMany(
  { stack, url, print }: AttackWorld,
  { path, kind, flood }: { path: string; kind: string; flood: Buffer | undefined },
): Promise<void> {
  const opened = Array.from({ length: sockets }, () => open(url, path, flood))
  for (const socket of opened) stack.defer(() => void socket.destroy())
  await sleep(round_ms)
  const open_count = opened.filter(({ destroyed }) => !destroyed).length
  for (const socket of opened) socket.destroy()
  print(`${sockets} sockets at ${path} that send ${kind}: ${open_count} are open after ${round_ms / 1_000} s`)
  assert.ok(open_count <= open_max, `${open_count} sockets without a token are still open`)
}

/** Sends the flood again and again. */
function open(url: string, path: string, flood: Buffer | undefined): Socket {
  const socket = connectRaw(url, path)
  socket.once('data', () => {
    const timer = setInterval(() => flood && socket.write(flood), send_every_ms)
    socket.on('close', () => clearInterval(timer))
  })
  return socket.resume()
}
