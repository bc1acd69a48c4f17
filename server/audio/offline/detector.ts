import { heard_rate } from '../../kit/sound/rates.ts'
import { floats, loadOnnx, output } from './onnx.ts'
import { models } from './parts.ts'

/** Hears with Silero whether someone speaks, in several calls. */
export interface Detectors {
  /** Returns how likely someone speaks. A detector begins with its first samples. */
  hear: (detector: number, samples: Float32Array) => Promise<number>
  close: (detector: number) => void
}

const frame_samples = 512
/** The model wants the end of the last frame too, and hears nothing without it. */
const context_samples = 64
const state_shape = [2, 1, 128] as const
const state_size = 2 * 128

interface State {
  memory: Float32Array
  context: Float32Array
}

export async function openDetectors(folder: string): Promise<Detectors> {
  const { Tensor, open } = loadOnnx(folder)
  const session = await open(models.detector)
  const rate = new Tensor('int64', BigInt64Array.of(BigInt(heard_rate)), [])
  const states = new Map<number, State>()
  const newState = (): State => ({ memory: new Float32Array(state_size), context: new Float32Array(context_samples) })

  async function hear(detector: number, samples: Float32Array): Promise<number> {
    if (samples.length !== frame_samples) throw new Error(`a frame has ${frame_samples} samples`)
    const { memory, context } = states.get(detector) ?? newState()
    const input = new Float32Array(context_samples + frame_samples)
    input.set(context)
    input.set(samples, context_samples)
    const heard = await session.run({
      input: new Tensor('float32', input, [1, input.length]),
      state: new Tensor('float32', memory, state_shape),
      sr: rate,
    })
    states.set(detector, { memory: floats(output(heard, 'stateN')), context: input.slice(-context_samples) })
    return floats(output(heard, 'output'))[0] ?? 0
  }

  return { hear, close: (detector) => void states.delete(detector) }
}
