import { sealed_columns as channel_columns } from '../channels/sealed.ts'
import { sealed_column as consent_column } from '../consent/sealed.ts'
import { sealed_columns as integration_columns } from '../integrations/sealed.ts'
import { atWall, type Service } from '../kit/at.ts'
import { type Resealed, resealColumn, type SealedColumn } from '../kit/crypto/reseal.ts'
import { sealed_column as idempotency_column } from '../kit/http/idempotency.ts'
import { sealed_columns as provider_columns } from '../models/sealed.ts'
import { sealed_column as two_factor_column } from '../people/sealed.ts'
import { sealed_columns as tool_columns } from '../tools/sealed.ts'
import { sealed_columns as webhook_columns } from '../webhooks/sealed.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Command } from './command.ts'
import { type Answer, formatTable, type Run } from './run.ts'

/** The columns of a workspace that are stored sealed. */
export const sealed_columns: SealedColumn[] = [
  ...webhook_columns,
  ...integration_columns,
  ...provider_columns,
  ...tool_columns,
  ...channel_columns,
  consent_column,
  idempotency_column,
]

const note = `
It runs beside the service, in small batches, and can be repeated. It needs the keys of the service: SECRETS_KEY
and SECRETS_KEY_PREVIOUS or, without DATABASE_URL, the files secrets-key and secrets-key-previous in DATA_DIR.
First restart the service with the new key. Afterwards remove the previous one.`

export function addSecretsCommands(program: Command, run: Run): void {
  const group = program.command('secrets').summary('Stored secrets').description('Manage stored secrets')
  group
    .command('reseal')
    .description('Encrypt all stored secrets with the current SECRETS_KEY')
    .addHelpText('after', note)
    .action(() => run(resealAll))
}

async function resealAll(service: Service): Promise<Answer> {
  const results = new Map<string, Resealed>(sealed_columns.map(({ name }) => [name, { resealed: 0, unreadable: 0 }]))
  results.set(two_factor_column.name, await resealColumn(atWall(service, ''), two_factor_column))
  for (const { id } of await workspaces.list({ db: service.pool })) {
    for (const column of sealed_columns) {
      const { resealed, unreadable } = await resealColumn(atWall(service, id), column)
      const sum = results.get(column.name)
      results.set(column.name, {
        resealed: (sum?.resealed ?? 0) + resealed,
        unreadable: (sum?.unreadable ?? 0) + unreadable,
      })
    }
  }
  const secrets = Array.from(results, ([kind, result]) => ({ kind, ...result }))
  const rows = secrets.map(({ kind, resealed, unreadable }) => [kind, String(resealed), String(unreadable)])
  const has_failed = secrets.some(({ unreadable }) => unreadable > 0)
  const table = formatTable(['KIND', 'RESEALED', 'UNREADABLE'], rows)
  return { data: { secrets }, text: `${table}\n${summarize(has_failed)}`, has_failed }
}

const summarize = (has_failed: boolean): string =>
  has_failed
    ? 'Unreadable secrets were encrypted with another key. Keep that key: set it as SECRETS_KEY_PREVIOUS and run this again.'
    : 'All stored secrets are encrypted with the current key. A previous key is no longer needed.'
