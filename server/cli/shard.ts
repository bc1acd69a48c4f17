import { InvalidArgumentError } from 'commander'
import type { Shell } from '../start/shell.ts'
import type { Command } from './command.ts'
import type { ShardOptions } from './shard-actions.ts'

const shards_default = 32
const shards_max = 1_024

const note = `
Use it when all workspaces together need more than one machine. DATABASE_URL names the coordinator of a Citus cluster, with
the current schema. Stop the service first, and make a backup: the way back is to restore it into another database.

Everything is done in one transaction. If it fails or is killed, the database stays as it was, and you can run it again.
README.md says how to set up a cluster.`

export function addShardCommand(program: Command, shell: Shell, isJson: () => boolean): void {
  program
    .command('shard')
    .description('Shard the database by workspace over the nodes of a Citus cluster')
    .option(
      '--shards <number>',
      'Number of shards: the largest number of workers that can share the work',
      parseShards,
      shards_default,
    )
    .option('--dry-run', 'Check the cluster and say what would be done')
    .option('--yes', "Don't ask for confirmation")
    .addHelpText('after', note)
    .action(async (options: ShardOptions) =>
      (await import('./shard-actions.ts')).shard(shell, { ...options, is_json: isJson() }),
    )
}

function parseShards(text: string): number {
  const shards = Number(text)
  if (/^\d+$/.test(text) && shards >= 1 && shards <= shards_max) return shards
  throw new InvalidArgumentError(`Use a whole number from 1 to ${shards_max}.`)
}
