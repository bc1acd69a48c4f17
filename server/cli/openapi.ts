import { consoleOf, type Shell } from '../start/shell.ts'
import type { Command } from './command.ts'

export function addOpenapiCommand(program: Command, shell: Shell): void {
  program
    .command('openapi')
    .description('Print the OpenAPI document, as JSON')
    .action(async () => {
      const { document } = await import('../api.ts')
      consoleOf(shell).log(JSON.stringify(document, null, 2))
    })
}
