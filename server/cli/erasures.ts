import type { Command } from './command.ts'
import type { Run } from './run.ts'

const note = `
It prints JSON, with ids, dates and keyed hashes: nothing in it says who was erased. Store it apart from the backups, at
least as often as you back up: parley restore FILE --erasures FILE erases these persons again.`

const loadActions = () => import('./erasures-actions.ts')

export function addErasuresCommands(program: Command, run: Run): void {
  const group = program.command('erasures').summary('Erasures of persons').description('Erasures of persons')
  group
    .command('export')
    .description('Print what a restore needs to erase persons again')
    .addHelpText('after', note)
    .action(() => run(async (service) => (await loadActions()).exportErasures(service)))
}
