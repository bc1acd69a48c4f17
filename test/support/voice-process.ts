import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../server/config.ts'
import { addFakeSpeech } from './fake-speech.ts'
import { openServer, testPool } from './harness.ts'

export interface VoiceProcess {
  /** The URL of its socket. */
  url: string
  kill: () => Promise<void>
}

/** A process that has the sockets of calls, and speech without models. It has no other work, as with `serve --only api`. */
export async function startVoiceProcess(changes: Partial<Config> = {}): Promise<VoiceProcess> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(changes)], { stdio: 'inherit' })
  const [address] = await once(child, 'message')
  return {
    url: `${String(address).replace('http', 'ws')}/voice`,
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await openServer(testPool(), JSON.parse(process.argv[2] ?? '{}'))
  addFakeSpeech(server)
  process.send?.(server.url)
  process.on('disconnect', () => process.exit())
}
