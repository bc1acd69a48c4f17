import type { Answer } from '../support/harness.ts'
import { pick, type Random } from './random.ts'

const kept_max = 30
const names_max = 100

/** What earlier answers have shown, by name: sent again, it meets what is there. */
export interface Memory {
  /** Something seen under that name or a longer one, such as `next_cursor` for `cursor`. */
  recall: (random: Random, name: string) => unknown
  remember: (name: string, value: unknown) => void
  /** The ids of what was created at that path, as `/contacts`, and most likely is still there. */
  idsAt: (path: string) => string[]
  /** The values in the path of a request that has succeeded there, as `/contacts/{id}`. */
  recallPath: (random: Random, path: string) => Record<string, string> | undefined
  rememberPath: (path: string, values: Record<string, string>) => void
  etagOf: (id: string) => string | undefined
  /** Reads an answer to a request for the thing with that id. */
  read: (answer: Answer, id: string | undefined) => void
}

export function memory(): Memory {
  const seen = new Map<string, unknown[]>()
  const ids = new Map<string, string[]>()
  const paths = new Map<string, Record<string, string>[]>()
  const etags = new Map<string, string>()

  const remember = (name: string, value: unknown): void => {
    if (value === null || value === undefined) return
    if (seen.has(name) || seen.size < names_max) keep(seen, name, value)
    if (typeof value !== 'object') return
    for (const [inner, member] of Object.entries(value)) remember(Array.isArray(value) ? name : inner, member)
  }

  const read: Memory['read'] = ({ status, headers, body }, id) => {
    const etag = headers.get('etag')
    if (status === 404 && id) forget(id)
    if (status >= 300 || body === undefined) return
    const created = headers.get('location')
    const at = created && /^.*?(\/[^/]+)\/([^/]+)$/.exec(created)
    if (at) keep(ids, at[1] ?? '', at[2] ?? '')
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
    read,
    recall: (random, name) => {
      const names = [...seen.keys()].filter((other) => other === name || isPart(other, name) || isPart(name, other))
      return names.length > 0 ? pick(random, seen.get(pick(random, names)) ?? []) : undefined
    },
    recallPath: (random, path) => {
      const list = paths.get(path)
      return list && pick(random, list)
    },
    rememberPath: (path, values) => keep(paths, path, values),
    idsAt: (path) => ids.get(path) ?? [],
    etagOf: (id) => etags.get(id),
  }
}

const isPart = (whole: string, part: string): boolean => whole.endsWith(`_${part}`) || whole === `${part}s`

function keep<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name) ?? []
  list.push(value)
  if (list.length > kept_max) list.shift()
  lists.set(name, list)
}
