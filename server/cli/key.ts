import { InvalidArgumentError } from 'commander'
import { scopes as all_scopes } from '../api.ts'
import { toScopes } from '../api-keys/schema.ts'
import * as api_keys from '../api-keys/store.ts'
import { atNow, inTransaction, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { Problem } from '../kit/problem.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Command } from './command.ts'
import { type Answer, formatTable, type Run } from './run.ts'
import { findWorkspace, formatNewKey } from './workspace.ts'

interface NewKey {
  workspace: string
  name: string
  scopes?: string[]
  /** A duration in milliseconds. */
  expiresIn?: number
}

export function addKeyCommands(program: Command, run: Run): void {
  const group = program.command('key').summary('API keys').description('Manage API keys')
  group
    .command('create')
    .description('Create an API key and print it')
    .requiredOption('--workspace <name>', 'The workspace that the key gives access to')
    .option('--name <name>', 'What uses the key', 'API key')
    .option('--scopes <scopes>', 'Separated by commas (default: all but api_keys:*)', parseScopes)
    .option(
      '--expires-in <duration>',
      'Minutes, hours, days or weeks: 30m, 12h, 90d, 4w (default: never)',
      parseDuration,
    )
    .addHelpText('after', `\nScopes: ${all_scopes.join(', ')}`)
    .action((options: NewKey) => run((service) => createKey(service, options)))
  group
    .command('list')
    .description('List API keys')
    .option('--workspace <name>', 'Only the keys of this workspace')
    .action(({ workspace }: { workspace?: string }) => run((service) => listKeys(service, workspace)))
  group
    .command('revoke')
    .description('Revoke an API key; it stops working within a second')
    .argument('<id>', 'The id that "parley key list" shows')
    .action((id: string) => run((service) => revokeKey(service, id)))
}

async function createKey(service: Service, options: NewKey): Promise<Answer> {
  const workspace = await findWorkspace(service, options.workspace)
  const now = clock.now()
  const name = options.name.trim() || 'API key'
  const expires_at = options.expiresIn === undefined ? null : clock.iso(now + options.expiresIn)
  const api_key = api_keys.newToken()
  const input = { name, scopes: options.scopes ?? null, expires_at }
  const key = await inTransaction(atNow(service, workspace.id, now), (at) =>
    api_keys.create(at, { token: api_key, key: input }),
  )
  return {
    data: { key: withScopes(key), api_key },
    text: `Key ${key.id} of "${workspace.name}"\n${formatNewKey(api_key)}`,
  }
}

async function listKeys(service: Service, workspace_name: string | undefined): Promise<Answer> {
  const only = workspace_name === undefined ? undefined : await findWorkspace(service, workspace_name)
  const keys = (await api_keys.listAll({ db: service.pool })).filter(
    ({ workspace_id }) => !only || workspace_id === only.id,
  )
  const names = new Map((await workspaces.list({ db: service.pool })).map(({ id, name }) => [id, name]))
  const rows = keys.map((key) => [
    key.id,
    names.get(key.workspace_id) ?? '',
    key.name,
    `...${key.last_four}`,
    key.scopes?.join(',') ?? 'all but api_keys:*',
    key.last_used_at ?? 'never',
    key.revoked_at ? `revoked ${key.revoked_at}` : key.expires_at ? `expires ${key.expires_at}` : 'valid',
  ])
  return {
    data: { keys: keys.map(withScopes) },
    text: formatTable(['ID', 'WORKSPACE', 'NAME', 'KEY', 'SCOPES', 'LAST USED', 'STATE'], rows),
  }
}

async function revokeKey(service: Service, id: string): Promise<Answer> {
  const key = isId(id) ? await inTransaction(atNow(service, ''), (at) => api_keys.revokeAny(at, id)) : undefined
  if (!key) throw new Problem('NOT_FOUND', `there is no key ${id}`)
  return { data: { key: withScopes(key) }, text: `Key ${key.id} is revoked.` }
}

/** A key without a list of scopes has the default ones. */
const withScopes = (key: api_keys.ApiKey) => ({ ...key, scopes: key.scopes ?? all_scopes.filter(toScopes(null).has) })

function parseScopes(text: string): string[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  const unknown = scopes.find((scope) => !all_scopes.includes(scope))
  if (unknown === undefined) return [...new Set(scopes)]
  throw new InvalidArgumentError(`There is no scope "${unknown}", only ${all_scopes.join(', ')}.`)
}

const unit_ms: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

function parseDuration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('Use a number and a unit, such as 30m, 12h, 90d or 4w.')
  return Number(count) * (unit_ms[unit] ?? 0)
}
