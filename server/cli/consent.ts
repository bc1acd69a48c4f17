import type { Command } from './command.ts'
import type { Run } from './run.ts'

const loadActions = () => import('./consent-actions.ts')

const note = `
It computes the hashes of all entries again. The exit status is 1 if the ledger was changed.`

export function addConsentCommands(program: Command, run: Run): void {
  const group = program.command('consent').summary('The consent ledger').description('Check the consent ledger')
  group
    .command('verify')
    .description('Check that no entry of the ledger was changed or removed')
    .requiredOption('--workspace <name>', 'The workspace of the ledger')
    .addHelpText('after', note)
    .action(({ workspace }: { workspace: string }) =>
      run(async (service) => (await loadActions()).verifyLedger(service, workspace)),
    )
}
