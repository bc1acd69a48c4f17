import { parentPort, workerData } from 'node:worker_threads'
import { errorMessage } from '../../kit/problem.ts'
import { openSynthesizer } from '../flite.ts'
import { splitText } from './split-text.ts'
import { joinSpoken, trimSpoken, type VoicedText } from './voiced-text.ts'

/** The messages between the service and the thread that speaks. */
export interface ToVoice {
  id: number
  text: string
  voice: string
  stretch_percent: number
}
export type FromVoice = { id: number; spoken: VoicedText } | { id: number; error: string }

const synthesizer = await openSynthesizer(workerData)
/** Flite speaks one text at a time. */
let last: Promise<void> = Promise.resolve()

parentPort?.on('message', (message: ToVoice) => {
  last = last.then(() => speak(message))
})

async function speak({ id, text, voice, stretch_percent }: ToVoice): Promise<void> {
  try {
    const pieces: VoicedText[] = []
    for (const piece of splitText(text))
      pieces.push(trimSpoken(piece, await synthesizer.speak({ text: piece, voice, stretch_percent })))
    const spoken = joinSpoken(pieces)
    send({ id, spoken }, [spoken.samples.buffer])
  } catch (error) {
    send({ id, error: errorMessage(error) }, [])
  }
}

function send(message: FromVoice, transferred: ArrayBuffer[]): void {
  parentPort?.postMessage(message, transferred)
}
