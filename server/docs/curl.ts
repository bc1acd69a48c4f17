import type { Operation } from './document.ts'
import { textOf } from './html.ts'

/** A request to paste into a shell in which `KEY` is an API key. */
export function curlOf(
  origin: string,
  base_path: string,
  { method, path, parameters = [], requestBody }: Operation,
): string {
  const sample = (name: string) => {
    const { examples, default: preset = name } = parameters.find((one) => one.name === name)?.schema ?? {}
    return encodeURIComponent(String(examples?.[0] ?? preset))
  }
  const asked = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${sample(name)}`)
  const query = asked.length > 0 ? `?${asked.join('&')}` : ''
  const address = origin + base_path + path.replace(/\{(.+?)\}/g, (_, name: string) => sample(name)) + query
  const bodies = Object.entries(requestBody?.content ?? {}).slice(0, 1)
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(address)}`,
    '-H "Authorization: Bearer $KEY"',
    ...bodies.flatMap(([type, { example }]) => [`-H 'Content-Type: ${type}'`, `-d ${quoted(textOf(example))}`]),
  ].join(' \\\n  ')
}

const quoted = (word: string): string =>
  /^[\w.:/-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
