import type { AtOutside } from '../kit/at.ts'
import { isObject } from '../kit/json.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { assertFewValues } from '../kit/outbound/json-limits.ts'
import { product } from '../product.ts'
import * as workspaces from '../workspaces/store.ts'
import { ModelError, openKey } from './language-model.ts'
import * as providers from './store.ts'

/** Turns texts into vectors: those of texts that mean the same are close to each other. */
export interface Embedder {
  /** Vectors with the same name can be compared. */
  name: string
  /** Returns a vector of the length 1 for each text. Fails with a ModelError or an OutboundError. */
  embed: (texts: string[], timeout_ms: number) => Promise<number[][]>
}

const kilobyte = 1024
/** A response may have this much, and this much more for each text: 4,096 numbers of 31 characters. */
const response_bytes = 64 * kilobyte
const text_bytes = 128 * kilobyte
const dimensions_max = 4_096
/** The numbers that a response may have besides its vectors. */
const more_values_max = 1_000

/** Returns undefined if no provider of the workspace has an embedding model, or none may be asked. */
export async function openEmbedder(at: AtOutside): Promise<Embedder | undefined> {
  const account = await providers.findEmbedding(at)
  if (!account || !(await workspaces.allowsNetwork(at))) return undefined
  const { id, base_url, embedding_model: model } = account
  return {
    name: `${id} ${model}`,
    async embed(texts, timeout_ms) {
      const api_key = openKey(at, account.api_key)
      const bytes_max = response_bytes + texts.length * text_bytes
      const { status, body } = await at.tools.outbound.send(`${base_url}/embeddings`, {
        headers: {
          'content-type': 'application/json',
          'user-agent': product.name,
          ...(api_key !== '' && { authorization: `Bearer ${api_key}` }),
        },
        body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
        timeout_ms,
        // A longer error is cut off there.
        bytes_max: bytes_max + 1,
      })
      if (status !== 200) throw new ModelError(`The embedding model has answered with ${status}.`)
      if (body.length > bytes_max)
        throw new ModelError(`The embedding model has answered with more than ${bytes_max / kilobyte} kB.`)
      // The vectors of many texts are megabytes, so others run between the steps.
      const json = body.toString()
      await letOthersRun({ is_urgent: true })
      assertFewValues(json, texts.length * dimensions_max + more_values_max)
      await letOthersRun({ is_urgent: true })
      return readVectors(json, texts.length)
    },
  }
}

function readVectors(json: string, count: number): number[][] {
  const vectors: (number[] | undefined)[] = Array.from({ length: count })
  try {
    const { data } = JSON.parse(json)
    for (const [position, item] of (data as unknown[]).entries()) {
      const { index = position, embedding } = isObject(item) ? item : {}
      if (isVector(embedding) && Number(index) in vectors) vectors[Number(index)] = toUnitLength(embedding)
    }
  } catch {
    // The error below reports a body that is not what it should be.
  }
  const complete = vectors.flatMap((vector) => (vector && vector.length === vectors[0]?.length ? [vector] : []))
  if (complete.length !== count)
    throw new ModelError('The embedding model has answered with something else than vectors.')
  return complete
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.length <= dimensions_max && value.every(Number.isFinite)

function toUnitLength(vector: number[]): number[] {
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}
