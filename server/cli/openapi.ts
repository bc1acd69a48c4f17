import { consoleOf, type Shell } from '../start/shell.ts'
import type { Command } from './command.ts'

export function addOpenapiCommand(program: Command, shell: Shell): void {
  program
    .command('openapi')
    .description('Print the OpenAPI document, as JSON')
    .option('--no-guide', 'without the guide')
    .action(async ({ guide }: { guide: boolean }) => {
      const { document, documentWithoutGuide } = await import('../api.ts')
      const { printJson } = await import('../kit/openapi/print.ts')
      consoleOf(shell).log(printJson(guide ? document : documentWithoutGuide))
    })
}
