import { InvalidArgumentError } from 'commander'
import type { Command } from './command.ts'
import type { NewKey } from './key-actions.ts'
import type { Run } from './run.ts'

const loadActions = () => import('./key-actions.ts')

export function addKeyCommands(program: Command, run: Run): void {
  /** The scopes are loaded before "key create" parses its options, because listing them needs all operations. */
  let all_scopes: string[] = []
  const group = program
    .command('key')
    .summary('API keys')
    .description('Manage API keys')
    .hook('preSubcommand', async (_, subcommand) => {
      if (subcommand.name() === 'create') all_scopes = (await import('../api.ts')).scopes
    })
  group
    .command('create')
    .description('Create an API key and print it')
    .requiredOption('--workspace <name>', 'The workspace that the key gives access to')
    .option('--name <name>', 'What uses the key', 'API key')
    .option(
      '--scopes <scopes>',
      'Separated by commas (default: all but api_keys:*, audit:read, agents:force and contacts:erase)',
      (text: string) => parseScopes(text, all_scopes),
    )
    .option(
      '--expires-in <duration>',
      'Minutes, hours, days or weeks: 30m, 12h, 90d, 4w (default: never)',
      parseDuration,
    )
    .addHelpText('after', () => `\nScopes: ${all_scopes.join(', ')}`)
    .action((options: NewKey) => run(async (service) => (await loadActions()).createKey(service, options)))
  group
    .command('list')
    .description('List API keys')
    .option('--workspace <name>', 'Only the keys of this workspace')
    .action(({ workspace }: { workspace?: string }) =>
      run(async (service) => (await loadActions()).listKeys(service, workspace)),
    )
  group
    .command('rotate')
    .description('Create a key that replaces another one, and print it')
    .argument('<id>', 'The id that "parley key list" shows')
    .option('--overlap <duration>', 'How long the old one still works: 30m, 12h, 7d at most', parseOverlap, day_ms)
    .action((id: string, { overlap }: { overlap: number }) =>
      run(async (service) => (await loadActions()).rotateKey(service, id, overlap)),
    )
  group
    .command('revoke')
    .description('Revoke an API key; it stops working within a second')
    .argument('<id>', 'The id that "parley key list" shows')
    .action((id: string) => run(async (service) => (await loadActions()).revokeKey(service, id)))
}

function parseScopes(text: string, all_scopes: string[]): string[] {
  const scopes = text.split(',').map((scope) => scope.trim())
  const unknown = scopes.find((scope) => !all_scopes.includes(scope))
  if (unknown === undefined) return [...new Set(scopes)]
  throw new InvalidArgumentError(`There is no scope "${unknown}", only ${all_scopes.join(', ')}.`)
}

const day_ms = 86_400_000
const unit_ms: Record<string, number> = { m: 60_000, h: 3_600_000, d: day_ms, w: 7 * day_ms }

function parseOverlap(text: string): number {
  const overlap_ms = text === '0' ? 0 : parseDuration(text)
  if (overlap_ms <= 7 * day_ms) return overlap_ms
  throw new InvalidArgumentError('Use at most 7d.')
}

function parseDuration(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([mhdw])$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('Use a number and a unit, such as 30m, 12h, 90d or 4w.')
  return Number(count) * (unit_ms[unit] ?? 0)
}
