import type { Contact } from '../../../server/contacts/schema.ts'

/** What the address of the contacts page holds. */
export interface ContactSearch {
  search?: string
  tag?: string[]
  source?: Source
  sort?: string
  page?: number
  /** The one that is open at the side; `new` for the form. */
  contact?: string
}

export type Source = Contact['source']

export const source_names: Record<Source, string> = {
  api: 'API',
  import: 'Import',
  manual: 'Manual',
  inbound: 'Inbound',
  webhook: 'Webhook',
}
export const sources = Object.keys(source_names) as Source[]

const sort_columns = ['created_at', 'updated_at', 'last_contact_at']

export function validateContactSearch(said: Record<string, unknown>): ContactSearch {
  const tags = (Array.isArray(said.tag) ? said.tag : [said.tag]).filter((tag) => typeof tag === 'string' && tag !== '')
  const source = sources.find((one) => one === said.source)
  const page = Math.floor(Number(said.page))
  const sort =
    typeof said.sort === 'string' && sort_columns.includes(said.sort.replace('-', '')) ? said.sort : undefined
  return {
    ...(typeof said.search === 'string' && said.search !== '' && { search: said.search }),
    ...(tags.length > 0 && { tag: tags }),
    ...(source && { source }),
    ...(sort && sort !== '-created_at' && { sort }),
    ...(page > 1 && { page }),
    ...(typeof said.contact === 'string' && { contact: said.contact }),
  }
}
