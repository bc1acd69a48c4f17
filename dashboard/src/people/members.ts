import { queryOptions } from '@tanstack/react-query'
import type { Member } from '../../../server/people/schema.ts'
import { createClient } from '../kit/request.ts'

export const membersQuery = (workspace: string) =>
  queryOptions({
    queryKey: [workspace, 'members'],
    queryFn: ({ signal }) => createClient(workspace).list<Member>('/app/members', {}, { signal }),
  })
