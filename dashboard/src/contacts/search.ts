import type { Contact } from '../../../server/contacts/schema.ts'

/** The URL's query parameters on the contacts page. */
export interface ContactSearch {
  search?: string
  tag?: string[]
  source?: Source
  sort?: string
  page?: number
  /** The contact in the drawer; `new` for a new one. */
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

export function validateContactSearch(raw: Record<string, unknown>): ContactSearch {
  const tags = (Array.isArray(raw.tag) ? raw.tag : [raw.tag]).filter((tag) => typeof tag === 'string' && tag !== '')
  const source = sources.find((one) => one === raw.source)
  const page = Math.floor(Number(raw.page))
  const sort = typeof raw.sort === 'string' && sort_columns.includes(raw.sort.replace('-', '')) ? raw.sort : undefined
  return {
    ...(typeof raw.search === 'string' && raw.search !== '' && { search: raw.search }),
    ...(tags.length > 0 && { tag: tags }),
    ...(source && { source }),
    ...(sort && sort !== '-created_at' && { sort }),
    ...(page > 1 && { page }),
    ...(typeof raw.contact === 'string' && { contact: raw.contact }),
  }
}
