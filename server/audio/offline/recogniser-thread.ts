import { parentPort, workerData } from 'node:worker_threads'
import { errorMessage } from '../../kit/problem.ts'
import type { FromHearing, ToHearing } from './messages.ts'
import { openRecogniser } from './recogniser.ts'

const send = (message: FromHearing) => parentPort?.postMessage(message)
const loading = openRecogniser(workerData)
const running = new Map<number, AbortController>()

parentPort?.on('message', async (message: ToHearing) => {
  if (message.kind === 'cancel') running.get(message.id)?.abort()
  if (message.kind !== 'recognise') return
  const { id, phrase } = message
  const canceling = new AbortController()
  running.set(id, canceling)
  try {
    const { recognise } = await loading
    send({ kind: 'recognised', id, text: await recognise(phrase, canceling.signal) })
  } catch (error) {
    send({ kind: 'failed', id, message: errorMessage(error) })
  } finally {
    running.delete(id)
  }
})

await loading
send({ kind: 'ready' })
