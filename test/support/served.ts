import { EventEmitter } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { after } from 'node:test'
import { newToken } from '../../server/api-keys/token.ts'
import { readConfig } from '../../server/config.ts'
import { serve } from '../../server/main.ts'
import type { Shell, StopSignal } from '../../server/start/shell.ts'
import { fake_sound } from './fake-speech.ts'

const key = newToken()
export const secrets_key = 'a secret that is long enough for this'

/** Runs the whole service in this process, with speech without models. */
export async function startService(database_url: string, environment: Record<string, string> = {}) {
  const env = {
    DATABASE_URL: database_url,
    SECRETS_KEY: secrets_key,
    BOOTSTRAP_API_KEY: key,
    PORT: '0',
    LOG_LEVEL: 'silent',
    ...environment,
  }
  const signals = new EventEmitter()
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>()
  const stdout = new PassThrough()
  const shell: Shell = {
    env,
    stdin: Readable.from([]),
    stdout,
    stderr: new PassThrough(),
    exit,
    on: (event, listener) => signals.on(event, listener),
  }
  await serve(readConfig(env), { shell, is_json: false, sound: fake_sound })
  const [, address = ''] = /Base address +(\S+)\/api\/v1/.exec(String(stdout.read())) ?? []
  const request = (method: string, path: string, body?: object) =>
    fetch(address + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const signal = (name: StopSignal) => void signals.emit(name)
  const throwError = () => void signals.emit('uncaughtException', new Error('a bug'))
  after(() => signals.removeAllListeners())
  return { address, request, signal, throwError, exited }
}
