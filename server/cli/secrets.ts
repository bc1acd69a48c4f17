import { sealed_columns as integration_columns } from '../integrations/sealed.ts'
import { atNow, type Service } from '../kit/at.ts'
import { type Resealed, resealColumn, type SealedColumn } from '../kit/crypto/reseal.ts'
import { sealed_column as idempotency_column } from '../kit/http/idempotency.ts'
import { sealed_columns as webhook_columns } from '../webhooks/sealed.ts'
import * as workspaces from '../workspaces/store.ts'
import type { Command } from './command.ts'
import { type Answer, formatTable, type Run } from './run.ts'

/** Everything that is stored sealed. */
const columns: SealedColumn[] = [...webhook_columns, ...integration_columns, idempotency_column]

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
  const results = new Map<string, Resealed>(columns.map(({ name }) => [name, { resealed: 0, unreadable: 0 }]))
  for (const { id } of await workspaces.list({ db: service.pool })) {
    for (const column of columns) {
      const { resealed, unreadable } = await resealColumn(atNow(service, id), column)
      const sum = results.get(column.name)
      results.set(column.name, {
        resealed: (sum?.resealed ?? 0) + resealed,
        unreadable: (sum?.unreadable ?? 0) + unreadable,
      })
    }
  }
  const secrets = Array.from(results, ([kind, result]) => ({ kind, ...result }))
  const rows = secrets.map(({ kind, resealed, unreadable }) => [kind, String(resealed), String(unreadable)])
  return { data: { secrets }, text: `${formatTable(['KIND', 'RESEALED', 'UNREADABLE'], rows)}\n${summarize(secrets)}` }
}

const summarize = (secrets: Resealed[]): string =>
  secrets.some(({ unreadable }) => unreadable > 0)
    ? 'Unreadable secrets were encrypted with a key that is neither the current nor the previous one.'
    : 'All stored secrets are encrypted with the current key. You can remove the previous one.'
