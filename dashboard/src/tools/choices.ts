import { queryOptions } from '@tanstack/react-query'
import type { Tool } from '../../../server/tools/schema.ts'
import type { Api } from '../kit/api.ts'
import { readAll } from '../kit/read-all.ts'

/** A workspace can have this many tools. */
const tools_max = 200

/** Reads all tools, to choose from. */
export const toolChoicesQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.workspace, 'tools', 'choices'],
    queryFn: ({ signal }) => readAll<Tool>(api, '/tools', { items_max: tools_max, signal }),
  })
