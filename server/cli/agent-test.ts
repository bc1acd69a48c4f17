import { InvalidArgumentError } from 'commander'
import type { RunOptions } from './agent-test-actions.ts'
import type { Ask } from './ask.ts'
import type { Command } from './command.ts'

const loadActions = () => import('./agent-test-actions.ts')

const run_note = `
Without --version and --draft, the deployed version is tested. Names of tests may be given with --test, once or several times;
otherwise all that are enabled are run.

The exit status is 0 if all tests have passed, 1 if one has not or if the service refuses, 2 if the command was used wrongly, and
130 after Ctrl-C, which cancels the run.`

const file_note = `
A file is JSON as "parley test export" writes it: {"tests": [...]}, each as the API takes it. Keep it in git beside the agent:

  parley test export Receptionist > tests.json
  parley test import Receptionist tests.json

An import updates tests that have the same name, and creates others. It deletes none.`

interface InWorkspace {
  workspace?: string
}

const as = ({ workspace }: InWorkspace) => ({
  workspace,
  command: 'test',
  scopes: ['agents:read', 'agents:write', 'workspace:read'],
})

export function addTestCommands(program: Command, ask: Ask, isJson: () => boolean): void {
  const group = program
    .command('test')
    .summary('Tests of agents')
    .description('Run, export and import the tests of agents, through the API of the running service')
  group.usage_status = 2
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .argument('<agent>', 'The name or the id of the agent')
      .option(
        '--workspace <name>',
        'The workspace of the agent (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)',
      )
  add('list', 'List the tests of an agent').action((agent: string, options: InWorkspace) =>
    ask(as(options), async (target) => (await loadActions()).listTests(target, agent)),
  )
  const run: Command = add('run', 'Run the tests of an agent, and wait for the result')
    .option('--version <version>', 'The version to test: its label, such as v2, or its id')
    .option('--draft', 'Test the draft instead')
    .option('--test <name...>', 'Only tests with this name or id')
    .option('--repeat <number>', 'How often each test is run: 1 to 20', parseRepeat)
    .option('--passes-min <number>', 'How often each must pass (default: always)', parseRepeat)
    .option('--junit <file>', 'Also write the results to this file, as JUnit XML')
    .addHelpText('after', run_note)
    .action((agent: string, options: RunOptions) => {
      if (options.version !== undefined && options.draft) run.error('error: use either --version or --draft')
      if (options.junit !== undefined && isJson()) run.error('error: use either --json or --junit')
      if ((options.passesMin ?? 1) > (options.repeat ?? 1))
        run.error('error: --passes-min must be at most the number of --repeat')
      return ask(as(options), async (target) => (await loadActions()).runTests(target, agent, options))
    })
  add('export', 'Print the tests of an agent as JSON')
    .addHelpText('after', file_note)
    .action((agent: string, options: InWorkspace) =>
      ask(as(options), async (target) => (await loadActions()).exportTests(target, agent)),
    )
  add('import', 'Update and create the tests of an agent from a file')
    .argument('<file>', 'The file, or - for standard input')
    .addHelpText('after', file_note)
    .action((agent: string, file: string, options: InWorkspace) =>
      ask(as(options), async (target) => (await loadActions()).importTests(target, agent, file)),
    )
}

function parseRepeat(text: string): number {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= 20) return number
  throw new InvalidArgumentError('Use a whole number from 1 to 20.')
}
