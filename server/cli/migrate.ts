import type { Database } from '../database.ts'
import type { Service } from '../kit/at.ts'
import type { Shell } from '../start/shell.ts'
import type { Command } from './command.ts'
import type { Answer, Run } from './run.ts'

export function addMigrateCommand(program: Command, run: Run): void {
  program
    .command('migrate')
    .description('Create the database if there is none, and apply new migrations')
    .action(() => run(listApplied, { may_create: true }))
}

/** Lists the migrations that opening the database has applied. */
async function listApplied(_service: Service, _shell: Shell, { applied }: Database): Promise<Answer> {
  const text = applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is current.'
  return { data: { applied }, text }
}
