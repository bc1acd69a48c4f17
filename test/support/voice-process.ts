import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { addFakeSpeech } from './fake-speech.ts'
import { openServer, testPool } from './harness.ts'

export interface VoiceProcess {
  /** Of its socket. */
  url: string
  kill: () => Promise<void>
}

/** A process that has the sockets of calls, and speech without models. It has no other work, as with `serve --only api`. */
export async function startVoiceProcess(): Promise<VoiceProcess> {
  const child = fork(fileURLToPath(import.meta.url), { stdio: 'inherit' })
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
  const server = await openServer(testPool())
  addFakeSpeech(server)
  process.send?.(server.url)
  process.on('disconnect', () => process.exit())
}
