import { parentPort, workerData } from 'node:worker_threads'
import { errorMessage } from '../../kit/problem.ts'
import type { FromHearing, ToHearing } from './messages.ts'
import { openRecogniser, type Phrase } from './recogniser.ts'

const send = (message: FromHearing) => parentPort?.postMessage(message)
const loading = openRecogniser(workerData)
const running = new Map<number, AbortController>()

parentPort?.on('message', (message: ToHearing) => {
  if (message.kind === 'cancel') running.get(message.id)?.abort()
  if (message.kind === 'recognise') void recognise(message.id, message.phrase)
})

async function recognise(id: number, phrase: Phrase): Promise<void> {
  const canceling = new AbortController()
  running.set(id, canceling)
  try {
    const recogniser = await loading
    send({ kind: 'recognised', id, text: await recogniser.recognise(phrase, canceling.signal) })
  } catch (error) {
    send({ kind: 'failed', id, message: errorMessage(error) })
  } finally {
    running.delete(id)
  }
}

await loading
send({ kind: 'ready' })
