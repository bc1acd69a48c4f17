import type { Api } from '../kit/api.ts'

/** The page reads what it shows this often. */
export const refetch_ms = 15_000

export const homeKey = (api: Api) => [api.workspace, 'home']
