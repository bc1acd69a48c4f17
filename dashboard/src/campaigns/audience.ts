import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Contact } from '../../../server/contacts/schema.ts'
import type { Source } from '../contacts/search.ts'
import type { Api } from '../kit/api.ts'

/** A filter of contacts. If all members are blank, it is for all contacts. */
export interface Audience {
  search: string
  tag: string[]
  source: Source | null
}

/** What was done at once when contacts were added. Large audiences are added in the background. */
export interface Enrolled {
  enrolled: number
  already_enrolled: number
}

export const everyone: Audience = { search: '', tag: [], source: null }

const toFilter = ({ search, tag, source }: Audience) => ({
  ...(search.trim() !== '' && { search: search.trim() }),
  ...(tag.length > 0 && { tag }),
  ...(source && { source }),
})

export const isEveryone = (audience: Audience): boolean => Object.keys(toFilter(audience)).length === 0

const sample_size = 5

/** Reads the first few contacts, and how many there are. */
export const audienceQuery = (api: Api, audience: Audience) => {
  const query = { ...toFilter(audience), limit: sample_size }
  return queryOptions({
    queryKey: [api.workspace, 'contacts', 'audience', query],
    queryFn: ({ signal }) => api.list<Contact>('/contacts', query, signal),
    placeholderData: keepPreviousData,
  })
}

export const enroll = (api: Api, campaign_id: string, audience: Audience): Promise<Enrolled> =>
  api.send<Enrolled>('POST', `/campaigns/${campaign_id}/enrollments`, { filter: toFilter(audience) })
