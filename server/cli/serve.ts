import { Option } from 'commander'
import { readConfig } from '../config.ts'
import { type ServeOptions, serve } from '../main.ts'
import type { Command } from './command.ts'

export function addServeCommand(program: Command, isJson: () => boolean): void {
  program
    .command('serve')
    .description('Start the service')
    .addOption(
      new Option('--only <part>', 'Run only the API, or only background work; requires DATABASE_URL').choices([
        'api',
        'worker',
      ]),
    )
    .action(({ only }: Pick<ServeOptions, 'only'>) => serve(readConfig(), { is_json: isJson(), only }))
}
