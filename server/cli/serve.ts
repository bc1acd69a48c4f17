import { readConfig } from '../config.ts'
import { serve } from '../main.ts'
import type { Command } from './command.ts'

export function addServeCommand(program: Command, isJson: () => boolean): void {
  program
    .command('serve')
    .description('Start the service')
    .action(() => serve(readConfig(), isJson()))
}
