import { likeContains } from '../../server/kit/postgres/sql.ts'
import { common_tags, domains } from './people.ts'
import type { Filter, Plain } from './plain.ts'

/** Values for one filter, each used once, and the same filter in plain SQL. */
export interface FilterValues {
  name: string
  parameter: 'search' | 'tag'
  values: string[]
  filter: (value: string) => Filter
  ratio_max: number
}

/** Common and rare ones. */
const short_terms = 'an er ma el 15 on ha so e 1 @n in co r1 li ka ro a7 le de'.split(' ')

/** Digits that few phone numbers contain. */
export const rareTerm = (): string => String(Math.floor(Math.random() * 10_000_000)).padStart(7, '0')

const search = (value: string): Filter => ({ text: 'search_text like $2', value: likeContains(value) })

export async function filterValues({ query, workspace_id }: Plain): Promise<FilterValues[]> {
  const { rows } = await query(
    `select right(phone_number, 7) as digits from plain_contacts where workspace_id = $1 offset 5000 limit 20`,
    [workspace_id],
  )
  // Parts of a domain are different terms with the same matches.
  const parts = domains.flatMap((domain) => [`@${domain}.`, `@${domain}`]).filter((_, index) => index % 4 < 3)
  return [
    {
      name: 'search, under 100 matches',
      parameter: 'search',
      values: rows.map(({ digits }) => String(digits)),
      filter: search,
      ratio_max: 1.5,
    },
    { name: 'search, 50,000 matches', parameter: 'search', values: parts, filter: search, ratio_max: 0.8 },
    { name: 'search, one or two characters', parameter: 'search', values: short_terms, filter: search, ratio_max: 0.8 },
    {
      name: 'tag, 50,000 contacts',
      parameter: 'tag',
      values: common_tags,
      filter: (value) => ({ text: 'normalized_tags @> $2', value: [value] }),
      ratio_max: 0.2,
    },
  ]
}
