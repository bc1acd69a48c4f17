import type { Api } from '../kit/api.ts'

/** How often the page reads what it shows. */
export const refetch_ms = 15_000

export const homeKey = (api: Api) => [api.workspace, 'home']
