import { Option } from 'commander'
import type { ServeOptions } from '../main.ts'
import type { Shell } from '../start/shell.ts'
import type { Command } from './command.ts'

export function addServeCommand(program: Command, shell: Shell, isJson: () => boolean): void {
  program
    .command('serve')
    .description('Start the service')
    .addOption(
      new Option('--only <part>', 'Run only the API, or only background work; requires DATABASE_URL').choices([
        'api',
        'worker',
      ]),
    )
    .action(async ({ only }: Pick<ServeOptions, 'only'>) => {
      const [{ readConfig }, { serve }] = await Promise.all([import('../config.ts'), import('../main.ts')])
      await serve(readConfig(shell.env), { shell, is_json: isJson(), only })
    })
}
