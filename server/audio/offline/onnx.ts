import { createRequire } from 'node:module'
import path from 'node:path'

/**
 * The part of onnxruntime-node that is used here. It lies in the folder of offline speech and not among the packages of
 * the service.
 */
interface Onnx {
  Tensor: new (type: 'float32' | 'int64' | 'bool', data: TensorData, dims: readonly number[]) => Tensor
  InferenceSession: { create: (file: string, options: object) => Promise<Session> }
}
export interface Session {
  inputNames: readonly string[]
  /** Runs the model in this thread: nothing else runs in it meanwhile. */
  run: (feeds: Tensors) => Promise<Tensors>
}
export interface Tensor {
  data: TensorData
  dims: readonly number[]
}
export type Tensors = Record<string, Tensor>
type TensorData = Float32Array | BigInt64Array | Uint8Array

/** Each session uses one processor, because calls that run at once share the processors better this way. */
const session_options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 }

export const requireFrom = (folder: string): NodeJS.Require => createRequire(path.join(folder, 'package.json'))

/** Loads the runtime in `folder`. */
export function loadOnnx(folder: string) {
  // The type is true for the version in the lock file of speech/.
  const onnx = requireFrom(folder)('onnxruntime-node') as Onnx
  const open = (file: string): Promise<Session> =>
    onnx.InferenceSession.create(path.join(folder, 'node_modules', file), session_options)
  return { Tensor: onnx.Tensor, open }
}

/** Returns an output of the model, which must have it. */
export function output(tensors: Tensors, name: string): Tensor {
  const tensor = tensors[name]
  if (!tensor) throw new Error(`the model has no output ${name}`)
  return tensor
}

export const floats = ({ data }: Tensor): Float32Array => {
  if (data instanceof Float32Array) return data
  throw new Error('the model returned other numbers than floats')
}
