import { document } from '../api.ts'
import type { Command } from './command.ts'

export function addOpenapiCommand(program: Command): void {
  program
    .command('openapi')
    .description('Print the OpenAPI document, as JSON')
    .action(() => console.log(JSON.stringify(document, null, 2)))
}
