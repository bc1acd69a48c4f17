import type { Command } from './command.ts'
import type { Run } from './run.ts'

const loadActions = () => import('./workspace-actions.ts')

export function addWorkspaceCommands(program: Command, run: Run): void {
  const group = program.command('workspace').summary('Workspaces').description('Manage workspaces')
  group
    .command('create')
    .description('Create a workspace and its first API key')
    .argument('<name>', 'The name; no other workspace may have it')
    .action((name: string) => run(async (service) => (await loadActions()).createWorkspace(service, name)))
  group
    .command('list')
    .description('List all workspaces')
    .action(() => run(async (service) => (await loadActions()).listWorkspaces(service)))
}
