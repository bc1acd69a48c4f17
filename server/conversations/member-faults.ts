import type { Fault } from '../kit/problem.ts'
import { truncate } from '../kit/text.ts'

const members_max = 50
const variable_length_max = 1_000
/** Scripts and prompts look up variables by name, and objects of JavaScript have these. */
const reserved_names = ['__proto__', 'constructor', 'prototype']

/** Returns what is wrong with variables and metadata beyond their schemas. */
export const memberFaults = ({ variables, metadata }: { variables?: object; metadata?: object }): Fault[] => [
  ...nameFaults('variables', variables, variableNameFault),
  ...variableFaults(variables),
  ...nameFaults('metadata', metadata, metadataNameFault),
]

type NameFault = (name: string) => string | undefined

function nameFaults(path: string, members: object = {}, nameFault: NameFault): Fault[] {
  const names = Object.keys(members)
  if (names.length > members_max)
    return [{ path, code: 'too_many', message: `${path} must have at most ${members_max} members.` }]
  const invalid_name = names.find((name) => nameFault(name) !== undefined)
  if (invalid_name === undefined) return []
  const shown = truncate(`${path}.${invalid_name}`, 100)
  return [{ path, code: 'format', message: `${shown} is not an allowed name: ${nameFault(invalid_name)}.` }]
}

function variableNameFault(name: string): string | undefined {
  if (!/^[a-z0-9_]{1,40}$/.test(name)) return 'use 1 to 40 lower-case letters (a to z), digits and "_"'
  return reserved_names.includes(name) ? 'it is reserved' : undefined
}

const metadataNameFault: NameFault = (name) =>
  /^.{1,40}$/u.test(name) && isStorable(name) ? undefined : 'use 1 to 40 characters, and no control characters'

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

/** Makes the fault of a reference to something that doesn't exist in the workspace. */
export const unknown = (path: string, what: string): Fault => ({
  path,
  code: 'unknown',
  message: `${path} must be the id of ${what}.`,
})
