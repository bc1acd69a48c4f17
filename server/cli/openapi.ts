import type { Command } from './command.ts'

export function addOpenapiCommand(program: Command): void {
  program
    .command('openapi')
    .description('Print the OpenAPI document, as JSON')
    .action(async () => {
      const { document } = await import('../api.ts')
      console.log(JSON.stringify(document, null, 2))
    })
}
