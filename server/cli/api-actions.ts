import fs from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../kit/problem.ts'
import { ApiError } from './api-client.ts'
import type { Target } from './ask.ts'
import { UsageError } from './command.ts'
import { readJsonFile } from './json-file.ts'
import { reportError } from './report-error.ts'
import { stopSignal } from './stop-signal.ts'

export interface ApiOptions {
  rawField: string[]
  field: string[]
  header: string[]
  input?: string
  file?: string
  paginate?: boolean
}

/** Prints the answer as it is, and an error of the service as JSON too. */
export async function sendRequest(...given: Parameters<typeof send>): Promise<undefined> {
  const [{ shell, toCommandError }] = given
  try {
    await send(...given)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    reportError(shell, toCommandError(error), { is_json: true })
    shell.exitCode = 1
  }
}

async function send(
  target: Target,
  method: string,
  given_path: string,
  { input, file, paginate = false, ...given }: ApiOptions,
): Promise<void> {
  const { api, shell, is_json } = target
  const where = toPath(given_path)
  const fields = toFields(given)
  const headers = Object.fromEntries(given.header.map((text) => split(text, /:\s*/, '--header')))
  const signal = stopSignal(shell)
  const options = { headers, signal }
  const print = (value: unknown, indent?: number) =>
    void shell.stdout.write(`${JSON.stringify(value, undefined, is_json ? undefined : indent)}\n`)
  if (paginate && method !== 'GET') throw new UsageError('--paginate is only for GET')
  if (method === 'GET' && (input !== undefined || file !== undefined))
    throw new UsageError('--input and --file are not for GET')
  if (paginate) {
    try {
      for await (const item of api.list(where, fields, options)) print(item)
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return
  }
  if (method === 'GET')
    return printResponse(target, await api.file(where, fields, options), signal, (body) => print(body, 2))
  const from_file = input === undefined ? {} : await readJsonFile(shell, input)
  const has_body = input !== undefined || Object.keys(fields).length > 0
  const body = { ...from_file, ...fields }
  const sent =
    file === undefined
      ? api.send(method, where, has_body ? body : undefined, options)
      : api.upload(where, { file: await openFile(file), options: body }, options)
  const { response: _, ...envelope } = await sent.withResponse()
  print(envelope, 2)
}

/** Prints a response. Files and streams are not JSON. */
async function printResponse(
  { shell }: Target,
  response: Response,
  signal: AbortSignal,
  print: (body: unknown) => void,
): Promise<void> {
  if (response.headers.get('content-type')?.startsWith('application/json')) return print(await response.json())
  if (!response.body) return
  await pipeline(response.body, shell.stdout, { signal, end: false }).catch((error: Error) => {
    if (!signal.aborted) throw error
  })
}

/** Reads a path, with or without `/api/v1`. */
function toPath(text: string): string {
  const where = text.replace(/^\/?(api\/v1(?=\/))?\/?/, '/')
  if (/[?#]/.test(where)) throw new UsageError('give the query as fields: -f name=value')
  // A URL drops tabs and line breaks, and dots and backslashes in it may lead elsewhere.
  if (/[\\\t\r\n]/.test(where) || where.split('/').some((part) => /^(\.|%2e){1,2}$/i.test(part)))
    throw new UsageError(`"${text}" is not a path`)
  return where
}

/** Reads fields. One that is given several times is a list. */
function toFields({ rawField, field }: Pick<ApiOptions, 'rawField' | 'field'>): Record<string, unknown> {
  const pairs = [
    ...rawField.map((text) => split(text, '=', '--raw-field')),
    ...field.map((text) => split(text, '=', '--field')).map(([name, value]) => [name, toValue(value)] as const),
  ]
  const fields: Record<string, unknown> = {}
  for (const [name, value] of pairs) fields[name] = Object.hasOwn(fields, name) ? [fields[name], value].flat() : value
  return fields
}

function split(text: string, separator: string | RegExp, option: string): [string, string] {
  const [name = ''] = text.split(separator, 1)
  const rest = text.slice(name.length).replace(separator, '')
  if (name === '' || name === text) throw new UsageError(`${option} must have a name and a value, not "${text}"`)
  return [name, rest]
}

function toValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    // A telephone number stays a text, and so does a number that would lose digits.
    return typeof value === 'number' && String(value) !== text ? text : value
  } catch {
    return text
  }
}

async function openFile(file: string): Promise<File> {
  try {
    return new File([await fs.openAsBlob(file)], path.basename(file))
  } catch (error) {
    throw new UsageError(`--file: the file ${file} can't be read (${errorCode(error) ?? 'it is not a file'})`)
  }
}
