import type { Shell } from '../start/shell.ts'
import type { Command } from './command.ts'

const note = `
It reads the database and the disk, and asks no process: it also works while the service is stopped. Work counts when
it waits in live workspaces; the time of test workspaces stands still.

The exit status is 0 when all is well, 1 when something needs attention and 2 when the database can't be reached.`

export function addStatusCommand(program: Command, shell: Shell, isJson: () => boolean): void {
  program
    .command('status')
    .description('Print how the installation is, and what needs attention')
    .addHelpText('after', note)
    .action(async () => (await import('./status-actions.ts')).printStatus(shell, { is_json: isJson() }))
}
