import type { OperationObject } from './document.ts'
import { formatExample } from './html.ts'

/** A curl command for a shell in which `KEY` is an API key. */
export function curlCommand(
  origin: string,
  base_path: string,
  { method, path, parameters = [], requestBody, security }: OperationObject,
): string {
  const sample = (name: string) => {
    const { examples, default: default_value = name } = parameters.find((one) => one.name === name)?.schema ?? {}
    return encodeURIComponent(String(examples?.[0] ?? default_value))
  }
  const required = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${sample(name)}`)
  const query = required.length > 0 ? `?${required.join('&')}` : ''
  const url = origin + base_path + path.replace(/\{(.+?)\}/g, (_, name: string) => sample(name)) + query
  const bodies = Object.entries(requestBody?.content ?? {})
    .slice(0, 1)
    .filter(([, { example }]) => example !== undefined)
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoteForShell(url)}`,
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...bodies.flatMap(([type, { example }]) => [
      `-H 'Content-Type: ${type}'`,
      `-d ${quoteForShell(formatExample(example))}`,
    ]),
  ].join(' \\\n  ')
}

const quoteForShell = (word: string): string =>
  /^[\w.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
