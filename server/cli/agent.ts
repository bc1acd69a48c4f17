import { InvalidArgumentError } from 'commander'
import type { Ask } from './ask.ts'
import type { Command } from './command.ts'

const loadActions = () => import('./agent-actions.ts')

const file_note = `
A file is JSON as "parley agent pull" writes it: the name, the description and the configuration of the draft. Fields that it
leaves out keep their values, or have the default in a new agent. Keep it in git:

  parley agent pull Receptionist receptionist.json
  parley agent push receptionist.json --deploy --note "Asks for the name"`

const gate_note = `
If the agent has deploy_requires "tests", a version is deployed only after all enabled tests have passed with its content: see
"parley test run --help". --force deploys it all the same. An API key for that must list the scope agents:force.`

interface InWorkspace {
  workspace?: string
  force?: true
}

/** Returns the key of the command, which has the right to force only if that is asked for. */
const as = ({ workspace, force }: InWorkspace) => ({
  workspace,
  command: 'agent',
  scopes: ['agents:read', 'agents:write', 'workspace:read', ...(force ? ['agents:force'] : [])],
})

export function addAgentCommands(program: Command, ask: Ask): void {
  const group = program
    .command('agent')
    .summary('Agents')
    .description('Create, change, publish and deploy agents, through the API of the running service')
  const add = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .option(
        '--workspace <name>',
        'The workspace of the agent (default: PARLEY_WORKSPACE, or that of the login, or the oldest one)',
      )
  const agent = ['<agent>', 'The name or the id of the agent'] as const
  const from_file = ['--file <file>', 'First change the draft to what this file has'] as const
  const forced = ['--force', 'Deploy also if the tests that the agent requires have not passed'] as const
  const note = ['--note <text>', 'What is new in this version'] as const
  add('list', 'List agents with their deployed versions').action((options: InWorkspace) =>
    ask(as(options), async (target) => (await loadActions()).listAgents(target)),
  )
  add('create', 'Create an agent from a file, and deploy its first version')
    .argument('<file>', 'The file, or - for standard input')
    .addHelpText('after', file_note)
    .action((file: string, options: InWorkspace) =>
      ask(as(options), async (target) => (await loadActions()).createAgent(target, file)),
    )
  add('pull', 'Write the draft of an agent to a file, or print it')
    .argument(...agent)
    .argument('[file]', 'The file to write')
    .addHelpText('after', file_note)
    .action((name: string, file: string | undefined, options: InWorkspace) =>
      ask(as(options), async (target) => (await loadActions()).pullAgent(target, name, file)),
    )
  add('push', 'Change the draft of an agent to what a file has, or create the agent')
    .argument('<file>', 'The file, or - for standard input')
    .option('--agent <agent>', 'The name or the id of the agent (default: the name in the file)')
    .option('--publish', 'Also publish the draft as a version')
    .option('--deploy', 'Also publish the draft, and deploy the version')
    .option(...note)
    .option(...forced)
    .addHelpText('after', file_note)
    .action((file: string, options: InWorkspace & { agent?: string; publish?: true; deploy?: true; note?: string }) =>
      ask(as(options), async (target) => (await loadActions()).pushAgent(target, file, options)),
    )
  add('publish', 'Publish the draft of an agent as its next version')
    .argument(...agent)
    .option(...from_file)
    .option(...note)
    .option('--deploy', 'Also deploy the version')
    .option(...forced)
    .action((name: string, options: InWorkspace & { file?: string; note?: string; deploy?: true }) =>
      ask(as(options), async (target) => (await loadActions()).publishAgent(target, name, options)),
    )
  const deploy: Command = add('deploy', 'Deploy a version of an agent')
    .argument(...agent)
    .argument('[version]', 'Its label, such as v2, or its id')
    .option('--file <file>', 'Instead of a version: publish what this file has, and deploy that')
    .option('--percent <number>', 'Below 100 it becomes the candidate beside the deployed version', parsePercent, 100)
    .option(...forced)
    .addHelpText('after', gate_note)
    .action((name: string, version: string | undefined, options: InWorkspace & { percent: number; file?: string }) => {
      if ((version === undefined) === (options.file === undefined))
        deploy.error('error: use either a version or --file')
      return ask(as(options), async (target) => (await loadActions()).deployAgent(target, name, version, options))
    })
  add('rollback', 'Deploy the version that was deployed before the current one')
    .argument(...agent)
    .action((name: string, options: InWorkspace) =>
      ask(as(options), async (target) => (await loadActions()).rollBackAgent(target, name)),
    )
}

function parsePercent(text: string): number {
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (percent >= 1 && percent <= 100) return percent
  throw new InvalidArgumentError('Use a whole number from 1 to 100.')
}
