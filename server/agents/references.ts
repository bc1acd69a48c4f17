import * as documents from '../documents/store.ts'
import type { At } from '../kit/at.ts'
import type { Fault } from '../kit/problem.ts'
import { speechFaults } from '../models/speech.ts'
import * as models from '../models/store.ts'
import { findNamed } from '../tools/mcp-tools.ts'
import { built_in_names } from '../tools/schema.ts'
import type { Configuration } from './configuration.ts'

/** Finds the tools, providers and models that the configuration names and that don't exist. */
export async function unknownNames(at: At, configuration: Configuration): Promise<Fault[]> {
  const [unknown_tools, unknown_models, speech_faults, unknown_documents] = await Promise.all([
    unknownTools(at, configuration),
    unknownModels(at, configuration),
    speechFaults(at, configuration.speech),
    unknownDocuments(at, configuration),
  ])
  const unknown_speech = speech_faults.map(({ path, message }) => unknown(`speech.${path}`, message))
  return [...unknown_models, ...unknown_speech, ...unknown_tools, ...unknown_documents]
}

async function unknownDocuments(at: At, { knowledge }: Configuration): Promise<Fault[]> {
  const { document_ids: ids = [] } = knowledge ?? {}
  const known = ids.length > 0 ? await documents.existing(at, ids) : new Set()
  return ids.flatMap((id, index) =>
    known.has(id) ? [] : [unknown(`knowledge.document_ids.${index}`, `is "${id}", which is not the id of a document.`)],
  )
}

async function unknownTools(at: At, { tools: names }: Configuration): Promise<Fault[]> {
  if (names.length === 0) return []
  const found = await findNamed(at, names)
  const known = new Set([...built_in_names, ...found.keys()])
  return names.flatMap((name, index) =>
    known.has(name) ? [] : [unknown(`tools.${index}`, `is "${name}", which is not the name of a tool.`)],
  )
}

async function unknownModels(at: At, configuration: Configuration): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const field of ['model', 'fallback_model'] as const) {
    const model = configuration[field]
    const fault = model && (await models.choiceFault(at, model))
    if (fault) faults.push(unknown(`${field}.${fault.path}`, fault.message))
  }
  return faults
}

export const unknown = (path: string, message: string): Fault => ({
  path,
  code: 'unknown',
  message: `${path} ${message}`,
})
