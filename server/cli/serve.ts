import type { Command } from './command.ts'

export function addServeCommand(program: Command, isJson: () => boolean): void {
  program
    .command('serve')
    .description('Start the service')
    .action(async () => {
      const [{ readConfig }, { serve }] = await Promise.all([import('../config.ts'), import('../main.ts')])
      await serve(readConfig(), isJson())
    })
}
