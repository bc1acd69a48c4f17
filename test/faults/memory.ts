import type { Answer } from '../support/harness.ts'
import { pick, type Random } from './random.ts'

const values_max = 30
const names_max = 100

/** Values from earlier responses, by name. Sending them again addresses existing resources. */
export interface Memory {
  /** A value seen under that name or a longer one, such as `next_cursor` for `cursor`. */
  recall: (random: Random, name: string) => unknown
  remember: (name: string, value: unknown) => void
  /** The ids of resources created at a path such as `/contacts` and probably not deleted. */
  idsAt: (path: string) => string[]
  /** The path parameters of a successful request at a path such as `/contacts/{id}`. */
  recallPath: (random: Random, path: string) => Record<string, string> | undefined
  rememberPath: (path: string, values: Record<string, string>) => void
  etagOf: (id: string) => string | undefined
  /** Remembers the values of a response to a request for the resource with that id. */
  learn: (answer: Answer, id: string | undefined) => void
}

export function openMemory(): Memory {
  const seen = new Map<string, unknown[]>()
  const ids = new Map<string, string[]>()
  const paths = new Map<string, Record<string, string>[]>()
  const etags = new Map<string, string>()

  const remember = (name: string, value: unknown): void => {
    if (value === null || value === undefined) return
    if (seen.has(name) || seen.size < names_max) append(seen, name, value)
    if (typeof value !== 'object') return
    for (const [inner, member] of Object.entries(value)) remember(Array.isArray(value) ? name : inner, member)
  }

  const learn: Memory['learn'] = ({ status, headers, body }, id) => {
    const etag = headers.get('etag')
    if (status === 404 && id) forget(id)
    if (status >= 300 || body === undefined) return
    const created = headers.get('location')
    const at = created && /^.*?(\/[^/]+)\/([^/]+)$/.exec(created)
    if (at) append(ids, at[1] ?? '', at[2] ?? '')
    const shown = body.data?.id ?? id
    if (etag && shown) etags.set(shown, etag)
    remember('data', Array.isArray(body.data) ? body.data.slice(0, 3) : body.data)
    remember('pagination', body.pagination)
  }

  const forget = (id: string): void => {
    etags.delete(id)
    for (const [path, list] of ids) {
      ids.set(
        path,
        list.filter((other) => other !== id),
      )
    }
  }

  return {
    remember,
    learn,
    recall: (random, name) => {
      const names = [...seen.keys()].filter((other) => other === name || isPart(other, name) || isPart(name, other))
      return names.length > 0 ? pick(random, seen.get(pick(random, names)) ?? []) : undefined
    },
    recallPath: (random, path) => {
      const list = paths.get(path)
      return list && pick(random, list)
    },
    rememberPath: (path, values) => append(paths, path, values),
    idsAt: (path) => ids.get(path) ?? [],
    etagOf: (id) => etags.get(id),
  }
}

const isPart = (whole: string, part: string): boolean => whole.endsWith(`_${part}`) || whole === `${part}s`

function append<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name) ?? []
  list.push(value)
  if (list.length > values_max) list.shift()
  lists.set(name, list)
}
