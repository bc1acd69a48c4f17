import { InvalidArgumentError, Option } from 'commander'
import type { ApiOptions } from './api-actions.ts'
import type { Ask } from './ask.ts'
import type { Command } from './command.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const note = `
Examples:
  parley api GET /contacts -f tag=vip -f limit=5
  parley api GET /contacts --paginate
  parley api POST /contacts -f phone_number=+14155550100 -F 'tags=["vip"]'
  parley api PATCH /agents/ID --input agent.json -H 'If-Match: "ETAG"'
  parley api POST /contacts/imports --file contacts.csv -F is_dry_run=true
  parley api GET /calls/ID/recording > call.wav

Fields are the query of a GET and the JSON body of other requests. -f always sends text; -F sends numbers, true, false, null, lists
and objects as JSON, and the rest as text. A field of a query can be given several times. --input is a body, or with --file the
options of an upload; fields replace its members.

Prints the answer of the service as JSON. With --paginate it reads all pages of a list, and prints a line of JSON for each item.
Files and streams are printed as they come. An error is printed on standard error with its fields, and the exit status is 1.
/docs lists all operations.`

export function addApiCommand(program: Command, ask: Ask): void {
  program
    .command('api')
    .description('Send a request to any operation of the API')
    .argument('<method>', methods.join(', '), parseMethod)
    .argument('<path>', 'The path of the operation, such as /contacts')
    .addOption(new Option('-f, --raw-field <name=value>', 'A field with a text').argParser(addTo).default([]))
    .addOption(
      new Option('-F, --field <name=value>', 'A field with a JSON value, or a text').argParser(addTo).default([]),
    )
    .addOption(new Option('-H, --header <name:value>', 'A header').argParser(addTo).default([]))
    .option('--input <file>', 'A file with the JSON body, or - for standard input')
    .option('--file <file>', 'A file to upload')
    .option('--paginate', 'Read all pages of a list')
    .option('--workspace <name>', 'The workspace (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)')
    .addHelpText('after', note)
    .action((method: string, path: string, options: ApiOptions & { workspace?: string }) =>
      ask({ workspace: options.workspace, command: 'api', scopes: ['*'] }, async (target) =>
        (await import('./api-actions.ts')).sendRequest(target, method, path, options),
      ),
    )
}

const addTo = (text: string, before: string[]): string[] => [...before, text]

function parseMethod(text: string): string {
  const method = text.toUpperCase()
  if (methods.includes(method)) return method
  throw new InvalidArgumentError(`Use one of ${methods.join(', ')}.`)
}
