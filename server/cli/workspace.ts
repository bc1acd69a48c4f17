import { InvalidArgumentError } from 'commander'
import type { Command } from './command.ts'
import type { Run } from './run.ts'
import type { NewWorkspace } from './workspace-actions.ts'

const loadActions = () => import('./workspace-actions.ts')
const seed_max = 2_147_483_647

export function addWorkspaceCommands(program: Command, run: Run): void {
  const group = program.command('workspace').summary('Workspaces').description('Manage workspaces')
  const create: Command = group
    .command('create')
    .description('Create a workspace and its first API key')
    .argument('<name>', 'The name; no other workspace may have it')
    .option('--test', 'Create a test workspace, whose time stands still until its clock is advanced')
    .option('--seed <number>', `With --test: what is chosen at random follows from it (default: 1)`, parseSeed)
    .option('--now <time>', 'With --test: when its clock begins, such as 2027-03-01T09:00:00Z (default: now)')
    .action((name: string, options: NewWorkspace) => {
      const needs_test = (['seed', 'now'] as const).find((option) => options[option] !== undefined)
      if (needs_test && !options.test) create.error(`error: --${needs_test} is only for test workspaces: add --test`)
      return run(async (service) => (await loadActions()).createWorkspace(service, name, options))
    })
  group
    .command('list')
    .description('List all workspaces')
    .action(() => run(async (service) => (await loadActions()).listWorkspaces(service)))
}

function parseSeed(text: string): number {
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (seed <= seed_max) return seed
  throw new InvalidArgumentError(`Use a whole number from 0 to ${seed_max}.`)
}
