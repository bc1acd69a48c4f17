import type { At } from '../kit/at.ts'
import { hasControlCharactersExceptBreaks } from '../kit/http/validate-text.ts'
import { type Fault, invalid } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'
import type { Configuration } from './configuration.ts'

const script_bytes_max = 256 * 1024
const path_length_max = 200

/** Checks what the schema can't. The paths of faults begin with `within`, such as `draft.`. */
export async function assertConfiguration(_at: At, configuration: Configuration, within = ''): Promise<void> {
  const faults = [...scriptFaults(configuration), ...resultFaults(configuration)]
  if (faults.length === 0) return
  throw invalid(
    faults.map((fault) => ({
      ...fault,
      path: within + fault.path,
      message: `${within}${fault.path} ${fault.message}`,
    })),
  )
}

function scriptFaults({ script, model }: Configuration): Fault[] {
  if (!script) return []
  if (model) {
    return [
      { path: 'script', code: 'conflict', message: "can't be used together with model. Set one of them to null." },
    ]
  }
  if (Buffer.byteLength(JSON.stringify(script)) > script_bytes_max)
    return [{ path: 'script', code: 'too_long', message: 'must have at most 256 kB.' }]
  return unstorableTexts(script, 'script')
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
  message: 'must not contain control characters or unpaired surrogates.',
})

function resultFaults({ results }: Configuration): Fault[] {
  const names = results.map(({ name }) => name)
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ path: `results.${index}.name`, code: 'repeated', message: 'is the name of another result.' }],
  )
}
