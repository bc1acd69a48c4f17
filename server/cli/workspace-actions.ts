import * as api_keys from '../api-keys/store.ts'
import { newToken } from '../api-keys/token.ts'
import * as audit from '../audit/store.ts'
import * as clocks from '../clocks/store.ts'
import { atWall, inTransaction, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { formats } from '../kit/http/validate-text.ts'
import { invalid, Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import { type Answer, formatTable } from './run.ts'

const name_length_max = 200

export interface NewWorkspace {
  test?: true
  seed?: number
  /** The time in ISO 8601. */
  now?: string
}

export async function createWorkspace(service: Service, name: string, options: NewWorkspace): Promise<Answer> {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > name_length_max) {
    const message = `name must have 1 to ${name_length_max} characters`
    throw invalid([{ path: 'name', code: 'length', message }])
  }
  const now = options.now === undefined ? clock.wall() : parseTime(options.now)
  return inTransaction(atWall(service, ''), async (at) => {
    const workspace = await workspaces.create(at, { name: trimmed, kind: options.test ? 'test' : 'live' })
    if (!workspace) throw new Problem('CONFLICT', `there is already a workspace "${trimmed}"`)
    const api_key = newToken()
    const key = { name: 'First key', scopes: null, expires_at: null }
    const { id, kind } = workspace
    const inWorkspace = { ...at, workspace: id, now }
    if (kind === 'test') await clocks.create(inWorkspace, { seed: options.seed ?? clocks.default_seed })
    await api_keys.create(inWorkspace, { token: api_key, key })
    await audit.record(inWorkspace, { action: 'workspaces.create', subject: { type: 'workspace', id } })
    const join_line = `To see it in the dashboard: npx parley user join EMAIL --workspace "${workspace.name}"`
    const clock_line = kind === 'test' ? `\nTest clock at ${clock.iso(now)}` : ''
    return {
      data: { workspace: { id, name: workspace.name, kind }, api_key },
      text: `Workspace "${workspace.name}" ${id}${clock_line}\n${formatNewKey(api_key)}\n${join_line}`,
    }
  })
}

function parseTime(text: string): number {
  const time_ms = clock.parse(text)
  if (!formats['date-time']?.(text) && clocks.isValidTime(time_ms)) return time_ms
  const message = '--now must be a time such as 2027-03-01T09:00:00Z, of the years 1970 to 9998'
  throw invalid([{ path: 'now', code: 'format', message }])
}

export const formatNewKey = (api_key: string): string =>
  `API key ${api_key}\nCopy this key now. You won't be able to see it again.`

export async function listWorkspaces(service: Service): Promise<Answer> {
  const all = await workspaces.list({ db: service.pool })
  const rows = all.map(({ id, name, kind, created_at }) => [id, name, kind, created_at])
  return { data: { workspaces: all }, text: formatTable(['ID', 'NAME', 'KIND', 'CREATED'], rows) }
}
