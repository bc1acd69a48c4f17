import type { At } from '../kit/at.ts'
import { hasControlCharactersExceptBreaks } from '../kit/http/validate-text.ts'
import { type Fault, invalid } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import { checkScript } from '../models/script-schema.ts'
import type { Configuration } from './configuration.ts'

const path_length_max = 200

/** Checks what the schema can't. The paths of faults begin with `within`, such as `draft.`. */
export async function assertConfiguration(_at: At, configuration: Configuration, within = ''): Promise<void> {
  const faults = [...scriptFaults(configuration), ...resultFaults(configuration)]
  if (faults.length === 0) return
  throw invalid(faults.map((fault) => ({ ...fault, path: within + fault.path, message: within + fault.message })))
}

function scriptFaults({ script, model }: Configuration): Fault[] {
  if (!script) return []
  if (model) {
    const message = "script can't be used together with model. Set one of them to null."
    return [{ path: 'script', code: 'conflict', message }]
  }
  const faults = checkScript(script).map((fault) => ({
    ...fault,
    path: fault.path ? `script.${fault.path}` : 'script',
    // Most messages begin with the path of what is wrong.
    message: /^(nodes|start)\b/.test(fault.message) ? `script.${fault.message}` : `script: ${fault.message}`,
  }))
  return faults.length > 0 ? faults : unstorableTexts(script, 'script')
}

/** PostgreSQL can't store them in JSON. */
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

function resultFaults({ results }: Configuration): Fault[] {
  const names = results.map(({ name }) => name)
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          {
            path: `results.${index}.name`,
            code: 'repeated',
            message: `results.${index}.name is the name of another result.`,
          },
        ],
  )
}
