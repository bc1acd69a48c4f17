import { InvalidArgumentError, Option } from 'commander'
import type { ServeOptions } from '../main.ts'
import type { Shell } from '../start/shell.ts'
import type { Command } from './command.ts'

/** More processes would hardly help, because each has its own database connections. */
const processes_max = 64

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
    .addOption(
      new Option('--processes <n>', 'Serve requests in this many processes on one port; Linux only')
        .argParser(parseCount)
        .conflicts('only'),
    )
    .action(async ({ only, processes }: Pick<ServeOptions, 'only' | 'processes'>) => {
      const [{ readConfig }, { serve }] = await Promise.all([import('../config.ts'), import('../main.ts')])
      await serve(readConfig(shell.env), { shell, is_json: isJson(), only, processes })
    })
}

function parseCount(text: string): number {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= processes_max) return Number(text)
  throw new InvalidArgumentError(`Use a whole number from 1 to ${processes_max}.`)
}
