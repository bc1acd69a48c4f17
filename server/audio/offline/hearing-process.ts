import { errorMessage } from '../../kit/problem.ts'
import { startThread } from '../../kit/work/threads.ts'
import { openDetectors } from './detector.ts'
import type { FromHearing, ToHearing } from './messages.ts'

/**
 * This file runs in a process of its own, because ending a thread while the runtime computes would abort the whole
 * service. Frames are heard in the main thread and phrases are recognised in another one, so that no frame waits for a
 * phrase.
 */

const [folder = ''] = process.argv.slice(2)
const send = (message: FromHearing) => void process.send?.(message)
// The service has ended. SIGKILL, because an exit would wait for the thread.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))

const recogniser = startThread(new URL('./recogniser-thread.ts', import.meta.url), { data: folder })
recogniser.on('message', send)
// Without its recogniser this process is of no use, and the service starts another one.
recogniser.on('error', (error) => {
  console.error(`offline speech: ${errorMessage(error)}`)
  process.kill(process.pid, 'SIGKILL')
})

const loading = openDetectors(folder)
/** A detector's frames are heard one after the other. */
let last: Promise<void> = loading.then(() => {})

process.on('message', (message: ToHearing) => {
  if (message.kind === 'hear') last = last.then(() => hear(message))
  else if (message.kind === 'close_detector') last = last.then(async () => (await loading).close(message.detector))
  else recogniser.postMessage(message)
})

async function hear({ id, detector, samples }: Extract<ToHearing, { kind: 'hear' }>): Promise<void> {
  try {
    send({ kind: 'heard', id, probability: await (await loading).hear(detector, samples) })
  } catch (error) {
    send({ kind: 'failed', id, message: errorMessage(error) })
  }
}
