import { createRequire } from 'node:module'
import path from 'node:path'

/** Declares what is used of onnxruntime-node, which lies in the folder of offline speech and not among the packages of the service. */
export interface Onnx {
  Tensor: new (type: 'float32' | 'int64' | 'bool', data: TensorData, dims: readonly number[]) => Tensor
  InferenceSession: { create: (file: string, options: object) => Promise<Session> }
}
export interface Session {
  inputNames: readonly string[]
  /** Computes in this thread: nothing else runs in it meanwhile. */
  run: (feeds: Tensors) => Promise<Tensors>
}
export interface Tensor {
  data: TensorData
  dims: readonly number[]
}
export type Tensors = Record<string, Tensor>
type TensorData = Float32Array | BigInt64Array | Uint8Array

/** One processor for each session: calls that run at once share the processors better so. */
const session_options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 }

export const requireFrom = (folder: string): NodeJS.Require => createRequire(path.join(folder, 'package.json'))

/** Loads the runtime in `folder`. */
export function loadOnnx(folder: string) {
  // The lock file of speech/ says which version it is.
  const onnx = requireFrom(folder)('onnxruntime-node') as Onnx
  const open = (file: string): Promise<Session> =>
    onnx.InferenceSession.create(path.join(folder, 'node_modules', file), session_options)
  return { Tensor: onnx.Tensor, open }
}

/** An output that the model has. */
export function output(tensors: Tensors, name: string): Tensor {
  const tensor = tensors[name]
  if (!tensor) throw new Error(`the model has no output ${name}`)
  return tensor
}

export const floats = ({ data }: Tensor): Float32Array => {
  if (data instanceof Float32Array) return data
  throw new Error('the model returned other numbers than floats')
}
