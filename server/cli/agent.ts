import { InvalidArgumentError } from 'commander'
import type { Command } from './command.ts'
import type { Run } from './run.ts'

const loadActions = () => import('./agent-actions.ts')

interface InWorkspace {
  workspace: string
}

export function addAgentCommands(program: Command, run: Run): void {
  const group = program.command('agent').summary('Agents').description('Publish and deploy versions of agents')
  const add = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .requiredOption('--workspace <name>', 'The workspace that the agent belongs to')
  const id = ['<id>', 'The id that "parley agent list" shows'] as const
  add('list', 'List agents with their deployed versions').action(({ workspace }: InWorkspace) =>
    run(async (service) => (await loadActions()).listAgents(service, workspace)),
  )
  add('publish', 'Publish the draft of an agent as its next version')
    .argument(...id)
    .option('--note <text>', 'What is new in this version')
    .option('--deploy', 'Also deploy the version')
    .action((agent: string, options: InWorkspace & { note?: string; deploy?: true }) =>
      run(async (service) => (await loadActions()).publishAgent(service, agent, options)),
    )
  add('deploy', 'Deploy a version of an agent')
    .argument(...id)
    .argument('<version>', 'Its label, such as v2, or its id')
    .option('--percent <number>', 'Below 100 it becomes the candidate beside the deployed version', parsePercent, 100)
    .action((agent: string, version: string, options: InWorkspace & { percent: number }) =>
      run(async (service) => (await loadActions()).deployAgent(service, agent, version, options)),
    )
  add('rollback', 'Deploy the version that was deployed before the current one')
    .argument(...id)
    .action((agent: string, { workspace }: InWorkspace) =>
      run(async (service) => (await loadActions()).rollBackAgent(service, agent, workspace)),
    )
}

function parsePercent(text: string): number {
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (percent >= 1 && percent <= 100) return percent
  throw new InvalidArgumentError('Use a whole number from 1 to 100.')
}
