import { queryOptions } from '@tanstack/react-query'
import type { Document } from '../../../server/documents/schema.ts'
import type { Api } from '../kit/api.ts'

/** Reads the newest documents, to choose from. */
export const documentChoicesQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.workspace, 'documents', 'choices'],
    queryFn: ({ signal }) => api.list<Document>('/documents', { limit: 100 }, signal),
  })
