import type { At } from '../kit/at.ts'
import { hasControlCharactersExceptBreaks } from '../kit/http/validate-text.ts'
import { type Fault, invalid } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import { hasSettings, settingConflict } from '../models/model-settings.ts'
import { isLanguageKind } from '../models/schema.ts'
import { checkScript, type Script } from '../models/script-schema.ts'
import * as models from '../models/store.ts'
import { built_in_names } from '../tools/schema.ts'
import type { Configuration } from './configuration.ts'
import { unknown, unknownNames } from './references.ts'

const path_length_max = 200

/**
 * Checks what the schema can't. The paths of faults begin with `within`, such as `draft.`. Lock the workspace first, so that
 * what the configuration names isn't deleted before it is stored.
 */
export async function assertConfiguration(at: At, configuration: Configuration, within = ''): Promise<void> {
  const own = [...scriptFaults(configuration), ...knowledgeFaults(configuration), ...nameFaults(configuration)]
  const faults = [...own, ...(await unknownNames(at, configuration)), ...(await settingFaults(at, configuration))]
  if (faults.length === 0) return
  throw invalid(faults.map((fault) => ({ ...fault, path: within + fault.path, message: within + fault.message })))
}

function scriptFaults(configuration: Configuration): Fault[] {
  const { script, hand_over, model, fallback_model, model_settings, tools } = configuration
  if (!script) return []
  if (hasSettings(model_settings)) {
    const message = "script can't be used together with model_settings. Set its members to null."
    return [{ path: 'script', code: 'conflict', message }]
  }
  if (model || fallback_model) {
    const name = model ? 'model' : 'fallback_model'
    const message = `script can't be used together with ${name}. Set one of them to null.`
    return [{ path: 'script', code: 'conflict', message }]
  }
  if (!hand_over.is_allowed && JSON.stringify(script).includes('"@hand_over"')) {
    const message = "script hands over, which hand_over.is_allowed doesn't allow."
    return [{ path: 'script', code: 'conflict', message }]
  }
  const faults = checkScript(script).map((fault) => ({
    ...fault,
    path: fault.path ? `script.${fault.path}` : 'script',
    // The field is named once, because most messages begin with the path of what is wrong.
    message: /^(nodes|start)\b/.test(fault.message) ? `script.${fault.message}` : `script: ${fault.message}`,
  }))
  return faults.length > 0 ? faults : [...unstorableTexts(script, 'script'), ...unlistedTools(script, tools)]
}

function knowledgeFaults({ knowledge, script }: Configuration): Fault[] {
  const asking = Object.entries(script?.nodes ?? {}).find(([, node]) => node.answer_from_knowledge)
  if (!knowledge && asking) {
    const message = `script.nodes.${asking[0]} answers from knowledge, which knowledge: null doesn't have.`
    return [{ path: 'knowledge', code: 'required', message }]
  }
  const given = knowledge && [knowledge.tags, knowledge.document_ids].filter((one) => one !== undefined)
  if (!given || given.length === 1) return []
  return [{ path: 'knowledge', code: 'conflict', message: 'knowledge must have either tags or document_ids.' }]
}

/**
 * Checks the settings of models. The default provider may be another one later, so whoever asks a model checks them
 * again.
 */
async function settingFaults(at: At, { model, fallback_model, model_settings }: Configuration): Promise<Fault[]> {
  if (!hasSettings(model_settings)) return []
  for (const choice of [model, ...(fallback_model ? [fallback_model] : [])]) {
    const account = await models.findAccount(at, choice ? { name: choice.provider } : {})
    if (!account || !isLanguageKind(account.kind)) continue
    const temperature = choice?.temperature ?? model_settings.temperature
    const conflict = settingConflict(account.kind, { ...model_settings, temperature })
    const path = `model_settings.${conflict?.setting}`
    if (conflict) return [{ path, code: 'conflict', message: `model_settings.${conflict.message}` }]
  }
  return []
}

/** Checks that `tools` has the tools of the script too, so that it names all that the agent uses. */
function unlistedTools({ nodes }: Script, tools: string[]): Fault[] {
  const listed = new Set([...built_in_names, ...tools])
  return Object.entries(nodes).flatMap(([name, { tool }]) =>
    tool === undefined || listed.has(tool)
      ? []
      : [unknown(`script.nodes.${name}.tool`, `is "${tool}", which is neither in tools nor built in.`)],
  )
}

/** Finds texts that PostgreSQL can't store in JSON. */
function unstorableTexts(value: unknown, path: string): Fault[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [unstorable(path)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    isStorable(name) ? unstorableTexts(member, truncate(`${path}.${name}`, path_length_max)) : [unstorable(path)],
  )
}

const isStorable = (text: string): boolean => text.isWellFormed() && !hasControlCharactersExceptBreaks(text)

const unstorable = (path: string): Fault => ({
  path,
  code: 'invalid_characters',
  message: `${path} must not contain control characters or unpaired surrogates.`,
})

/** Checks that the names of results and transfers differ, because these are chosen by name. */
const nameFaults = (configuration: Configuration): Fault[] =>
  (['results', 'transfers'] as const).flatMap((field) => {
    const names = configuration[field].map(({ name }) => name)
    return names.flatMap((name, index) =>
      names.indexOf(name) === index ? [] : [repeated(`${field}.${index}.name`, field)],
    )
  })

const repeated = (path: string, field: string): Fault => ({
  path,
  code: 'repeated',
  message: `${path} is the name of another one in ${field}.`,
})
