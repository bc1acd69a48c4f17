import type { Tool, ToolMethod } from '../../../server/tools/schema.ts'
import { toJsonText } from '../kit/json.ts'
import { changedFields, mergeMembers } from '../kit/merge.ts'

export interface HeaderValue {
  name: string
  value: string
  /** Whether the server has a value, which it never returns. It is kept if `value` is blank. */
  is_stored: boolean
}

/** The fields of the form. */
export interface ToolValues {
  kind: Tool['kind']
  name: string
  description: string
  method: ToolMethod
  url: string
  /** The parameters as JSON text. */
  parameters: string
  headers: HeaderValue[]
  timeout_ms: number | string
  has_side_effects: boolean
  say_while: string
  /** The limit. A blank one is the default. */
  calls_max: number | string
  may_repeat: boolean
  confirm: boolean
}

const no_parameters = { type: 'object', properties: {} }

export const toValues = (tool?: Tool): ToolValues => ({
  kind: tool?.kind ?? 'http',
  name: tool?.name ?? '',
  description: tool?.description ?? '',
  method: tool?.method ?? 'POST',
  url: tool?.url ?? '',
  parameters: toJsonText(tool?.parameters ?? no_parameters),
  headers: Object.keys(tool?.headers ?? {}).map((name) => ({ name, value: '', is_stored: true })),
  timeout_ms: tool?.timeout_ms ?? 8_000,
  has_side_effects: tool?.has_side_effects ?? true,
  say_while: tool?.say_while ?? '',
  calls_max: tool?.calls_max ?? '',
  may_repeat: tool?.may_repeat ?? false,
  confirm: tool?.confirm ?? false,
})

/** Makes the body. A tool of kind `mcp` has no parameters: its server says what its tools take. */
export const toBody = ({ parameters, method, headers, calls_max, ...values }: ToolValues) => ({
  ...values,
  calls_max: calls_max === '' ? null : calls_max,
  ...(values.kind === 'http' && { method, parameters: JSON.parse(parameters) as unknown }),
  headers: toHeaders(headers),
})

/** Returns only what was edited. Headers that someone else has added meanwhile are kept. */
export function toChanges(before: ToolValues, wanted: ToolValues, current: Tool): object {
  const [from, to] = [toBody(before), toBody(wanted)]
  const changes = changedFields(from, to)
  return changes.headers ? { ...changes, headers: mergeMembers(from.headers, to.headers, current.headers) } : changes
}

const toHeaders = (headers: HeaderValue[]): Record<string, string | null> =>
  Object.fromEntries(
    headers.map(({ name, value, is_stored }) => [name.trim().toLowerCase(), is_stored && value === '' ? null : value]),
  )
