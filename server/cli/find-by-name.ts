import { Problem } from '../kit/problem.ts'
import { AmbiguousError } from './command.ts'

const names_shown_max = 20

interface NamedItem {
  id: string
  name: string
}

/** Finds an item by its id or name. A name in another case is found if nothing has exactly this name. */
export function findByName<Item extends NamedItem>(
  items: Item[],
  name: string,
  noun: string,
  workspace: { name: string },
): Item {
  const same = items.filter((item) => item.id === name || item.name === name)
  const similar = items.filter((item) => item.name.toLowerCase() === name.toLowerCase())
  const found = same.length > 0 ? same : similar
  const [item, ...others] = found
  if (others.length > 0) {
    const ids = found.slice(0, names_shown_max).map(({ id, name }) => `${id} "${name}"`)
    throw new AmbiguousError(`there are ${found.length} ${noun}s "${name}": ${ids.join(', ')}. Use an id.`)
  }
  if (item) return item
  const names = items.slice(0, names_shown_max).map((one) => `"${one.name}"`)
  const only = names.length === 0 ? 'it has none' : `only ${names.join(', ')}`
  const more = items.length > names.length ? ` and ${items.length - names.length} more` : ''
  throw new Problem('NOT_FOUND', `there is no ${noun} "${name}" in "${workspace.name}", ${only}${more}`)
}
