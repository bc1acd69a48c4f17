import type { Fault } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'

const members_max = 50
const variable_length_max = 1_000

/** What is wrong with variables and metadata beyond their schemas. */
export const memberFaults = ({ variables, metadata }: { variables?: object; metadata?: object }): Fault[] => [
  ...nameFaults('variables', variables, /^[a-z0-9_]{1,40}$/),
  ...variableFaults(variables),
  ...nameFaults('metadata', metadata, /^.{1,40}$/u),
]

function nameFaults(path: string, members: object = {}, name_format: RegExp): Fault[] {
  const names = Object.keys(members)
  if (names.length > members_max)
    return [{ path, code: 'too_many', message: `${path} must have at most ${members_max} members.` }]
  const invalid_name = names.find((name) => !name_format.test(name) || !isStorable(name))
  if (invalid_name === undefined) return []
  return [{ path, code: 'format', message: `${path} has a member whose name is not allowed.` }]
}

function variableFaults(variables: object = {}): Fault[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (typeof value === 'number' || typeof value === 'boolean') return []
    const path = truncate(`variables.${name}`, 100)
    const message = `${path} must be a text, a number or a boolean.`
    if (typeof value !== 'string') return [{ path, code: 'type', message }]
    if ([...value].length > variable_length_max)
      return [{ path, code: 'too_long', message: `${path} must have at most ${variable_length_max} characters.` }]
    return isStorable(value) ? [] : [{ path, code: 'invalid_characters', message: `${path} has invalid characters.` }]
  })
}

const isStorable = (name: string): boolean => name.isWellFormed() && !/\p{Cc}/u.test(name)

/** A reference to something that doesn't exist in the workspace. */
export const unknown = (path: string, what: string): Fault => ({
  path,
  code: 'unknown',
  message: `${path} must be the id of ${what}.`,
})
